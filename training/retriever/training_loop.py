"""Run the training loop of both modes: batches, AdamW, validation, early stopping, and checkpoints."""

import copy
import math
import random
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Generic, TypeVar

import numpy as np
import torch
from torch import Tensor, nn

from services.retriever.encoder.encoder import Vectors
from training.checkpoint import Checkpoint
from training.retriever.encoder import tokenize
from training.retriever.examples import ClassifierExample, MaskedQuestion
from training.retriever.scoring import ClassifierScores, PathScores

_CHUNK_BATCHES = 20
_PREDICTION_BATCH = 64
_HEAD_RATE = 10  # relative to a pretrained encoder, since a head starts with random weights
_RANDOM_ENCODER_RATE = 0.5  # relative to a head
_WARM_UP = 0.06

E = TypeVar("E", MaskedQuestion, ClassifierExample)
S = TypeVar("S", PathScores, ClassifierScores)
# Receives the number of examples shown, the total, and the state of the run in a few words, on the training thread.
ProgressCallback = Callable[[int, int, str], None]
# The parameters of each part of a network, with their learning rate.
LearningRates = Sequence[tuple[list[nn.Parameter], float]]


@dataclass(frozen=True, slots=True)
class Hyperparameters:
    """Configure how a network is trained; the defaults were chosen on the demo graph's validation questions.

    `max_examples` limits the number of examples shown, including repetitions. A full run validates `validations` times,
    but training ends early after `patience` validations without progress. `layer_decay` is the learning rate of each
    encoder layer relative to the layer above, and the lowest `frozen_layers` are not trained. Like the rates of
    `QuestionAugmenter`, these matter only in served mode.
    """

    seed: int = 1
    max_examples: int = 60_000
    max_epochs: int = 30
    batch_size: int = 32
    learning_rate: float = 1e-4
    layer_decay: float = 0.9
    weight_decay: float = 0.01
    dropout: float = 0.1
    deletion_rate: float = 0.05
    synonym_rate: float = 0.15
    frozen_layers: int = 0
    validations: int = 10
    patience: int = 4
    threads: int = 1

    @property
    def head_rate(self) -> float:
        """Return the learning rate of randomly initialised layers on top of a pretrained encoder."""
        return self.learning_rate * _HEAD_RATE

    def encoder_rate(self, is_pretrained: bool) -> float:
        """Return the learning rate of an encoder."""
        return self.learning_rate if is_pretrained else self.head_rate * _RANDOM_ENCODER_RATE


# The paper does not state its learning rate; this is the highest that Devlin et al. (2019) used to fine-tune BERT.
PAPER = Hyperparameters(learning_rate=5e-5)


class Optimizer:
    """Update a network with AdamW, clipped gradients, and a learning rate that warms up and then falls to 0."""

    def __init__(self, network: nn.Module, rates: LearningRates, options: Hyperparameters, total: int) -> None:
        """Set the learning rates and freeze all other parameters; `total` is the number of examples to be shown."""
        groups = [{"params": parameters, "lr": rate} for parameters, rate in rates]
        trained = {id(parameter) for parameters, _ in rates for parameter in parameters}
        for parameter in network.parameters():
            parameter.requires_grad_(id(parameter) in trained)
        batches = math.ceil(total / options.batch_size)
        warm_up = max(1, round(_WARM_UP * batches))
        self._network = network
        self._adamw = torch.optim.AdamW(groups, weight_decay=options.weight_decay, fused=True)
        self._schedule = torch.optim.lr_scheduler.LambdaLR(
            self._adamw,
            lambda batch: min((batch + 1) / warm_up, max(0.0, (batches - batch) / max(1, batches - warm_up))),
        )

    def step(self, loss: Tensor) -> float:
        """Update the network to reduce a loss, and return the value of the loss."""
        self._adamw.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(self._network.parameters(), 1.0)
        self._adamw.step()
        self._schedule.step()
        return float(loss.item())

    def state(self) -> dict[str, Any]:
        """Return the optimiser's state for a checkpoint."""
        return {"optimiser": self._adamw.state_dict(), "schedule": self._schedule.state_dict()}

    def restore(self, state: dict[str, Any]) -> None:
        """Restore a state from a checkpoint."""
        self._adamw.load_state_dict(state["optimiser"])
        self._schedule.load_state_dict(state["schedule"])


