"""Retrieve as Sen et al. do: triples around the topic entities, weighed by a distribution over relations per hop.

The paper predicts the distributions with Rigel. Here, they are those of the trained relation paths, so that the
comparison with RRA is one of retrieval, not of training.
"""

import asyncio
from collections.abc import Sequence

import numpy as np

from bench.strategies.kaping import TRIPLES, read_entities
from contracts.base import MAX_BEAM
from evaluation.weighted_triples import best_triples, hop_distributions, triple_weights
from graph.store import GraphStore
from language.question import Question
from services.retriever.linking.selection import LinkedTopic
from services.retriever.paths.beam import BeamPathPredictor
from services.retriever.paths.model import RetrieverModel
from services.retriever.paths.path_predictor import PathPrediction
from services.retriever.replies.path_replies import path_queries
from shared.paths import graph_file
from shared.triple import Triple
from training.dense.triple_index import GraphTriples


class SenTriples:
    """Rank the triples around topic entities."""

    def __init__(self, graph: str, store: GraphStore, model: RetrieverModel) -> None:
        """Read the triples of a graph file, and weigh them with the predictions of a model that was trained for it."""
        self._triples = GraphTriples(graph_file(graph))
        self._rows = {key: row for row, key, _ in read_entities(graph)}
        self._predictor = BeamPathPredictor(store, model)

    async def triples(self, question: Question, topics: Sequence[LinkedTopic]) -> list[Triple]:
        """Return as many triples as KAPING does, highest weight first; none without a topic entity."""
        if not topics:
            return []
        predictions = await self._predictor.predict(path_queries(question, topics), MAX_BEAM)
        rows = await asyncio.to_thread(self._best, topics, predictions)
        return [self._triples.triple(row) for row in rows]

    def _best(self, topics: Sequence[LinkedTopic], predictions: Sequence[PathPrediction]) -> list[int]:
        weights = np.zeros(len(self._triples.ids), dtype=np.float32)
        for topic, prediction in zip(topics, predictions, strict=True):
            start = {self._rows[topic.entity.id]: topic.score}
            hops = hop_distributions(prediction)
            np.maximum(weights, triple_weights(self._triples.ids, self._triples.relations, start, hops), out=weights)
        return best_triples(weights, TRIPLES)
