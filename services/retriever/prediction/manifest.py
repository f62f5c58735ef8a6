"""What a model folder says of itself."""

import json
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from services.retriever.confidence import Calibration
from shared.errors import InvalidInputError, NotFoundError
from shared.graph.store import WalkRule

MANIFEST_FILE = "manifest.json"
FORMAT: Literal[3] = 3


class Manifest(BaseModel):
    """What a model folder is and where it comes from; `learnt_from` and `training` are for people.

    `mode`: which files it holds, and what reads them (`served`: `prediction/beam.py`, `paper`: `prediction/paper/`).
    `steps`: the relation steps (`r` or `^r`) that the model tells apart, in its own order.
    `question_words`: words that the training questions use outside their mentions, which entity linking takes for poor
    names.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    format: Literal[3] = FORMAT
    mode: Literal["served", "paper"] = "served"
    graph: str
    graph_version: str
    data: dict[str, int]
    learnt_from: str = ""
    seed: int
    walk_rule: WalkRule
    steps: tuple[str, ...] = Field(min_length=1)
    max_hops: int = Field(ge=1)
    question_words: tuple[str, ...] = ()
    calibration: Calibration = Calibration()
    training: dict[str, float | int | str] = {}


def read_manifest(folder: Path) -> Manifest:
    """The manifest of a model folder.

    Raises NotFoundError if there is none, InvalidInputError if it is damaged or of another format.
    """
    file = folder / MANIFEST_FILE
    if not file.is_file():
        raise NotFoundError(f"{file}: there is no trained retriever in this folder; run `kgqa train` first")
    try:
        fields = json.loads(file.read_text(encoding="utf-8"))
        if isinstance(fields, dict) and fields.get("format") != FORMAT:
            raise InvalidInputError(
                f"{file}: format {fields.get('format')!r} is not the one this version reads, {FORMAT}; train again"
            )
        return Manifest.model_validate(fields)
    except (ValueError, ValidationError) as error:
        raise InvalidInputError(f"{file}: not a retriever's manifest: {error}") from error
