"""Search the index of a graph file's triples."""

import json
import logging
import sqlite3
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from graph.opening import indexed_file
from graph.sqlite.connection import open_checked
from graph.store import INVERSE, Entity, RelationPath
from language.mentions import Mention
from services.retriever.dense.dense_encoder import (
    DenseEncoder,
    encoder_fingerprint,
    encoder_folder,
    read_dense_manifest,
)
from services.retriever.dense.index_file import IndexArrays, MappedFile, check_arrays, read_index
from services.retriever.dense.path_search import HopQueries, Steps, search_around
from services.retriever.dense.similarity import ROWS_PER_BLOCK, best_rows, similarities
from services.retriever.encoder.encoder import OnnxEncoder, Vectors
from services.retriever.encoder.sentence_vectors import sentence_vectors
from shared.errors import DependencyError, InvalidInputError, KGQAError, NotFoundError
from shared.paths import index_file

log = logging.getLogger(__name__)

NEAR_WEIGHT = 0.4
"""The share that the triples around a triple have in its similarity, where the whole graph is searched."""
_NAMES = (
    "SELECT s.key, s.name, relations.name, o.key, o.name FROM json_each(?) AS asked "
    "CROSS JOIN entities AS s ON s.id = json_extract(asked.value, '$[0]') "
    "CROSS JOIN relations ON relations.id = json_extract(asked.value, '$[1]') "
    "CROSS JOIN entities AS o ON o.id = json_extract(asked.value, '$[2]') ORDER BY asked.key"
)
_ENTITIES = "SELECT key, id FROM entities WHERE key IN (SELECT value FROM json_each(?))"


@dataclass(frozen=True, slots=True)
class FoundTriple:
    """Hold a triple, and its similarity to the queries together with the triples around it, from -1 to 1."""

    subject: Entity
    relation: str
    object: Entity
    similarity: float


@dataclass(frozen=True, slots=True)
class FoundPath:
    """Hold a relation path, the place of the topic entity that it starts from, and its similarity, from -1 to 1."""

    start: int
    relations: RelationPath
    similarity: float


@dataclass(frozen=True, slots=True)
class Topic:
    """Hold a topic entity to search around.

    Attributes:
        id: The id of the entity.
        mention: Where the question mentions it, if anywhere.
        excluded: The ids of entities that the question names elsewhere, which are no answers.
    """

    id: str
    mention: Mention | None = None
    excluded: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class SearchResult:
    """Hold the most similar triples and relation paths, best first."""

    triples: Sequence[FoundTriple]
    paths: Sequence[FoundPath]


