"""Define the file of a triple index: a header, the row ids and the vector of each triple, and the triples by entity.

The arrays are mapped into memory, so that processes share them and only the pages that are read take memory.
"""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO, Literal, NamedTuple

import numpy as np
import numpy.typing as npt
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from services.retriever.encoder.encoder import Vectors
from shared.errors import InvalidInputError

_HEADER_BYTES = 4096
_ROWS_PER_CHECK = 8_192
_MOST_ROUNDED = 0.01
"""The difference between the length of a vector and 1 that half precision explains."""
_ID, _VECTOR = np.dtype("<i4"), np.dtype("<f2")

TripleIds = npt.NDArray[np.int32]
"""The row ids of subject, relation, and object in the graph file, [n, 3]."""
Places = npt.NDArray[np.int32]


class IndexArrays(NamedTuple):
    """Hold the content of an index of n triples.

    Attributes:
        ids: The row ids of each triple, [n, 3].
        starts: Where the triples of each entity begin in `around`, by its row id, [entities + 1].
        around: The places of the triples in the index, entity after entity, [2n].
        vectors: One vector per triple, [n, dim].
    """

    ids: TripleIds
    starts: Places
    around: Places
    vectors: npt.NDArray[np.floating]


class MappedFile:
    """Notice that a mapped file was cut off in place, as `cp` does first: reading beyond its end kills the process."""

    def __init__(self, file: Path) -> None:
        self.name = file.name
        self._file = file
        self._state = file.stat()

    def is_cut_off(self) -> bool:
        """Return whether the file has become smaller; one that was replaced or removed is still mapped as a whole."""
        try:
            state = self._file.stat()
        except OSError:
            return False
        return state.st_ino == self._state.st_ino and state.st_size < self._state.st_size


class IndexHeader(BaseModel):
    """Say what an index was built from.

    Attributes:
        graph_version: The version of the graph.
        encoder: The fingerprint of the encoder's files.
        triples: The number of triples.
        entities: The number that `entities_in` returns.
        dimension: The length of a vector.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    layout: Literal[2] = 2
    graph_version: str
    encoder: str
    triples: int = Field(ge=0)
    entities: int = Field(ge=0)
    dimension: int = Field(ge=1)

    @property
    def places(self) -> tuple[int, int, int, int, int]:
        """Return where the arrays begin, and the size of the file."""
        starts = _HEADER_BYTES + self.triples * 3 * _ID.itemsize
        around = starts + (self.entities + 1) * _ID.itemsize
        vectors = around + self.triples * 2 * _ID.itemsize
        return _HEADER_BYTES, starts, around, vectors, vectors + self.triples * self.dimension * _VECTOR.itemsize


def entities_in(ids: TripleIds) -> int:
    """Return one more than the highest row id of an entity, or 0 without triples."""
    return int(ids[:, [0, 2]].max(initial=-1)) + 1


def triples_by_entity(ids: TripleIds) -> tuple[Places, Places]:
    """Return where the triples of each entity begin, [entities + 1], and their places, [2n]; see `IndexArrays`."""
    ends = ids[:, [0, 2]].ravel()
    starts = np.concatenate([[0], np.cumsum(np.bincount(ends))])
    return starts.astype(np.int32), (np.argsort(ends, kind="stable") // 2).astype(np.int32)


def write_index(file: BinaryIO, header: IndexHeader, ids: TripleIds, vectors: Iterator[Vectors]) -> None:
    """Write an index; `vectors` yields blocks of rows in the order of `ids`."""
    text = header.model_dump_json().encode()
    file.write(text + b" " * (_HEADER_BYTES - 1 - len(text)) + b"\n")
    for array in (ids, *triples_by_entity(ids)):
        file.write(np.ascontiguousarray(array, dtype=_ID).tobytes())
    for block in vectors:
        file.write(block.astype(_VECTOR).tobytes())


def read_index(file: Path) -> tuple[IndexHeader, IndexArrays]:
    """Return the header of an index, and its arrays, mapped read only.

    Raises InvalidInputError if the file is damaged, has another layout, or cannot be read.
    """
    try:
        opened = file.open("rb")
    except OSError as error:
        raise InvalidInputError(f"{file.name} cannot be read ({error.strerror})") from error
    with opened:
        header = _checked_header(file, opened)

        def mapped(dtype: np.dtype[Any], place: int, *shape: int) -> npt.NDArray[Any]:
            if not all(shape):  # an empty array cannot be mapped
                return np.empty(shape, dtype=dtype)
            return np.memmap(opened, dtype, "r", place, shape)

        ids, starts, around, vectors, _ = header.places
        arrays = IndexArrays(
            mapped(_ID, ids, header.triples, 3),
            mapped(_ID, starts, header.entities + 1),
            mapped(_ID, around, header.triples * 2),
            mapped(_VECTOR, vectors, header.triples, header.dimension),
        )
    if (arrays.starts[0], arrays.starts[-1]) != (0, header.triples * 2):
        raise InvalidInputError(f"{file.name} is damaged: it does not list the triples of all entities")
    return header, arrays


def check_arrays(file: Path, header: IndexHeader, arrays: IndexArrays) -> None:
    """Read all arrays of an index; raise InvalidInputError if its lists contradict each other, or it lacks vectors."""
    ids = arrays.ids
    is_listed = ids.min(initial=0) >= 0 and entities_in(ids) == header.entities
    if not is_listed or not all(map(np.array_equal, (arrays.starts, arrays.around), triples_by_entity(ids))):
        raise InvalidInputError(f"{file.name} is damaged: it does not list the triples of all entities")
    if not _have_length_one(arrays.vectors):
        raise InvalidInputError(f"{file.name} is damaged: some of its vectors are not of length 1")


def _have_length_one(vectors: npt.NDArray[np.floating]) -> bool:
    with np.errstate(all="ignore"):  # damaged vectors may hold anything
        for start in range(0, len(vectors), _ROWS_PER_CHECK):
            lengths = np.linalg.norm(vectors[start : start + _ROWS_PER_CHECK].astype(np.float32), axis=1)
            if not np.allclose(lengths, 1, atol=_MOST_ROUNDED):
                return False
    return True


def _checked_header(file: Path, opened: BinaryIO) -> IndexHeader:
    try:
        header = IndexHeader.model_validate_json(opened.read(_HEADER_BYTES))
    except ValidationError as error:
        raise InvalidInputError(f"{file.name} is damaged, or an index of another version of kgqa") from error
    *_, expected = header.places
    if (size := os.fstat(opened.fileno()).st_size) != expected:
        raise InvalidInputError(f"{file.name} is damaged: it has {size:,} bytes instead of {expected:,}")
    return header
