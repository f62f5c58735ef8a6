"""Read question files: JSON Lines, plain or compressed with xz.

    {"question": str, "topic": str|null, "answers": [str], "path": ["directed_by", "^directed_by"]|null}

If `path` is null, the path is unknown. If `path` is [] and there are no answers, the graph cannot answer the question.
A question may have a query plan (`plan`) or a Cypher query (`cypher`) instead of a path; its answers are optional then.
They are also optional if `rows` holds a gold table, whose first column they are.
Other fields are ignored with a warning.
"""

import logging
import lzma
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any, TextIO

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainSerializer,
    PlainValidator,
    StringConstraints,
    ValidationError,
    model_validator,
)
from pydantic_core import from_json

from contracts.base import EntityName, QuestionText
from graph.plan.algebra import Plan
from graph.plan.checks import read_plan, write_plan
from graph.plan.value_text import value_text
from shared.errors import InvalidInputError, NotFoundError
from shared.exact_match import exact
from shared.text import VISIBLE, shown
from shared.validation import error_text


def _as_text(value: object) -> object:
    return value_text(value) if isinstance(value, bool | int | float) else value


def _as_plan(data: object) -> Plan:
    try:
        return data if isinstance(data, Plan) else read_plan(data)
    except InvalidInputError as error:
        raise ValueError(error.detail) from error


Name = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1), VISIBLE]
GoldAnswer = Annotated[Name, BeforeValidator(_as_text)]
GoldRow = Annotated[tuple[GoldAnswer | None, ...], Field(min_length=2)]
GoldPlan = Annotated[Plan, PlainValidator(_as_plan), PlainSerializer(write_plan)]

_EXPECTED = 'expected a JSON object on each line, such as {"question": "...", "answers": ["..."]}'
_LOG = logging.getLogger(__name__)


class QuestionRecord(BaseModel):
    """Hold a question, its gold answers, and how they are found: a relation path, a plan, or a Cypher query.

    `rows` is the gold table of a question that asks for a value of each of several things. `kind` is the kind of
    question, by which reports are divided.
    """

    model_config = ConfigDict(extra="ignore", frozen=True)

    question: QuestionText
    topic: EntityName | None = None
    answers: tuple[GoldAnswer, ...] = ()
    path: Annotated[tuple[Name, ...], Field(max_length=8)] | None = None
    plan: GoldPlan | None = None
    cypher: Annotated[str, StringConstraints(min_length=1, max_length=10_000)] | None = None
    kind: Name | None = None
    rows: tuple[GoldRow, ...] | None = None

    @model_validator(mode="before")
    @classmethod
    def _first_column_answers(cls, data: Any) -> Any:
        """Fill in the answers of a gold table; whatever is no table is refused later."""
        rows = data.get("rows") if isinstance(data, dict) else None
        if not isinstance(rows, list) or "answers" in data or not all(isinstance(row, list) and row for row in rows):
            return data
        first = [row[0] for row in rows if row[0] is not None]
        return data | {"answers": [one for place, one in enumerate(first) if one not in first[:place]]}

    @model_validator(mode="after")
    def _rows_have_the_same_columns(self) -> "QuestionRecord":
        if len({len(row) for row in self.rows or ()}) > 1:
            raise ValueError("all rows of `rows` need the same number of values")
        return self

    @model_validator(mode="after")
    def _something_is_gold(self) -> "QuestionRecord":
        if "answers" not in self.model_fields_set and self.plan is None and self.cypher is None:
            raise ValueError("`answers` is required, unless there are `rows`, a `plan`, or a `cypher` query")
        return self

    @property
    def has_query(self) -> bool:
        """Return whether the answers are those of a plan or of a Cypher query."""
        return self.plan is not None or self.cypher is not None

    @model_validator(mode="after")
    def _answers_need_a_path(self) -> "QuestionRecord":
        if self.path == () and self.answers:
            raise ValueError("an empty path means that the graph cannot answer, so `answers` must be empty too")
        return self

    def is_answered_by(self, answers: Sequence[str], path: Sequence[str]) -> bool:
        """Return whether the answers equal the gold answers or come from the gold path, which may reach others."""
        if self.path and tuple(path) == self.path and answers:
            return True
        return {exact(answer) for answer in answers} == {exact(gold) for gold in self.answers}


