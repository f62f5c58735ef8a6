"""Relation path prediction: K^h paths of h relations, an encoder call for each at every step (RRA eq. 8-15).

Nothing here asks the graph: paths that it does not have are dropped when they are walked.
"""

import asyncio
from collections.abc import Sequence

import numpy as np

from services.retriever.prediction.paper.hops import hop_number, hop_probabilities
from services.retriever.prediction.paper.model import PaperModel
from services.retriever.prediction.path_predictor import Asked, PredictedPath, Reading
from shared.graph.store import RelationPath
from shared.text import readable


def step_input(question: str, path: RelationPath) -> str:
    """Q_t = `q|r_1|...|r_(t-1)` (eq. 10 and 11); relations in words, which is what a language model knows."""
    return "|".join([question, *(readable(step) for step in path)])


def predict_relation_paths(model: PaperModel, question: str, hops: int, beam: int) -> list[PredictedPath]:
    """The K^h relation paths of `hops` = h relations, best first; `beam` is K.

    Step t encodes the K^(t-1) paths so far (eq. 12) and keeps of each the K most probable next relations (eq. 8, 9,
    13, 14), all R where there are fewer. A path's score is the product of their probabilities (eq. 15).
    """
    kept = [PredictedPath((), 1.0)]
    for _ in range(hops):
        probabilities = model.steps.probabilities([step_input(question, path.relations) for path in kept])
        kept = [
            PredictedPath((*path.relations, model.manifest.steps[column]), path.score * float(row[column]))
            for path, row in zip(kept, probabilities, strict=True)
            for column in np.argsort(-row, kind="stable")[:beam]
        ]
    return sorted(kept, key=lambda path: -path.score)


class PaperPathFinder:
    """Finds relation paths for questions as they were asked; safe for concurrent use."""

    def __init__(self, model: PaperModel) -> None:
        self._model = model

    async def read(self, asked: Sequence[Asked], width: int) -> list[Reading]:
        """A reading of each question, of the argmax hop number, with `width` as K; the same for all its topics."""
        with_topic = {one.question for one in asked if one.topic}
        readings = {
            question: await asyncio.to_thread(self._reading, question, question in with_topic, width)
            for question in dict.fromkeys(one.question for one in asked)
        }
        return [readings[one.question] if one.topic else Reading(readings[one.question].hops, 0.0, ()) for one in asked]

    def _reading(self, question: str, has_topic: bool, width: int) -> Reading:
        probabilities = hop_probabilities(self._model, question)
        hops = hop_number(probabilities)
        paths = predict_relation_paths(self._model, question, hops, width) if has_topic else []
        return Reading((0.0, *map(float, probabilities)), 0.0, tuple(paths))
