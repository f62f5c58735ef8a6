"""Weights of a model folder: arrays of known shapes in an .npz file.

Matrices are stored in int8 with a scale for each row, a quarter of their size.
"""

import zipfile
from collections.abc import Callable, Mapping
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from services.retriever.prediction.encoder import Vectors
from shared.errors import InvalidInputError, NotFoundError

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Arrays = TypeVar("Arrays", bound="DataclassInstance")
Shapes = list[tuple[int, ...]]

_SCALE = ".scale"


def write_arrays(file: Path, arrays: "DataclassInstance") -> None:
    """Write what `read_arrays` reads."""
    stored: dict[str, Any] = {}
    for field in fields(arrays):
        array: Vectors = getattr(arrays, field.name)
        if array.ndim == 2:
            scale = np.maximum(np.abs(array).max(axis=1, keepdims=True), 1e-12) / 127.0
            stored[field.name + _SCALE] = scale.astype(np.float32)
            array = np.rint(array / scale).astype(np.int8)
        stored[field.name] = array
    np.savez(file, **stored)


def read_arrays(file: Path, kind: type[Arrays], shapes: Callable[[Arrays], Shapes]) -> Arrays:
    """The arrays of a file as `kind`, float32; `shapes` says which shapes its fields must have, in their order.

    Raises NotFoundError if the file is missing, InvalidInputError if it is damaged or of other shapes.
    """
    if not file.is_file():
        raise NotFoundError(f"{file}: there is no such file; the model folder is incomplete, train again")
    names = [field.name for field in fields(kind)]
    try:
        with np.load(file, allow_pickle=False) as stored:
            arrays = kind(*(_restored(stored, name) for name in names))
        expected = shapes(arrays)
    except (OSError, ValueError, KeyError, EOFError, IndexError, zipfile.BadZipFile) as error:
        raise InvalidInputError(f"{file}: the weights cannot be read: {error}") from error
    actual = [getattr(arrays, name).shape for name in names]
    if actual != expected:
        raise InvalidInputError(f"{file}: arrays of shapes {actual} do not fit the manifest, which needs {expected}")
    return arrays


def _restored(stored: Mapping[str, Vectors], name: str) -> Vectors:
    array = stored[name].astype(np.float32)
    return array * stored[name + _SCALE] if name + _SCALE in stored else array