class EarlyStopping(Generic[S]):
    """Keep the network's best state, and detect when training no longer makes progress."""

    def __init__(self, network: nn.Module, worst: S, patience: int) -> None:
        """Start with the `worst` scores, which any others beat; stop after `patience` validations without progress."""
        self._network = network
        self._patience = patience
        self._state: dict[str, Any] = {}
        self._unimproved = 0
        self._least_loss = math.inf
        self._perfect = 0
        self.checks = 0
        self.scores: S = worst

    def check(self, scores: S) -> S:
        """Record and return scores; keep the network's state if they are the best so far by share right, then loss."""
        self.checks += 1
        self._unimproved += 1
        self._perfect = self._perfect + 1 if scores.right == 1.0 else 0
        # With few validation examples, the share that is right fluctuates long before training converges.
        if scores.loss < self._least_loss:
            self._least_loss, self._unimproved = scores.loss, 0
        if (scores.right, -scores.loss) > (self.scores.right, -self.scores.loss):
            self.scores, self._unimproved = scores, 0
            self._state = copy.deepcopy(self._network.state_dict())
        return scores

    @property
    def is_exhausted(self) -> bool:
        """Return whether progress has stalled for too long, or two validations in a row were perfect."""
        return self._unimproved >= self._patience or self._perfect > 1

    def state(self) -> dict[str, Any]:
        """Return the state for a checkpoint, as plain types."""
        remembered = {name: value for name, value in vars(self).items() if name != "_network"}
        return remembered | {"scores": asdict(self.scores)}

    def restore(self, state: dict[str, Any]) -> None:
        """Restore a state from a checkpoint."""
        vars(self).update(state | {"scores": replace(self.scores, **state["scores"])})

    def restore_best(self) -> None:
        """Load the best state into the network."""
        self._network.load_state_dict(self._state)
        self._network.eval()