def read_questions(file: Path) -> list[QuestionRecord]:
    """Read all questions from a file in order, and warn about unknown fields.

    Raise NotFoundError if the file does not exist, and InvalidInputError if it has an invalid line or no questions.
    """
    numbered, problems = read_valid_questions(file, most_problems=1)
    if problems:
        raise InvalidInputError(problems[0])
    return [record for _, record in numbered]


def read_valid_questions(
    file: Path, most_problems: int | None = None
) -> tuple[list[tuple[int, QuestionRecord]], list[str]]:
    """Read the questions of a file with their lines, and say what is wrong with the other lines.

    Measures need all questions of a file, so they use `read_questions`.

    Args:
        file: The file.
        most_problems: The number of problems after which reading ends.

    Raises:
        NotFoundError: The file does not exist.
        InvalidInputError: No line is a question, or the file cannot be read.
    """
    if file.is_dir():
        raise InvalidInputError(f"{file} is a folder; pass a question file instead")
    if not file.is_file():
        raise NotFoundError(f"question file not found: {file}")
    unknown: Counter[str] = Counter()
    problems: list[str] = []
    numbered: list[tuple[int, QuestionRecord]] = []
    with open_text(file) as lines:
        for number, found in _records(file, lines, unknown):
            if isinstance(found, str):
                problems.append(found)
            else:
                numbered.append((number, found))
            if len(problems) == most_problems:
                return numbered, problems
    for field, count in unknown.items():
        known = ", ".join(QuestionRecord.model_fields)
        where = f"{count} line{'s' * (count > 1)}"
        _LOG.warning("warning: %s: ignored the unknown field %r in %s; known fields: %s", file, field, where, known)
    if not numbered:
        raise InvalidInputError(
            next(iter(problems), f"{file} contains no questions; expected one JSON object per line")
        )
    return numbered, problems


def draw_sample(records: Sequence[QuestionRecord], most: int | None, seed: int) -> list[tuple[int, QuestionRecord]]:
    """Draw at most `most` records at random with a seed, and return them with their indexes, in file order."""
    numbered = list(enumerate(records))
    if most is None or most >= len(numbered):
        return numbered
    return sorted(random.Random(seed).sample(numbered, most), key=lambda one: one[0])


def open_text(file: Path) -> TextIO:
    """Open a UTF-8 text file, and decompress it if its name ends in .xz."""
    if file.suffix == ".xz":
        return lzma.open(file, "rt", encoding="utf-8")
    return file.open(encoding="utf-8-sig")


def _records(file: Path, lines: TextIO, unknown: Counter[str]) -> Iterator[tuple[int, QuestionRecord | str]]:
    """Yield the question of each line with its number, or what is wrong with it; count unknown fields in `unknown`."""
    number = 0
    try:
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            try:
                found = QuestionRecord.model_validate_json(line)
            except ValidationError as error:
                yield number, f"{file}, line {number}{_problem(error, line)}"
                continue
            yield number, found
            unknown.update(from_json(line).keys() - QuestionRecord.model_fields.keys())
    except UnicodeDecodeError as error:
        raise InvalidInputError(f"{file}, {_not_utf8(file)}; save it as UTF-8") from error
    except (lzma.LZMAError, EOFError) as error:
        raise InvalidInputError(
            f"{file}, after line {number}: cannot be decompressed: {error}; copy it again"
        ) from error


def _problem(error: ValidationError, line: str) -> str:
    first = error.errors()[0]
    if first["type"] in ("json_invalid", "model_type", "model_attributes_type"):
        return f": {_EXPECTED}, found {shown(line.strip())}"
    field = ".".join(str(part) for part in first["loc"]) or "line"
    return f", {field}: {error_text(first)}"


def _not_utf8(file: Path) -> str:
    """Name the first line that is not UTF-8, which texts that are read in blocks do not tell."""
    with lzma.open(file, "rb") if file.suffix == ".xz" else file.open("rb") as lines:
        for number, line in enumerate(lines, 1):
            try:
                line.decode()
            except UnicodeDecodeError as error:
                return f"line {number}: not UTF-8 at byte {error.start + 1}"
    return "not UTF-8"
