"""Predict the hop number (RRA eq. 1-4), then K^h relation paths of that length (eq. 8-15).

Every step takes one encoder call. The graph is not consulted; paths that do not exist are dropped when they are walked.
`training.retriever.paper` trains both classifiers (eq. 5-7).
"""

import asyncio
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from graph.store import RelationPath
from services.retriever.encoder.encoder import Vectors
from services.retriever.paths.paper.model import PaperModel
from services.retriever.paths.path_predictor import PathPrediction, PathQuery, PredictedPath
from shared.text import readable


def hop_probabilities(model: PaperModel, question: str) -> Vectors:
    """Return the hop probabilities of an unmasked question, P(h) for h = 1..H, [H] (eq. 1-3)."""
    return model.hops.probabilities([question]).reshape(-1)


def hop_number(probabilities: Vectors) -> int:
    """Return the most probable hop number (eq. 4)."""
    return int(probabilities.argmax()) + 1


def step_input(question: str, path: RelationPath) -> str:
    """Return Q_t = `q|r_1|...|r_(t-1)` (eq. 10 and 11), with relation names written as ordinary words."""
    return "|".join([question, *(readable(step) for step in path)])


def predict_relation_paths(model: PaperModel, question: str, hops: int, beam_width: int) -> list[PredictedPath]:
    """Predict K^h relation paths of h = `hops` relations, best first, where K is `beam_width`.

    Step t encodes the K^(t-1) paths so far (eq. 12) and extends each by its K most probable relations (eq. 8, 9, 13,
    14), or by all R relations if R < K. A path's score is the product of its relations' probabilities (eq. 15).
    """
    kept = [PredictedPath((), 1.0)]
    for _ in range(hops):
        probabilities = model.steps.probabilities([step_input(question, path.relations) for path in kept])
        kept = [
            PredictedPath((*path.relations, model.manifest.steps[column]), path.score * float(row[column]))
            for path, row in zip(kept, probabilities, strict=True)
            for column in np.argsort(-row, kind="stable")[:beam_width]
        ]
    return sorted(kept, key=lambda path: -path.score)


class PaperPathPredictor:
    """Implement `PathPredictor` in paper mode, which reads unmasked questions."""

    def __init__(self, model: PaperModel) -> None:
        self._model = model

    async def predict(self, queries: Sequence[PathQuery], beam_width: int) -> list[PathPrediction]:
        """Predict paths with the most probable number of hops; all topics of a question share one prediction."""
        with_topic = {query.question for query in queries if query.topic}
        predictions = {
            question: await asyncio.to_thread(self._predict, question, question in with_topic, beam_width)
            for question in dict.fromkeys(query.question for query in queries)
        }
        return [
            predictions[query.question] if query.topic else replace(predictions[query.question], paths=())
            for query in queries
        ]

    def _predict(self, question: str, has_topic: bool, beam_width: int) -> PathPrediction:
        probabilities = hop_probabilities(self._model, question)
        hops = hop_number(probabilities)
        paths = predict_relation_paths(self._model, question, hops, beam_width) if has_topic else []
        return PathPrediction((0.0, *map(float, probabilities)), 0.0, tuple(paths))
