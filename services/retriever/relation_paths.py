"""Relation path prediction: a beam of relation paths for a question (RRA, section 4.1.1, eq. 8-15)."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from services.retriever.model import Query, RetrieverModel
from shared.encoder import Vectors
from shared.graph.store import RelationPath
from shared.text import readable

# A path whose score is below this share of its step's best is dropped before the next step: the paper keeps K^h
# paths, nearly all of them hopeless, and every one kept costs an encoder call.
MIN_SHARE = 1e-3


@dataclass(frozen=True, slots=True)
class PredictedPath:
    """A relation path; `score` is the product of its relations' probabilities (eq. 15)."""

    relations: RelationPath
    score: float


def step_input(question: str, path: RelationPath) -> str:
    """The encoder's input at step t: `q|r1|...|r(t-1)` (eq. 11), relations as words, so that their meaning helps."""
    return " | ".join([question, *(readable(step) for step in path)])


def predict_relation_paths(
    model: RetrieverModel,
    questions: Sequence[Query],
    question_vectors: Vectors,
    lengths: Sequence[frozenset[int]],
    beam: int,
    min_share: float = MIN_SHARE,
) -> list[list[PredictedPath]]:
    """For each masked question its relation paths of the wanted lengths, best first.

    `question_vectors`, one row a question, are the encodings that hop prediction has made already: step 1 reads the
    same input (eq. 1 and 8). Each later step encodes the paths so far of all questions in one call. Every path keeps
    its `beam` best next relations (K of the paper), so up to K^h paths of h relations; the first is chosen among those
    that the topic has.
    """
    found: list[list[PredictedPath]] = [[] for _ in questions]
    kept: list[list[PredictedPath]] = [[PredictedPath((), 1.0)] for _ in questions]
    vectors = question_vectors
    for step in range(1, max((max(wanted, default=0) for wanted in lengths), default=0) + 1):
        if step > 1:
            vectors = _encode(model, questions, kept)
        probabilities = model.step_probabilities(vectors)
        if step == 1:
            probabilities = _of_topic(model, questions, probabilities)
        kept = _extend(model, kept, probabilities, beam, min_share)
        for index, wanted in enumerate(lengths):
            if step in wanted:
                found[index] += kept[index]
            if step >= max(wanted, default=0):
                kept[index] = []
    return [sorted(paths, key=lambda path: -path.score) for paths in found]


def _of_topic(model: RetrieverModel, questions: Sequence[Query], probabilities: Vectors) -> Vectors:
    """0 for steps that the topic does not have.

    The others keep their probabilities: that the graph lacks what was most likely meant must show in the score.
    """
    has = [[step in question.topic_steps for step in model.steps] for question in questions]
    return np.where(np.array(has, dtype=bool).reshape(probabilities.shape), probabilities, np.float32(0.0))


def _encode(model: RetrieverModel, questions: Sequence[Query], kept: list[list[PredictedPath]]) -> Vectors:
    inputs = [
        Query(step_input(question.text, path.relations), question.topic_steps)
        for question, paths in zip(questions, kept, strict=True)
        for path in paths
    ]
    return model.encode(inputs)


def _extend(
    model: RetrieverModel, kept: list[list[PredictedPath]], probabilities: Vectors, beam: int, min_share: float
) -> list[list[PredictedPath]]:
    """Each path by its `beam` most probable relations; `probabilities` has one row a path, in order of questions."""
    rows = iter(probabilities)
    extended = []
    for paths in kept:
        longer = []
        for path in paths:
            row = next(rows)
            best = np.argsort(-row, kind="stable")[:beam]
            longer += [
                PredictedPath((*path.relations, model.steps[index]), path.score * float(row[index])) for index in best
            ]
        floor = min_share * max((path.score for path in longer), default=0.0)
        extended.append([path for path in longer if path.score >= floor and path.score > 0])
    return extended
