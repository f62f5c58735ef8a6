"""Convert WebQuestions (Berant et al., EMNLP 2013; CC BY 4.0) with Freebase keys.

Reads `main/` (questions and answers) and `d-freebase/` (Freebase keys of the topics). Each contains
`{trainmodel,devtest,val,test}.json`, plain or .xz. Topic names are derived from the keys: `up_2009` becomes `up`,
because the year only distinguishes it from other entities with that name.

The data set has no graph, and the paths are left unknown. `d-freebase-rp` lists every path from topic to answer, but an
accidental path (`common.topic.image`) would count as much as the intended one. Training also rejects relations that the
graph does not have.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, TypeAdapter, ValidationError

from question_sets.conversion import OutputFolder, require_file
from question_sets.records import QuestionRecord, open_text
from shared.errors import InvalidInputError

_SPLITS = {"train": "trainmodel", "dev": "devtest", "valid": "val", "test": "test"}
_YEAR = re.compile(r"_(?:1[5-9]|20)\d\d$")

Row = TypeVar("Row")


class _Question(BaseModel):
    qId: str  # noqa: N815 - the data set's field names
    qText: str  # noqa: N815
    answers: tuple[str, ...]


class _Key(BaseModel):
    qId: str  # noqa: N815
    freebaseKey: str  # noqa: N815


def convert_webquestions(source: Path, out: Path) -> dict[Path, int]:
    """Convert trainmodel, devtest, val, and test to `{train,dev,valid,test}.jsonl` in `out`."""
    output = OutputFolder(out)
    for split, records in {split: list(_questions(source, name)) for split, name in _SPLITS.items()}.items():
        output.write_questions(f"{split}.jsonl", records)
    return output.written


def read_webquestions(source: Path) -> list[QuestionRecord]:
    """Return the questions from all splits; raise the same errors as `convert_webquestions`."""
    return [record for name in _SPLITS.values() for record in _questions(source, name)]


def topic_name(key: str) -> str:
    """Return the entity name that a Freebase key contains: `jay_cutler_1983` -> `jay cutler`."""
    return _YEAR.sub("", key).replace("_", " ").strip()


def _questions(source: Path, split: str) -> Iterator[QuestionRecord]:
    file = require_file(source / "main", f"{split}.json", "WebQuestions")
    keys = require_file(source / "d-freebase", f"{split}.json", "WebQuestions")
    topics = {row.qId: topic_name(row.freebaseKey) for row in _array(keys, _Key)}
    for row in _array(file, _Question):
        try:
            yield QuestionRecord(
                question=row.qText, topic=topics.get(row.qId) or None, answers=tuple(dict.fromkeys(row.answers))
            )
        except ValidationError as error:
            raise InvalidInputError(f"{file}, {row.qId}: {error.errors()[0]['msg']}") from error


def _array(file: Path, model: type[Row]) -> list[Row]:
    with open_text(file) as text:
        try:
            return TypeAdapter(list[model]).validate_json(text.read())  # type: ignore[valid-type]
        except ValidationError as error:
            first = error.errors()[0]
            place = ".".join(str(part) for part in first["loc"]) or "file"
            raise InvalidInputError(f"{file}, {place}: {first['msg']}") from error
