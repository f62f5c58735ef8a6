"""Learning one classifier by cross-entropy (RRA eq. 5-7), stopped early on validation questions."""

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from services.retriever.prediction.encoder import Vectors
from training.checkpoint import Checkpoint
from training.retriever.batches import CHUNK_BATCHES, of_like_length
from training.retriever.early_stopping import Best
from training.retriever.optimizer import descend, encoder_rate, has_bfloat16, head_rate, schedule
from training.retriever.options import FitOptions
from training.retriever.paper.network import EncoderSource, TextClassifier
from training.retriever.paper.scoring import ClassifierScores, Example, Predictor, score_examples
from training.retriever.trainer import ProgressCallback

_PREDICTED_AT_ONCE = 64


@dataclass(frozen=True)
class FittedClassifier:
    """The network with the best validation scores, a way to ask it, and how many examples it was shown."""

    network: TextClassifier
    predict: Predictor
    passes: int


class ClassifierFitting:
    """The training of one classifier, which can be broken off and taken up again at its last checkpoint."""

    def __init__(
        self,
        source: EncoderSource,
        classes: int,
        training: Sequence[Example],
        validation: Sequence[Example],
        options: FitOptions,
    ) -> None:
        torch.manual_seed(options.seed)
        self._network = TextClassifier(source, classes, options.dropout)
        self._tokenizer = source.tokenizer
        self._training, self._validation, self._options = training, validation, options
        self.total = min(options.passes, options.max_epochs * len(training))
        self._optimiser = _optimiser(self._network, options, source.is_pretrained)
        self._schedule = schedule(self._optimiser, math.ceil(self.total / options.batch_size))
        self._best = Best(self._network, ClassifierScores(right=-1.0, loss=math.inf), options.patience)
        self._shuffler = random.Random(options.seed)
        self._left: list[int] = []
        self._done = 0

    def run(self, checkpoint: Checkpoint, progress: ProgressCallback) -> FittedClassifier:
        """Train, keeping the state that does best on the validation examples."""
        predict = _predictor(self._network, self._tokenizer)
        if saved := checkpoint.load():
            self._restore(saved)
        while self._done < self.total and not self._best.exhausted:
            for batch in self._batches():
                loss = self._step(batch)
                self._done = min(self._done + len(batch), self.total)
                progress(self._done, self.total, f"loss {loss:.3f}")
            if self._done >= self.total * (self._best.checks + 1) / self._options.checks:
                scores = self._best.check(score_examples(self._validation, predict))
                progress(self._done, self.total, f"validation: {scores.right:.1%}")
            checkpoint.save(self._state)
        self._best.put_back()
        return FittedClassifier(self._network, predict, self._done)

    def _batches(self) -> list[list[Example]]:
        if not self._left:
            self._left = self._shuffler.sample(range(len(self._training)), len(self._training))
        size = self._options.batch_size * CHUNK_BATCHES
        chosen, self._left = [self._training[index] for index in self._left[:size]], self._left[size:]
        return of_like_length(chosen, lambda example: example.text, self._options.batch_size, self._shuffler)

    def _step(self, batch: Sequence[Example]) -> float:
        """Learn from one batch; the loss is that of one-hot targets (eq. 5-7)."""
        self._network.train()
        inputs = _inputs(self._tokenizer, [example.text for example in batch])
        with torch.autocast("cpu", dtype=torch.bfloat16, enabled=has_bfloat16()):
            logits = self._network(*inputs)
        loss = nn.functional.cross_entropy(logits.float(), torch.tensor([example.target for example in batch]))
        return descend(loss, self._network, self._optimiser, self._schedule)

    def _state(self) -> dict[str, Any]:
        return {
            "done": self._done,
            "network": self._network.state_dict(),
            "optimiser": self._optimiser.state_dict(),
            "schedule": self._schedule.state_dict(),
            "left": self._left,
            "shuffler": self._shuffler.getstate(),
            "best": self._best.state(),
            "random": torch.get_rng_state(),
        }

    def _restore(self, state: dict[str, Any]) -> None:
        self._done, self._left = state["done"], state["left"]
        self._network.load_state_dict(state["network"])
        self._optimiser.load_state_dict(state["optimiser"])
        self._schedule.load_state_dict(state["schedule"])
        self._shuffler.setstate(state["shuffler"])
        self._best.restore(state["best"])
        torch.set_rng_state(state["random"])


def _optimiser(network: TextClassifier, options: FitOptions, is_pretrained: bool) -> torch.optim.Optimizer:
    groups = [
        {"params": list(network.encoder.parameters()), "lr": encoder_rate(options, is_pretrained)},
        {"params": list(network.head.parameters()), "lr": head_rate(options)},
    ]
    return torch.optim.AdamW(groups, weight_decay=options.weight_decay, fused=True)


def _inputs(tokenizer: Any, texts: Sequence[str]) -> tuple[Tensor, Tensor]:
    encodings = tokenizer.encode_batch(list(texts))
    return (
        torch.tensor([encoding.ids for encoding in encodings]),
        torch.tensor([encoding.attention_mask for encoding in encodings]),
    )


def _predictor(network: TextClassifier, tokenizer: Any) -> Predictor:
    def predict(texts: Sequence[str]) -> Vectors:
        network.eval()
        order = sorted(range(len(texts)), key=lambda index: len(texts[index]))
        probabilities = np.empty((len(texts), network.head.out_features), dtype=np.float32)
        with torch.no_grad():
            for start in range(0, len(order), _PREDICTED_AT_ONCE):
                chosen = order[start : start + _PREDICTED_AT_ONCE]
                logits = network(*_inputs(tokenizer, [texts[index] for index in chosen]))
                probabilities[chosen] = logits.softmax(dim=1).numpy()
        return probabilities

    return predict
