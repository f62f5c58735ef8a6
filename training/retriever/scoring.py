"""How many validation questions a predictor gets right, whether it is the network or the exported model."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from services.retriever.prediction.encoder import Vectors
from services.retriever.prediction.model import RetrieverModel
from services.retriever.prediction.relation_scorer import softmax
from training.retriever.examples import MaskedQuestion

# Questions to the logits of all steps and, last, of stop, before each step of the gold path: [n, H + 1, steps + 1].
Predictor = Callable[[Sequence[MaskedQuestion]], Vectors]
_SMALLEST = 1e-9
_NOWHERE = -1e9
_TIE = 0.01


@dataclass(frozen=True, slots=True)
class PathScores:
    """Shares of questions with the right hop number, and with the right relation path.

    The path is the greedy one among the steps that exist: with the gold path's beginning given, every choice is right
    exactly if greedy search finds the path. `loss`: mean negative log-likelihood of a question's path.
    """

    hops: float
    paths: float
    loss: float

    @property
    def right(self) -> float:
        """The share of questions with the right path."""
        return self.paths


class PathTable:
    """Gold paths as arrays: what is taken, what should be chosen, and what may be."""

    def __init__(self, steps: Sequence[str], max_hops: int) -> None:
        self.stop = len(steps)
        self.max_hops = max_hops
        self._columns = {step: column for column, step in enumerate(steps)}

    def taken(self, questions: Sequence[MaskedQuestion]) -> "Columns":
        """The columns of each path's steps, [n, H]; 0 after its end."""
        taken = np.zeros((len(questions), self.max_hops), dtype=np.int64)
        for row, question in enumerate(questions):
            for place, step in enumerate(question.path[: self.max_hops]):
                taken[row, place] = self._columns[step]
        return taken

    def targets(self, questions: Sequence[MaskedQuestion], ignored: int) -> "Columns":
        """What to choose before each step, [n, H + 1]; where there is no choice, `ignored`."""
        targets = np.full((len(questions), self.max_hops + 1), ignored, dtype=np.int64)
        for row, question in enumerate(questions):
            chosen = [*(self._columns[step] for step in question.path), self.stop][: self.max_hops]
            targets[row, : len(chosen)] = chosen
        return targets

    def allowed(self, questions: Sequence[MaskedQuestion]) -> "Flags":
        """What may be chosen before each step, [n, H + 1, steps + 1]; anything where the graph was not asked."""
        allowed = np.ones((len(questions), self.max_hops + 1, self.stop + 1), dtype=bool)
        for row, question in enumerate(questions):
            for place, steps in enumerate(question.allowed[: self.max_hops]):
                allowed[row, place, :-1] = self.flags(steps)
        return allowed

    def flags(self, steps: frozenset[str]) -> "Flags":
        """Which steps are in a set, [steps]."""
        flags = np.zeros(self.stop, dtype=bool)
        flags[[self._columns[step] for step in steps if step in self._columns]] = True
        return flags


Columns = np.ndarray[tuple[int, ...], np.dtype[np.int64]]
Flags = np.ndarray[tuple[int, ...], np.dtype[np.bool_]]


def score_paths(questions: Sequence[MaskedQuestion], table: PathTable, predict: Predictor) -> PathScores:
    """Score a predictor; every line of the question file counts once.

    Of a question whose path is found and not told, any of the paths that fit its answers best is right.
    """
    readings = [(owner, reading) for owner, question in enumerate(questions) for reading in _right_readings(question)]
    asked = [reading for _, reading in readings]
    owners = np.array([owner for owner, _ in readings])
    logits = logits_among_allowed(asked, table, predict)
    targets = table.targets(asked, ignored=-1)
    open_ = targets >= 0
    chosen = logits.argmax(axis=2)
    right = ((chosen == targets) | ~open_).all(axis=1)
    stopped_right = (((chosen == table.stop) == (targets == table.stop)) | ~open_).all(axis=1)
    best = [np.full(len(questions), worst) for worst in (0.0, 0.0, -np.inf)]
    for scores, values in zip(best, (stopped_right, right, log_likelihoods(logits, targets)), strict=True):
        np.maximum.at(scores, owners, values.astype(float))
    counts = np.array([question.count for question in questions])
    hops, paths, likelihood = (float(scores @ counts / counts.sum()) for scores in best)
    return PathScores(hops, paths, -likelihood)


def logits_among_allowed(questions: Sequence[MaskedQuestion], table: PathTable, predict: Predictor) -> Vectors:
    """What a predictor says, with steps that do not exist where they would be taken out of the question."""
    return np.where(table.allowed(questions), predict(questions), _NOWHERE)


def log_likelihoods(logits: Vectors, targets: "Columns") -> Vectors:
    """log P of each gold path, [n], for `targets` with -1 where there is no choice."""
    chances = np.take_along_axis(softmax(logits), np.maximum(targets, 0)[:, :, None], axis=2)[:, :, 0]
    return np.asarray(np.where(targets >= 0, np.log(np.maximum(chances, _SMALLEST)), 0.0).sum(axis=1))


def _right_readings(question: MaskedQuestion) -> list[MaskedQuestion]:
    best = max((gold.fit for gold in question.rivals), default=0.0)
    return [question.read_as(gold.relations) for gold in question.rivals if gold.fit >= best - _TIE] or [question]


def agreement(questions: Sequence[MaskedQuestion], table: PathTable, one: Predictor, other: Predictor) -> float:
    """The share of choices that two predictors make alike."""
    asked = table.targets(questions, ignored=-1) >= 0
    allowed = table.allowed(questions)
    choices = [np.where(allowed, predict(questions), _NOWHERE).argmax(axis=2) for predict in (one, other)]
    return float((choices[0] == choices[1])[asked].mean())


def served_predictor(model: RetrieverModel, table: PathTable) -> Predictor:
    """The exported model as a predictor."""

    def predict(questions: Sequence[MaskedQuestion]) -> Vectors:
        asked = model.scorer.prepare(model.encoder.encode([question.text for question in questions]))
        around = np.stack([table.flags(question.topic_steps) for question in questions]).astype(np.float32)
        taken = table.taken(questions)
        states = model.scorer.initial_states(asked, around)
        logits = []
        for hop in range(table.max_hops + 1):
            logits.append(model.scorer.logits(asked, range(len(questions)), states))
            if hop < table.max_hops:
                states = model.scorer.advance(states, taken[:, hop].tolist())
        return np.stack(logits, axis=1)

    return predict