class TrainingLoop(ABC, Generic[E, S]):
    """Train a network on examples; subclasses define the inputs, the loss, and the validation."""

    def __init__(
        self,
        network: Any,
        tokenizer: Any,
        rates: LearningRates,
        examples: Sequence[E],
        worst: S,
        options: Hyperparameters,
    ) -> None:
        """Prepare the run; `worst` holds validation scores that any others beat."""
        self.network = network
        self.total = min(options.max_examples, options.max_epochs * len(examples))
        self.examples_shown = 0
        self.best: EarlyStopping[S] = EarlyStopping(network, worst, options.patience)
        self._examples: list[E] = list(examples)
        self._tokenizer = tokenizer
        self._options = options
        self._optimizer = Optimizer(network, rates, options, self.total)
        # On processors with instructions for it, bfloat16 halves the training time; on others, it increases the time.
        capabilities = torch.cpu.get_capabilities()
        self._has_bfloat16 = bool(capabilities.get("avx512_bf16") or capabilities.get("amx_bf16"))
        self._shuffler = random.Random(options.seed)
        self._remaining: list[int] = []
        self._validation_text = ""

    def run(self, checkpoint: Checkpoint, progress: ProgressCallback) -> None:
        """Train by cross-entropy (RRA eq. 5-7), and leave the network in the state with the best validation scores."""
        if saved := checkpoint.load():
            self._restore(saved)
            progress(self.examples_shown, self.total, "resuming where training was interrupted")
        while not self._is_finished:
            for examples, inputs in self._next_batches():
                loss = self._train_on(examples, inputs)
                self.examples_shown = min(self.examples_shown + len(examples), self.total)
                progress(self.examples_shown, self.total, f"loss {loss:.3f}{self._validation_text}")
            if self.examples_shown >= self.total * (self.best.checks + 1) / self._options.validations:
                progress(self.examples_shown, self.total, self._validate())
            checkpoint.save(self._state, is_last=self._is_finished)
        self.best.restore_best()

    @property
    def _is_finished(self) -> bool:
        return self.examples_shown >= self.total or self.best.is_exhausted

    def logits(self, examples: Sequence[E]) -> Vectors:
        """Return the network's logits for each example, [n, ...], without augmentation."""
        self.network.eval()
        order = sorted(range(len(examples)), key=lambda index: len(examples[index].text))
        found = []
        with torch.no_grad():
            for start in range(0, len(order), _PREDICTION_BATCH):
                chosen = [examples[index] for index in order[start : start + _PREDICTION_BATCH]]
                texts, topic_steps = zip(*map(self._input, chosen), strict=True)
                found.append(self.network(*self._tensors(chosen, texts, topic_steps)).numpy())
        return np.asarray(np.concatenate(found)[np.argsort(order)])

    @abstractmethod
    def _loss(self, logits: Tensor, examples: Sequence[E]) -> Tensor:
        """Return the loss of a batch."""

    @abstractmethod
    def _validate(self) -> str:
        """Score the validation examples, and return the scores in words."""

    def _input(self, example: E, is_training: bool = False) -> tuple[str, frozenset[str]]:
        """Return the text and the steps around the topic that the network reads, possibly augmented."""
        return example.text, frozenset()

    def _tensors(
        self, examples: Sequence[E], texts: Sequence[str], topic_steps: Sequence[frozenset[str]]
    ) -> tuple[Tensor, ...]:
        """Return the network's arguments; the first are the token ids and the mask, both [n, tokens]."""
        return tokenize(self._tokenizer, texts)

    def _next_batches(self) -> Iterator[tuple[list[E], tuple[Tensor, ...]]]:
        """Yield the next batches of the epoch; each holds texts of similar length, to keep padding short."""
        if not self._remaining:
            self._remaining = self._shuffler.sample(range(len(self._examples)), len(self._examples))
        size = self._options.batch_size
        chosen = [self._examples[index] for index in self._remaining[: size * _CHUNK_BATCHES]]
        self._remaining = self._remaining[size * _CHUNK_BATCHES :]
        pairs = [(self._input(example, is_training=True), example) for example in chosen]
        pairs.sort(key=lambda pair: len(pair[0][0]))  # by the length of the text
        parts = [pairs[start : start + size] for start in range(0, len(pairs), size)]
        self._shuffler.shuffle(parts)
        for part in parts:
            inputs, examples = map(list, zip(*part, strict=True))
            texts, topic_steps = zip(*inputs, strict=True)
            yield examples, self._tensors(examples, texts, topic_steps)

    def _train_on(self, examples: Sequence[E], inputs: Sequence[Tensor]) -> float:
        self.network.train()
        with torch.autocast("cpu", dtype=torch.bfloat16, enabled=self._has_bfloat16):
            logits = self.network(*inputs)
        return self._optimizer.step(self._loss(logits.float(), examples))

    def _state(self) -> dict[str, Any]:
        return {
            "done": self.examples_shown,
            "network": self.network.state_dict(),
            "descent": self._optimizer.state(),
            "batches": self._batch_state(),
            "best": self.best.state(),
            "random": torch.get_rng_state(),
        }

    def _restore(self, state: dict[str, Any]) -> None:
        self.examples_shown = state["done"]
        self.network.load_state_dict(state["network"])
        # Paper-mode checkpoints from the first version hold these entries at the top level.
        self._optimizer.restore(state.get("descent", state))
        self._restore_batches(state.get("batches", state))
        self.best.restore(state["best"])
        torch.set_rng_state(state["random"])

    def _batch_state(self) -> dict[str, Any]:
        return {"left": self._remaining, "shuffler": self._shuffler.getstate()}

    def _restore_batches(self, state: dict[str, Any]) -> None:
        self._remaining = list(state["left"])
        self._shuffler.setstate(state["shuffler"])
