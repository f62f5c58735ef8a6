"""Minimize the loss with AdamW, and set a learning rate for each part of a network."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

_HEAD_RATE = 10  # relative to a pretrained encoder, since a head starts with random weights
_RANDOM_ENCODER_RATE = 0.5  # relative to a head
_WARM_UP = 0.06

LearningRates = Sequence[tuple[list[nn.Parameter], float]]
"""The parameters of each part of a network, with their learning rate."""


@dataclass(frozen=True, slots=True)
class Hyperparameters:
    """Configure how a network is trained; the defaults were chosen on the demo graph's validation questions.

    `max_examples` limits the number of examples shown, including repetitions. A full run validates `validations` times,
    but training ends early after `patience` validations without progress. `layer_decay` is the learning rate of each
    encoder layer relative to the layer above. Like the rates of `QuestionAugmenter`, it matters only in served mode.
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
    validations: int = 10
    patience: int = 4
    threads: int = 1

    @property
    def head_rate(self) -> float:
        """Return the learning rate of randomly initialized layers on top of a pretrained encoder."""
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
        """Return the optimizer's state for a checkpoint."""
        return {"optimiser": self._adamw.state_dict(), "schedule": self._schedule.state_dict()}

    def restore(self, state: dict[str, Any]) -> None:
        """Restore a state from a checkpoint."""
        self._adamw.load_state_dict(state["optimiser"])
        self._schedule.load_state_dict(state["schedule"])


def has_bfloat16() -> bool:
    """Return whether the processor has instructions for bfloat16, which halves the training time only with them."""
    capabilities = torch.cpu.get_capabilities()
    return bool(capabilities.get("avx512_bf16") or capabilities.get("amx_bf16"))
