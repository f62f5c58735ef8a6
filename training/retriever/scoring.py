"""Score a predictor (the network or the exported model) on validation questions."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from services.retriever.encoder.encoder import Vectors
from services.retriever.paths.model import RetrieverModel
from services.retriever.paths.relation_scorer import softmax
from training.retriever.examples import MaskedQuestion

# Maps questions to the logits for each choice along the gold path, [n, H + 1, R + 1]. The last column holds the logit
# of stopping.
Predictor = Callable[[Sequence[MaskedQuestion]], Vectors]
Columns = np.ndarray[tuple[int, ...], np.dtype[np.int64]]
Mask = np.ndarray[tuple[int, ...], np.dtype[np.bool_]]
MIN_PROBABILITY = 1e-9
MASKED_LOGIT = -1e9
_F1_TOLERANCE = 0.01


@dataclass(frozen=True, slots=True)
class PathScores:
    """Hold the shares of questions with the right number of hops and with the right path, and the mean loss.

    A path is right if every choice along the gold path is right, given the allowed steps and the gold path so far, that
    is, if greedy search finds the gold path. The loss is the negative log-likelihood of the gold path.
    """

    hops: float
    paths: float
    loss: float

    @property
    def right(self) -> float:
        """Return the share of questions with the right path."""
        return self.paths


@dataclass(frozen=True, slots=True)
class ClassifierScores:
    """Hold the share of examples with the right class, and the mean loss."""

    right: float
    loss: float


class PathTable:
    """Convert paths to arrays with one column per step and a last column for stopping."""

    def __init__(self, steps: Sequence[str], max_hops: int) -> None:
        self.stop = len(steps)
        self.max_hops = max_hops
        self._columns = {step: column for column, step in enumerate(steps)}

    def gold_steps(self, questions: Sequence[MaskedQuestion]) -> Columns:
        """Return the columns of each gold path's steps, [n, H], padded with 0."""
        columns = self.targets(questions, ignored=0)[:, :-1]
        return np.where(columns == self.stop, 0, columns)

    def targets(self, questions: Sequence[MaskedQuestion], ignored: int) -> Columns:
        """Return the right column for each choice along the gold paths, [n, H + 1], padded with `ignored`."""
        targets = np.full((len(questions), self.max_hops + 1), ignored, dtype=np.int64)
        for row, question in enumerate(questions):
            chosen = [*(self._columns[step] for step in question.path), self.stop][: self.max_hops]
            targets[row, : len(chosen)] = chosen
        return targets

    def allowed(self, questions: Sequence[MaskedQuestion]) -> Mask:
        """Return which columns each choice may take, [n, H + 1, R + 1]; if this is unknown, return all of them."""
        allowed = np.ones((len(questions), self.max_hops + 1, self.stop + 1), dtype=bool)
        for row, question in enumerate(questions):
            for place, steps in enumerate(question.gold.allowed[: self.max_hops]):
                allowed[row, place, :-1] = self.mask(steps)
        return allowed

    def mask(self, steps: frozenset[str]) -> Mask:
        """Return a mask of the steps in a set, [R]."""
        mask = np.zeros(self.stop, dtype=bool)
        mask[[self._columns[step] for step in steps if step in self._columns]] = True
        return mask


def score_paths(questions: Sequence[MaskedQuestion], table: PathTable, predict: Predictor) -> PathScores:
    """Score a predictor; each question counts as many times as it occurs in the file.

    If weak supervision found the path of a question, each of the question's best candidates counts as right.
    """
    pairs = [(owner, reading) for owner, question in enumerate(questions) for reading in _right_readings(question)]
    owners = np.array([owner for owner, _ in pairs])
    readings = [reading for _, reading in pairs]
    logits = allowed_logits(readings, table, predict)
    targets = table.targets(readings, ignored=-1)
    ignored = targets < 0
    chosen = logits.argmax(axis=2)
    right = ((chosen == targets) | ignored).all(axis=1)
    hops_right = (((chosen == table.stop) == (targets == table.stop)) | ignored).all(axis=1)
    best = [np.full(len(questions), worst) for worst in (0.0, 0.0, -np.inf)]
    for scores, values in zip(best, (hops_right, right, log_likelihoods(logits, targets)), strict=True):
        np.maximum.at(scores, owners, values.astype(float))
    counts = np.array([question.count for question in questions])
    hops, paths, likelihood = (float(scores @ counts / counts.sum()) for scores in best)
    return PathScores(hops, paths, -likelihood)


def allowed_logits(questions: Sequence[MaskedQuestion], table: PathTable, predict: Predictor) -> Vectors:
    """Return a predictor's logits, with a very low logit for each step that is not allowed."""
    return np.where(table.allowed(questions), predict(questions), MASKED_LOGIT)


def log_likelihoods(logits: Vectors, targets: Columns) -> Vectors:
    """Return the log-likelihood of each gold path, [n]; targets of -1 are ignored."""
    chances = np.take_along_axis(softmax(logits), np.maximum(targets, 0)[:, :, None], axis=2)[:, :, 0]
    return np.asarray(np.where(targets >= 0, np.log(np.maximum(chances, MIN_PROBABILITY)), 0.0).sum(axis=1))


def agreement(questions: Sequence[MaskedQuestion], table: PathTable, one: Predictor, other: Predictor) -> float:
    """Return the share of choices on which two predictors agree."""
    choices = [allowed_logits(questions, table, predict).argmax(axis=2) for predict in (one, other)]
    return float((choices[0] == choices[1])[table.targets(questions, ignored=-1) >= 0].mean())


def served_predictor(model: RetrieverModel, table: PathTable) -> Predictor:
    """Return a predictor that runs the exported model."""

    def predict(questions: Sequence[MaskedQuestion]) -> Vectors:
        encoded = model.scorer.prepare(model.encoder.encode([question.text for question in questions]))
        topic_steps = np.stack([table.mask(question.topic_steps) for question in questions]).astype(np.float32)
        gold_steps = table.gold_steps(questions)
        states = model.scorer.initial_states(encoded, topic_steps)
        logits = []
        for hop in range(table.max_hops + 1):
            logits.append(model.scorer.logits(encoded, range(len(questions)), states))
            if hop < table.max_hops:
                states = model.scorer.advance(states, gold_steps[:, hop].tolist())
        return np.stack(logits, axis=1)

    return predict


def _right_readings(question: MaskedQuestion) -> list[MaskedQuestion]:
    best = max((gold.f1 for gold in question.candidates), default=0.0)
    right = [gold.relations for gold in question.candidates if gold.f1 >= best - _F1_TOLERANCE]
    return [question.with_path(path) for path in right] or [question]
