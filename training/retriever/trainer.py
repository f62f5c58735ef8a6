"""Gradient descent: masked questions in, the network that does best on validation questions out."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import torch

from services.retriever.prediction.encoder import Vectors
from training.checkpoint import Checkpoint
from training.retriever.batches import Batches, inputs
from training.retriever.early_stopping import Best
from training.retriever.examples import MaskedQuestion
from training.retriever.network import StepNetwork
from training.retriever.optimizer import Descent
from training.retriever.options import FitOptions
from training.retriever.scoring import PathScores, PathTable, Predictor, score_paths

_PREDICTED_AT_ONCE = 64
# Gold paths that are not known are estimated anew at this many of the first checks, while they still move.
_ESTIMATES = 6

# Chooses the gold paths of questions anew, by what the network makes of them.
Estimate = Callable[[Sequence[MaskedQuestion], PathTable, Predictor], list[MaskedQuestion]]


class ProgressCallback(Protocol):
    """Told how far training is: `done` of `total`, and what is going on in a few words."""

    def __call__(self, done: int, total: int, text: str) -> None:
        """Called every few batches, from the training thread."""
        ...


@dataclass(frozen=True)
class Fitted:
    """The network with the best validation scores, a way to ask it, and how many examples it was shown."""

    network: StepNetwork
    predict: Predictor
    scores: PathScores
    passes: int


class Fitting:
    """One training run, which can be broken off and taken up again at its last checkpoint."""

    def __init__(
        self,
        network: StepNetwork,
        tokenizer: Any,
        training: Sequence[MaskedQuestion],
        validation: Sequence[MaskedQuestion],
        table: PathTable,
        synonyms: Mapping[str, Sequence[str]],
        options: FitOptions,
    ) -> None:
        """`synonyms`: see `Noise`."""
        self._network, self._table, self._options = network, table, options
        self._validation = validation
        self._predict = _predictor(network, table, tokenizer)
        self._total = min(options.passes, options.max_epochs * len(training))
        self._descent = Descent(network, table, options, self._total)
        self._best = Best(network, PathScores(hops=0.0, paths=-1.0, loss=math.inf), options.patience)
        self._done = 0
        self._checked = ""
        noise = (options.left_out, options.replaced)
        self._batches = Batches(training, table, tokenizer, synonyms, noise, options.batch_size, options.seed)

    def run(self, estimate: Estimate, checkpoint: Checkpoint, progress: ProgressCallback) -> Fitted:
        """Train by cross-entropy (RRA eq. 7), keeping the state that does best on the validation questions."""
        if saved := checkpoint.load():
            self._restore(saved)
            progress(self._done, self._total, "going on where training was broken off")
        while self._done < self._total and not self._best.exhausted:
            for batch in self._batches.chunk():
                loss = self._descent.step(batch)
                self._done = min(self._done + len(batch.questions), self._total)
                progress(self._done, self._total, f"loss {loss:.3f}{self._checked}")
            if self._done >= self._total * (self._best.checks + 1) / self._options.checks:
                self._check(estimate, progress)
            checkpoint.save(self._state)
        self._best.put_back()
        return Fitted(self._network, self._predict, self._best.scores, self._done)

    def _check(self, estimate: Estimate, progress: ProgressCallback) -> None:
        scores = self._best.check(score_paths(self._validation, self._table, self._predict))
        self._checked = f", validation: paths {scores.paths:.1%}, hops {scores.hops:.1%}, loss {scores.loss:.3f}"
        progress(self._done, self._total, self._checked.removeprefix(", "))
        if self._best.checks <= _ESTIMATES:
            self._batches.questions = estimate(self._batches.questions, self._table, self._predict)

    def _state(self) -> dict[str, Any]:
        return {
            "done": self._done,
            "network": self._network.state_dict(),
            "descent": self._descent.state(),
            "batches": self._batches.state(),
            "best": self._best.state(),
            "random": torch.get_rng_state(),
        }

    def _restore(self, state: dict[str, Any]) -> None:
        self._done = state["done"]
        self._network.load_state_dict(state["network"])
        self._descent.restore(state["descent"])
        self._batches.restore(state["batches"])
        self._best.restore(state["best"])
        torch.set_rng_state(state["random"])


def _predictor(network: StepNetwork, table: PathTable, tokenizer: Any) -> Predictor:
    def predict(questions: Sequence[MaskedQuestion]) -> Vectors:
        network.eval()
        order = sorted(range(len(questions)), key=lambda index: len(questions[index].text))
        logits = np.empty((len(questions), table.max_hops + 1, table.stop + 1), dtype=np.float32)
        with torch.no_grad():
            for start in range(0, len(order), _PREDICTED_AT_ONCE):
                chosen = order[start : start + _PREDICTED_AT_ONCE]
                asked = [questions[index] for index in chosen]
                read = [(question.text, question.topic_steps) for question in asked]
                logits[chosen] = network(*inputs(tokenizer, table, asked, read)).numpy()
        return logits

    return predict
