"""Train the served-mode network on masked questions."""

import math
import random
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from training.retriever.augmentation import QuestionAugmenter
from training.retriever.examples import MaskedQuestion
from training.retriever.network import RelationNetwork
from training.retriever.optimizer import Hyperparameters, LearningRates
from training.retriever.scoring import MASKED_LOGIT, PathScores, PathTable, score_paths
from training.retriever.training_loop import NetworkInput, TrainingLoop
from training.retriever.weak_supervision import reestimate_paths

_IGNORED = -100
# Candidate paths are chosen again after each of the first validations, while the model's predictions still change.
_REESTIMATIONS = 6
_cross_entropy = partial(nn.functional.cross_entropy, ignore_index=_IGNORED, reduction="none")


class PathTrainer(TrainingLoop[MaskedQuestion, PathScores]):
    """Train a network to predict gold paths."""

    def __init__(
        self,
        network: RelationNetwork,
        tokenizer: Any,
        training: Sequence[MaskedQuestion],
        validation: Sequence[MaskedQuestion],
        table: PathTable,
        synonyms: Mapping[str, Sequence[str]],
        options: Hyperparameters,
    ) -> None:
        worst = PathScores(hops=0.0, paths=-1.0, loss=math.inf)
        super().__init__(network, tokenizer, _learning_rates(network, options), training, worst, options)
        self._validation, self._table = validation, table
        self._noise = random.Random(options.seed)
        self._augmenter = QuestionAugmenter(options.deletion_rate, options.synonym_rate, synonyms, self._noise)

    def _input(self, example: MaskedQuestion, is_training: bool = False) -> NetworkInput:
        if not is_training:
            return NetworkInput(example.text, example.topic_steps)
        text = self._augmenter.augment_text(example.text)
        return NetworkInput(text, self._augmenter.augment_steps(example.topic_steps))

    def _tensors(self, examples: Sequence[MaskedQuestion], inputs: Sequence[NetworkInput]) -> tuple[Tensor, ...]:
        """Add the steps that leave each topic, [n, steps], and the gold steps, [n, H]."""
        topic_steps = np.stack([self._table.mask(one.topic_steps) for one in inputs]).astype(np.float32)
        gold_steps = self._table.gold_steps(examples)
        return *super()._tensors(examples, inputs), torch.from_numpy(topic_steps), torch.from_numpy(gold_steps)

    def _loss(self, logits: Tensor, examples: Sequence[MaskedQuestion]) -> Tensor:
        """Return the weighted mean loss of a batch.

        The model learns each choice twice: among the allowed steps, for the ranking, and among all steps, for the
        confidence. A question is weighted by the square root of its number of lines. If it were weighted by the number
        itself, a template with ten thousand lines would drown out the others.
        """
        logits = logits.flatten(0, 1)
        targets = torch.from_numpy(self._table.targets(examples, _IGNORED)).flatten()
        allowed = torch.from_numpy(self._table.allowed(examples)).flatten(0, 1)
        among_all = _cross_entropy(logits, targets)
        among_allowed = _cross_entropy(logits.masked_fill(~allowed, MASKED_LOGIT), targets)
        weights = torch.tensor([example.count**0.5 for example in examples])
        losses = (among_all + among_allowed).view(len(examples), -1).sum(dim=1)
        return (losses * weights).sum() / weights.sum()

    def _validate(self) -> str:
        scores = self.best.check(score_paths(self._validation, self._table, self.logits))
        if self.best.checks <= _REESTIMATIONS:
            self._examples = reestimate_paths(self._examples, self._table, self.logits)
        text = f"validation: paths {scores.paths:.1%}, hops {scores.hops:.1%}, loss {scores.loss:.3f}"
        self._validation_text = f", {text}"
        return text

    def _batch_state(self) -> dict[str, Any]:
        paths = [example.path for example in self._examples]
        return super()._batch_state() | {"noise": self._noise.getstate(), "paths": paths}

    def _restore_batches(self, state: dict[str, Any]) -> None:
        super()._restore_batches(state)
        self._noise.setstate(state["noise"])
        self._examples = [example.with_path(path) for example, path in zip(self._examples, state["paths"], strict=True)]


def _learning_rates(network: RelationNetwork, options: Hyperparameters) -> LearningRates:
    """Return the learning rates: several if the encoder is pretrained, one if it starts with random weights.

    In a pretrained encoder, the rate decays from the top layer down. Its embeddings are frozen, so that words absent
    from training keep their position relative to the others.
    """
    if not network.meanings.is_pretrained:
        return [(list(network.parameters()), options.encoder_rate(is_pretrained=False))]
    layers = [
        (list(layer.parameters()), options.learning_rate * options.layer_decay**depth)
        for depth, layer in enumerate(reversed(network.encoder.layers))
    ]
    scorer = [parameter for name, parameter in network.named_parameters() if not name.startswith("encoder.")]
    return [*layers, (scorer, options.head_rate)]
