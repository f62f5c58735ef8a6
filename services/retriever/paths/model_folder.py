"""Read and write the files of a model folder: the manifest, and weights of known shapes in an .npz file."""

import json
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from graph.store import WalkRule
from services.retriever.encoder.encoder import Vectors
from services.retriever.paths.confidence import Calibration
from shared.errors import InvalidInputError, NotFoundError

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

MANIFEST_FILE = "manifest.json"
FORMAT: Literal[3] = 3

Weights = TypeVar("Weights", bound="DataclassInstance")
Shapes = list[tuple[int, ...]]

_SCALE = ".scale"


class PathEvidence(BaseModel):
    """Hold how a retriever did on held-out questions with its paths before plans, and with the same plans alone.

    `wrong` counts answers that are wrong with a confidence of at least one half.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    questions: int = Field(ge=1)
    right: int
    wrong: int
    right_by_plans: int
    wrong_by_plans: int


class Manifest(BaseModel):
    """Describe a model folder.

    `mode` determines which files the folder contains. `steps` are the relation steps (`r` or `^r`) that the model
    scores, in the order of its outputs. `question_words` are words that training questions use outside mentions; entity
    linking treats them as weak evidence for a name. `operator_words` holds words such as "how many" that training
    questions use, each with the last steps of their paths: a question for a population has no need of a count.
    `evidence` is there if paths were shown to answer better than plans; without it, plans answer first. `learnt_from`
    and `training` are for information only.
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
    operator_words: dict[str, tuple[str, ...]] = {}
    calibration: Calibration = Calibration()
    evidence: PathEvidence | None = None
    training: dict[str, float | int | str] = {}


def read_manifest(folder: Path) -> Manifest:
    """Read the manifest of a model folder.

    Raises NotFoundError if the manifest is missing, and InvalidInputError if it is damaged or has a different format.
    """
    file = folder / MANIFEST_FILE
    if not file.is_file():
        raise NotFoundError(
            f"{file} is missing, so the folder contains no trained retriever; run `kgqa train retriever`"
        )
    try:
        content = json.loads(file.read_text(encoding="utf-8"))
        if isinstance(content, dict) and content.get("format") != FORMAT:
            raise InvalidInputError(
                f"{file}: this version reads format {FORMAT}, but the file has format {content.get('format')!r}; "
                "train the retriever again"
            )
        return Manifest.model_validate(content)
    except (ValueError, ValidationError) as error:
        raise InvalidInputError(f"{file}: not a valid retriever manifest: {error}") from error


def write_weights(file: Path, weights: "DataclassInstance") -> None:
    """Write a dataclass of arrays to an .npz file, storing each matrix as int8 with one scale per row."""
    stored: dict[str, Any] = {}
    for field in fields(weights):
        array: Vectors = getattr(weights, field.name)
        if array.ndim == 2:
            scale = np.maximum(np.abs(array).max(axis=1, keepdims=True), 1e-12) / 127.0
            stored[field.name + _SCALE] = scale.astype(np.float32)
            array = np.rint(array / scale).astype(np.int8)
        stored[field.name] = array
    np.savez(file, **stored)


def read_weights(file: Path, kind: type[Weights], expected_shapes: Callable[[Weights], Shapes]) -> Weights:
    """Read weights written by `write_weights` into a dataclass of type `kind`, as float32.

    `expected_shapes` returns the required shapes in field order. Raises NotFoundError if the file is missing, and
    InvalidInputError if it is damaged or an array has the wrong shape.
    """
    if not file.is_file():
        raise NotFoundError(f"{file} is missing, so the model folder is incomplete; train the retriever again")
    names = [field.name for field in fields(kind)]
    try:
        with np.load(file, allow_pickle=False) as stored:
            weights = kind(*(_dequantize(stored, name) for name in names))
        expected = expected_shapes(weights)
    except (OSError, ValueError, KeyError, EOFError, IndexError, zipfile.BadZipFile) as error:
        raise InvalidInputError(f"{file}: cannot read the weights: {error}; train the retriever again") from error
    actual = [getattr(weights, name).shape for name in names]
    if actual != expected:
        raise InvalidInputError(
            f"{file}: the arrays have shapes {actual}, but the manifest requires {expected}; train the retriever again"
        )
    return weights


def _dequantize(stored: Mapping[str, Vectors], name: str) -> Vectors:
    array = stored[name].astype(np.float32)
    return array * stored[name + _SCALE] if name + _SCALE in stored else array
