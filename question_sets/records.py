"""Questions in the project's own format: JSON Lines, plain or .xz.

    {"question": str, "topic": str|null, "answers": [str], "path": ["directed_by", "^directed_by"]|null}

`path` null: not known. `path` [] with no answers: the graph cannot answer this question. Other fields are ignored, with
a warning.
"""

import logging
import lzma
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, TextIO

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError, model_validator
from pydantic_core import from_json

from shared.contracts import EntityName, Question
from shared.errors import InvalidInputError, NotFoundError
from shared.exact_match import exact
from shared.text import VISIBLE

Name = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1), VISIBLE]


_LOG = logging.getLogger(__name__)


class QuestionRecord(BaseModel):
    """One line of a question file."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    question: Question
    topic: EntityName | None = None
    answers: tuple[Name, ...]
    path: Annotated[tuple[Name, ...], Field(max_length=8)] | None = None

    @model_validator(mode="after")
    def _answers_need_a_path(self) -> "QuestionRecord":
        if self.path == () and self.answers:
            raise ValueError("an empty path says that the graph cannot answer, so answers must be empty too")
        return self

    def is_answered_by(self, answers: Sequence[str], path: Sequence[str]) -> bool:
        """Whether an answer set is right: it is the gold one, or what the gold path leads to.

        Gold answers of data sets are sometimes fewer than what their own path reaches.
        """
        if self.path and tuple(path) == self.path and answers:
            return True
        return {exact(answer) for answer in answers} == {exact(gold) for gold in self.answers}


def read_questions(file: Path) -> list[QuestionRecord]:
    """Read all questions of a file, in order; warn of fields that questions do not have.

    Raises NotFoundError for a missing file, InvalidInputError (file, line, field, reason) for a line that is not
    valid or a file without questions.
    """
    if file.is_dir():
        raise InvalidInputError(f"{file} is a folder; name a file of questions in it")
    if not file.is_file():
        raise NotFoundError(f"{file}: there is no such file of questions")
    with open_text(file) as lines:
        unknown: Counter[str] = Counter()
        questions = list(_records(file, lines, unknown))
    for field, count in unknown.items():
        known = ", ".join(QuestionRecord.model_fields)
        _LOG.warning(
            "warning: %s: the field %r, in %d line%s, is ignored; known are %s",
            file,
            field,
            count,
            "s" * (count > 1),
            known,
        )
    if not questions:
        raise InvalidInputError(f"{file}: no questions in it; expected one JSON object a line")
    return questions


def open_text(file: Path) -> TextIO:
    """Open a UTF-8 text file, decompressing when it ends in .xz."""
    if file.suffix == ".xz":
        return lzma.open(file, "rt", encoding="utf-8")
    return file.open(encoding="utf-8-sig")


def _records(file: Path, lines: TextIO, unknown: Counter[str]) -> Iterator[QuestionRecord]:
    """Read the questions; count the unknown fields."""
    number = 0
    try:
        for number, line in enumerate(lines, 1):  # noqa: B007 - read after the loop fails
            if line.strip():
                yield QuestionRecord.model_validate_json(line)
                unknown.update(from_json(line).keys() - QuestionRecord.model_fields.keys())
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(str(part) for part in first["loc"]) or "line"
        raise InvalidInputError(f"{file}, line {number}, {field}: {first['msg']}") from error
    except (UnicodeDecodeError, lzma.LZMAError, EOFError) as error:
        raise InvalidInputError(f"{file}, after line {number}: not readable as UTF-8 text: {error}") from error
