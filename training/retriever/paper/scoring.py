"""What is learnt of a question, and how much of it a predictor gets right: the network or the exported model."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from services.retriever.prediction.encoder import Vectors
from services.retriever.prediction.paper.hop_and_path_prediction import step_input
from training.retriever.paper.dataset import ToldQuestion
from training.retriever.scoring import Flags, PathScores

# Texts to the probabilities of all classes, [n, classes].
Predictor = Callable[[Sequence[str]], Vectors]
UNKNOWN = -1
_SMALLEST = 1e-9


@dataclass(frozen=True, slots=True)
class Example:
    """A text, and the class that it belongs to; `UNKNOWN` for one that training does not have."""

    text: str
    target: int


@dataclass(frozen=True, slots=True)
class ClassifierScores:
    """The share of examples classified right, and their mean negative log-likelihood."""

    right: float
    loss: float


def hop_examples(questions: Sequence[ToldQuestion], max_hops: int) -> list[Example]:
    """The hop number of each question, h - 1 as the class (RRA eq. 5 and 6)."""
    return [
        Example(question.text, len(question.path) - 1 if len(question.path) <= max_hops else UNKNOWN)
        for question in questions
    ]


def step_examples(questions: Sequence[ToldQuestion], steps: Sequence[str]) -> list[Example]:
    """Every relation of each gold path after the gold path's beginning: teacher forcing."""
    columns = {step: column for column, step in enumerate(steps)}
    return [
        Example(step_input(question.text, question.path[:place]), columns.get(step, UNKNOWN))
        for question in questions
        for place, step in enumerate(question.path)
    ]


def score_examples(examples: Sequence[Example], predict: Predictor) -> ClassifierScores:
    """Score one classifier."""
    right, losses = _judged(examples, predict)
    return ClassifierScores(float(right.mean()), float(losses.mean()))


def score_told(
    questions: Sequence[ToldQuestion], steps: Sequence[str], max_hops: int, hop: Predictor, step: Predictor
) -> PathScores:
    """Score both classifiers; a path is right if its hop number and each of its relations is the most probable.

    Unlike in served mode they are the most probable of all, not of those that the graph has there.
    """
    hops_right, hop_losses = _judged(hop_examples(questions, max_hops), hop)
    right, losses = _judged(step_examples(questions, steps), step)
    starts = np.cumsum([0, *(len(question.path) for question in questions[:-1])])
    paths_right = hops_right & np.logical_and.reduceat(right, starts)
    path_losses = hop_losses + np.add.reduceat(losses, starts)
    return PathScores(float(hops_right.mean()), float(paths_right.mean()), float(path_losses.mean()))


def classifier_agreement(texts: Sequence[str], one: Predictor, other: Predictor) -> float:
    """The share of texts that two predictors classify alike."""
    return float((one(texts).argmax(axis=1) == other(texts).argmax(axis=1)).mean())


def _judged(examples: Sequence[Example], predict: Predictor) -> tuple[Flags, Vectors]:
    """Whether each example is right, and its negative log-likelihood."""
    probabilities = predict([example.text for example in examples])
    targets = np.array([example.target for example in examples])
    chances = np.where(targets == UNKNOWN, 0.0, probabilities[np.arange(len(targets)), targets])
    return probabilities.argmax(axis=1) == targets, -np.log(np.maximum(chances, _SMALLEST)).astype(np.float32)
