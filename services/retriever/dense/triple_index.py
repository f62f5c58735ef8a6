"""Search the index of a graph file's triples."""

import hashlib
import json
import logging
import sqlite3
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from services.retriever.dense.index_file import IndexArrays, MappedFile, read_index
from services.retriever.dense.similarity import ROWS_PER_BLOCK, best_rows, similarities
from services.retriever.planning.plan_manifest import BASE_MODEL
from services.retriever.prediction.encoder import ENCODER_FILE, TOKENIZER_FILE, Encoder, OnnxEncoder
from services.retriever.prediction.sentence_vectors import sentence_vectors
from shared.errors import DependencyError, InvalidInputError, KGQAError, NotFoundError
from shared.graph.opening import is_file_graph
from shared.graph.sqlite.connection import open_checked
from shared.graph.store import Entity
from shared.paths import graph_file, index_file

log = logging.getLogger(__name__)

ENCODER_FOLDER = BASE_MODEL
"""The packaged encoder, so that training a retriever does not outdate the index."""
NEAR_WEIGHT = 0.4
"""The share that the triples around a triple have in its similarity."""
_NAMES = (
    "SELECT s.key, s.name, relations.name, o.key, o.name FROM json_each(?) AS asked "
    "CROSS JOIN entities AS s ON s.id = json_extract(asked.value, '$[0]') "
    "CROSS JOIN relations ON relations.id = json_extract(asked.value, '$[1]') "
    "CROSS JOIN entities AS o ON o.id = json_extract(asked.value, '$[2]') ORDER BY asked.key"
)


@dataclass(frozen=True, slots=True)
class FoundTriple:
    """Hold a triple, and its mean similarity to the queries, from -1 to 1."""

    subject: Entity
    relation: str
    object: Entity
    similarity: float


class TripleIndex:
    """Search triples by text. Safe for concurrent use."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        arrays: IndexArrays,
        encoder: Encoder,
        near_weight: float = NEAR_WEIGHT,
        file: MappedFile | None = None,
    ) -> None:
        """Search the triples of the graph file behind `connection`, which the index closes.

        `file` is the one that the arrays are mapped from, if any.
        """
        self._connection = connection
        self._lock = threading.Lock()
        self._arrays = arrays
        self._encoder = encoder
        self._near_weight = near_weight
        self._file = file

    def search(self, queries: Sequence[str], k: int) -> list[FoundTriple]:
        """Return the `k` triples whose similarity to all queries together is highest, best first.

        Raises DependencyError if the graph file cannot be read, or the index is damaged.
        """
        ids, near, vectors = self._arrays
        encoded = sentence_vectors(self._encoder, queries)
        if self._file is not None and self._file.is_cut_off():
            raise self._damaged()
        try:
            scores = similarities(vectors, near, encoded, self._near_weight, ROWS_PER_BLOCK)
        except IndexError as error:
            raise self._damaged() from error
        rows = best_rows(scores, k)
        named = self._named(ids[rows].tolist())
        if len(named) < len(rows) or not np.isfinite(scores).all():
            raise self._damaged()
        return [
            FoundTriple(Entity(*names[:2]), names[2], Entity(*names[3:]), float(score))
            for names, score in zip(named, scores[rows], strict=True)
        ]

    def close(self) -> None:
        """Close the graph file."""
        with self._lock:
            self._connection.close()

    def _damaged(self) -> DependencyError:
        name = self._file.name if self._file else "its file"
        problem = f"the index of the graph's triples is damaged; remove {name}, and build it again with kgqa index"
        return DependencyError(problem, problem)

    def _named(self, ids: list[list[int]]) -> list[tuple[str, ...]]:
        """Return the keys and names in some triples."""
        try:
            with self._lock:
                return self._connection.execute(_NAMES, (json.dumps(ids),)).fetchall()
        except sqlite3.Error as error:
            detail = f"the indexed graph cannot be read ({error}); import it again"
            raise DependencyError(detail, "the graph cannot be read") from error


def encoder_fingerprint(folder: Path = ENCODER_FOLDER) -> str:
    """Return a hash of an encoder's files, which changes whenever its vectors may."""
    content = hashlib.sha256()
    for name in (ENCODER_FILE, TOKENIZER_FILE):
        content.update((folder / name).read_bytes())
    return content.hexdigest()[:16]


def open_index(graph: str) -> TripleIndex:
    """Open the index of a graph file.

    Raises:
        NotFoundError: The graph has no index.
        InvalidInputError: The index is damaged, or does not belong to this graph or encoder.
    """
    remedy = f"with: kgqa index --graph {graph}"
    if not is_file_graph():
        raise InvalidInputError("it needs a graph file, into which kgqa import copies a database")
    file = index_file(graph)
    if not file.is_file():
        raise NotFoundError(f"it needs an index of the triples; build one {remedy}")
    try:
        mapped = MappedFile(file)
        header, arrays = read_index(file)
    except InvalidInputError as error:
        raise InvalidInputError(f"{error.detail}; build it again {remedy}") from error
    if header.encoder != encoder_fingerprint():
        raise InvalidInputError(f"its index was built with another encoder; build it again {remedy}")
    connection, version = open_checked(graph_file(graph))
    if header.graph_version != version:
        connection.close()
        raise InvalidInputError(f"its index was built from another version of the graph; build it again {remedy}")
    return TripleIndex(connection, arrays, OnnxEncoder(ENCODER_FOLDER), file=mapped)


def open_index_if_any(graph: str) -> TripleIndex | str:
    """Open the index of a graph file, or return why it cannot be used and what to do."""
    try:
        return open_index(graph)
    except KGQAError as error:
        if is_file_graph() and index_file(graph).exists():
            log.warning("the index %s is not used: %s", index_file(graph), error.detail)
        return error.detail
