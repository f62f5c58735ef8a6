"""Weights of a model folder: arrays of known shapes in an .npz file."""

import zipfile
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from shared.errors import InvalidInputError, NotFoundError

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Arrays = TypeVar("Arrays", bound="DataclassInstance")
Shapes = list[tuple[int, ...]]


def read_arrays(file: Path, kind: type[Arrays], shapes: Callable[[Arrays], Shapes]) -> Arrays:
    """The arrays of a file as `kind`, float32; `shapes` says which shapes its fields must have, in their order.

    Raises NotFoundError if the file is missing, InvalidInputError if it is damaged or of other shapes.
    """
    if not file.is_file():
        raise NotFoundError(f"{file}: there is no such file; the model folder is incomplete, train again")
    names = [field.name for field in fields(kind)]
    try:
        with np.load(file, allow_pickle=False) as stored:
            arrays = kind(*(stored[name].astype(np.float32) for name in names))
        expected = shapes(arrays)
    except (OSError, ValueError, KeyError, EOFError, IndexError, zipfile.BadZipFile) as error:
        raise InvalidInputError(f"{file}: the weights cannot be read: {error}") from error
    actual = [getattr(arrays, name).shape for name in names]
    if actual != expected:
        raise InvalidInputError(f"{file}: arrays of shapes {actual} do not fit the manifest, which needs {expected}")
    return arrays
