"""Index the triples of a graph file by the vectors of their sentences (Bridging the Gap).

The paper encodes a triple and the triples around it as one text. With an encoder that was not trained for that, the
vectors of all triples around an entity become nearly equal, and long texts take three times as long. Here, each triple
is encoded alone, and the index lists the triples of each entity, so that a search compares those around a triple, too.
"""

import os
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path

import numpy as np

from graph.opening import indexed_file
from graph.sqlite.connection import open_checked
from ingestion.atomic_write import atomic_write
from services.retriever.dense.dense_encoder import encoder_fingerprint, encoder_folder
from services.retriever.dense.index_file import (
    IndexHeader,
    TripleIds,
    check_arrays,
    entities_in,
    read_index,
    write_index,
)
from services.retriever.encoder.encoder import Encoder, OnnxEncoder, Vectors
from services.retriever.encoder.sentence_vectors import sentence_vectors
from shared.errors import InvalidInputError
from shared.paths import index_file
from shared.triple import Triple
from texts.verbalise.template import as_sentences

_TEXTS_PER_CALL = 512
"""The encoder batches texts of similar length, for which it needs many at once."""

Progress = Callable[[int, int], None]


class GraphTriples:
    """Hold the triples of a graph file in memory, in a fixed order."""

    def __init__(self, file: Path) -> None:
        """Read a graph file; raise NotFoundError if it is missing, and InvalidInputError if it is not a graph file."""
        connection, self.version = open_checked(file)
        with closing(connection):
            rows = connection.execute("SELECT s, r, o FROM triples ORDER BY s, r, id")
            self.ids: TripleIds = np.fromiter(rows, dtype=np.dtype((np.int32, 3)))
            self._names = dict(connection.execute("SELECT id, name FROM entities"))
            self.relations: dict[int, str] = dict(connection.execute("SELECT id, name FROM relations"))

    def triple(self, row: int) -> Triple:
        """Return a triple by its place."""
        subject, relation, object_ = self.ids[row].tolist()
        return Triple(self._names[subject], self.relations[relation], self._names[object_])

    def sentence(self, row: int) -> str:
        """Return a triple as a sentence."""
        return as_sentences([self.triple(row)])


def index_graph(graph: str, progress: Progress, encoder: Encoder | None = None) -> bool:
    """Write the index of a graph, which replaces the old one when it is complete; return False if that is current.

    Args:
        graph: The name of the graph.
        progress: Receives the number of triples that are indexed, and of all.
        encoder: The encoder; by default, the graph's trained one or else the packaged one, with all processors.

    Raises:
        NotFoundError: There is no such graph, or no snapshot of its database.
        InvalidInputError: The graph file is damaged.
    """
    indexed = indexed_file(graph)
    triples = GraphTriples(indexed)
    folder = encoder_folder(graph)
    fingerprint = encoder_fingerprint(folder)
    if _is_current(index_file(indexed), triples, fingerprint):
        return False
    encoder = encoder or OnnxEncoder(folder, threads=len(os.sched_getaffinity(0)))
    header = IndexHeader(
        graph_version=triples.version,
        encoder=fingerprint,
        triples=len(triples.ids),
        entities=entities_in(triples.ids),
        dimension=sentence_vectors(encoder, [""]).shape[1],
    )
    with atomic_write(index_file(indexed), is_private=True) as unfinished, unfinished.open("wb") as file:
        write_index(file, header, triples.ids, _vectors(encoder, triples, progress))
    return True


def _vectors(encoder: Encoder, triples: GraphTriples, progress: Progress) -> Iterator[Vectors]:
    """Yield the vectors of all triples, block by block."""
    total = len(triples.ids)
    for start in range(0, total, _TEXTS_PER_CALL):
        end = min(start + _TEXTS_PER_CALL, total)
        yield sentence_vectors(encoder, [triples.sentence(row) for row in range(start, end)])
        progress(end, total)


def _is_current(file: Path, triples: GraphTriples, encoder: str) -> bool:
    with suppress(InvalidInputError, FileNotFoundError):
        header, arrays = read_index(file)
        if (header.graph_version, header.encoder) != (triples.version, encoder):
            return False
        check_arrays(file, header, arrays)
        return np.array_equal(arrays.ids, triples.ids)
    return False
