"""Retrieve as KAPING does: single triples around the topic entities, ranked by similarity, without training.

The paper gives the triples to a language model. Without one, the other end of the most similar triple is the answer.
"""

import asyncio
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass

import numpy as np

from graph.sqlite.connection import connect
from language.question import Question
from services.retriever.dense.index_file import read_index
from services.retriever.dense.similarity import best_rows
from services.retriever.encoder.encoder import Encoder
from services.retriever.encoder.sentence_vectors import sentence_vectors
from services.retriever.linking.linker import EntityLinker
from services.retriever.linking.selection import LinkedTopic
from shared.paths import graph_file, index_file
from shared.triple import Triple
from training.dense.triple_index import GraphTriples

TRIPLES = 10
"""The number of triples to retrieve, the paper's K."""


def read_entities(graph: str) -> list[tuple[int, str, str]]:
    """Return the number, the ID, and the name of each entity in a graph file."""
    with closing(connect(graph_file(graph))) as connection:
        return connection.execute("SELECT id, key, name FROM entities").fetchall()


@dataclass(frozen=True, slots=True)
class KapingReply:
    """Hold the triples as sentences, most similar first, and the answers."""

    sentences: Sequence[str]
    answers: Sequence[str]


class Kaping:
    """Rank the indexed triples around the linked entities of a question."""

    def __init__(self, graph: str, linker: EntityLinker, encoder: Encoder) -> None:
        """Read the triples of a graph file that has an index."""
        _, self._arrays = read_index(index_file(graph_file(graph)))
        self._triples = GraphTriples(graph_file(graph))
        self._ends = np.asarray(self._arrays.ids[:, [0, 2]])
        entities = read_entities(graph)
        self._rows = {key: row for row, key, _ in entities}
        self._names = {row: name for row, _, name in entities}
        self._linker = linker
        self._encoder = encoder

    async def answer(self, question: Question) -> KapingReply:
        """Answer a question; without a linked entity, there is no answer."""
        topics = [self._rows[topic.entity.id] for topic in await self._linker.link(question)]
        return await asyncio.to_thread(self._answer, question, topics)

    async def triples(self, question: Question, topics: Sequence[LinkedTopic]) -> list[Triple]:
        """Return the most similar triples around topic entities, best first."""
        rows = await asyncio.to_thread(self._best, question, [self._rows[topic.entity.id] for topic in topics])
        return [self._triples.triple(row) for row in rows]

    def _best(self, question: Question, topics: Sequence[int]) -> list[int]:
        around = np.flatnonzero(np.isin(self._ends, topics).any(axis=1))
        [query] = sentence_vectors(self._encoder, [question.text])
        scores = self._arrays.vectors[around].astype(np.float32) @ query
        best: list[int] = around[best_rows(scores, TRIPLES)].tolist()
        return best

    def _answer(self, question: Question, topics: Sequence[int]) -> KapingReply:
        rows = self._best(question, topics)
        sentences = [self._triples.sentence(row) for row in rows]
        ends = [end for row in rows[:1] for end in self._ends[row].tolist() if end not in topics]
        return KapingReply(sentences, [self._names[end] for end in ends])