class TripleIndex:
    """Search triples by text. Safe for concurrent use."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        arrays: IndexArrays,
        encoder: DenseEncoder,
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

    def search(self, queries: Sequence[str], k: int, topics: Sequence[Topic] = ()) -> SearchResult:
        """Return the `k` best triples around the topic entities, and the relation paths that triples there form.

        Without a topic entity, the triples are those of the whole graph, and there are no paths.

        Raises DependencyError if the graph file cannot be read, or the index is damaged.
        """
        if self._file is not None and self._file.is_cut_off():
            raise self._damaged()
        try:
            with np.errstate(invalid="ignore"):  # damaged vectors may hold NaN, which shows in the scores
                return self._search_around(queries, k, topics) if topics else self._search_all(queries, k)
        except (IndexError, KeyError, ValueError, OverflowError) as error:
            raise self._damaged() from error

    @property
    def is_trained(self) -> bool:
        """Return whether the encoder was trained for the graph."""
        return self._encoder.is_trained

    def close(self) -> None:
        """Close the graph file."""
        with self._lock:
            self._connection.close()

    def _damaged(self) -> DependencyError:
        problem = "the index of the graph's triples is damaged; build it again with kgqa index"
        return DependencyError(problem, problem)

    def _checked(self, scores: Vectors) -> Vectors:
        """Return scores; raise DependencyError if the vectors behind them are no numbers."""
        if not np.isfinite(scores).all():
            raise self._damaged()
        return scores

    def _search_all(self, queries: Sequence[str], k: int) -> SearchResult:
        encoded = sentence_vectors(self._encoder.encoder, queries)
        scores = self._checked(similarities(self._arrays, encoded, self._near_weight, ROWS_PER_BLOCK))
        rows = best_rows(scores, k)
        return SearchResult(self._triples(rows, scores[rows]), [])

    def _search_around(self, queries: Sequence[str], k: int, topics: Sequence[Topic]) -> SearchResult:
        entities = self._entity_rows(sorted({id_ for topic in topics for id_ in (topic.id, *topic.excluded)}))
        merged: dict[int, float] = {}
        paths: list[FoundPath] = []
        for place, topic in enumerate(topics):
            if (entity := entities.get(topic.id, len(self._arrays.starts))) >= len(self._arrays.starts) - 1:
                continue  # an entity without triples
            excluded = frozenset(entities[other] for other in topic.excluded if other in entities)
            hops = HopQueries(entity, self._encoder.hop_queries(queries, topic.mention), excluded)
            found = search_around(self._arrays, hops, self._encoder.weights)
            for row, score in zip(found.rows.tolist(), self._checked(found.scores).tolist(), strict=True):
                merged[row] = max(score, merged.get(row, score))
            paths += [FoundPath(place, self._named_steps(steps), score) for steps, score in found.paths.items()]
        rows, scores = np.array(list(merged), dtype=np.int64), np.array(list(merged.values()), dtype=np.float32)
        best = best_rows(scores, k)
        return SearchResult(self._triples(rows[best], scores[best]), sorted(paths, key=lambda path: -path.similarity))

    def _triples(self, rows: npt.NDArray[np.int64], scores: Vectors) -> list[FoundTriple]:
        named = self._read(_NAMES, json.dumps(self._arrays.ids[rows].tolist()))
        if len(named) < len(rows):
            raise self._damaged()
        return [
            FoundTriple(Entity(*names[:2]), names[2], Entity(*names[3:]), float(score))
            for names, score in zip(named, scores, strict=True)
        ]

    def _entity_rows(self, ids: Sequence[str]) -> dict[str, int]:
        """Return the row ids of entities by their ids."""
        return dict(self._read(_ENTITIES, json.dumps(ids)))

    def _named_steps(self, steps: Steps) -> RelationPath:
        return tuple(f"{'' if forward else INVERSE}{self._relations[relation]}" for relation, forward in steps)

    @cached_property
    def _relations(self) -> dict[int, str]:
        """The names of the relations by their row ids."""
        return dict(self._read("SELECT id, name FROM relations"))

    def _read(self, query: str, *parameters: str) -> list[Any]:
        try:
            with self._lock:
                return self._connection.execute(query, parameters).fetchall()
        except sqlite3.Error as error:
            detail = f"the indexed graph cannot be read ({error}); import it again"
            raise DependencyError(detail, "the graph cannot be read") from error


def open_index(graph: str) -> TripleIndex:
    """Open the index of a graph.

    Raises:
        NotFoundError: The graph has no index.
        InvalidInputError: The index is damaged, or does not belong to this graph or encoder.
    """
    remedy = f"with: kgqa index --graph {graph}"
    indexed = indexed_file(graph)
    file = index_file(indexed)
    if not file.is_file():
        raise NotFoundError(f"it needs an index of the triples; build one {remedy}")
    try:
        mapped = MappedFile(file)
        header, arrays = read_index(file)
        check_arrays(file, header, arrays)
    except InvalidInputError as error:
        raise InvalidInputError(f"{error.detail}; build it again {remedy}") from error
    folder = encoder_folder(graph)
    manifest = read_dense_manifest(folder, graph)
    if header.encoder != encoder_fingerprint(folder):
        raise InvalidInputError(f"its index was built with another encoder; build it again {remedy}")
    connection, version = open_checked(indexed)
    if header.graph_version != version:
        connection.close()
        raise InvalidInputError(f"its index was built from another version of the graph; build it again {remedy}")
    encoder_ = DenseEncoder(OnnxEncoder(folder), manifest.hops if manifest else None)
    return TripleIndex(connection, arrays, encoder_, file=mapped)


def open_index_if_any(graph: str) -> TripleIndex | str:
    """Open the index of a graph, or return why it cannot be used and what to do."""
    try:
        return open_index(graph)
    except KGQAError as error:
        if (file := index_file(indexed_file(graph))).exists():
            log.warning("the index %s is not used: %s", file, error.detail)
        return error.detail
