"""One step of gradient descent: the loss of a batch, and how fast which part of the network learns."""

import math
from typing import Any

import torch
from torch import Tensor, nn

from training.retriever.batches import Batch
from training.retriever.network import StepNetwork
from training.retriever.options import FitOptions
from training.retriever.scoring import PathTable

_IGNORED = -100
_NOWHERE = -1e9
_STEP_LEARNING_RATE = 10  # times the encoder's: the light step starts from nothing
_FROM_NOTHING = 0.5
_WARM_UP = 0.06


class Descent:
    """AdamW on the cross-entropy of a batch against one-hot targets (RRA eq. 5-7)."""

    def __init__(self, network: StepNetwork, table: PathTable, options: FitOptions, total: int) -> None:
        self._network = network
        self._table = table
        self._optimiser = _optimiser(network, options)
        self._schedule = schedule(self._optimiser, math.ceil(total / options.batch_size))

    def step(self, batch: Batch) -> float:
        """Learn from one batch; returns its loss."""
        self._network.train()
        return descend(self._loss(batch), self._network, self._optimiser, self._schedule)

    def state(self) -> dict[str, Any]:
        """What the optimiser remembers."""
        return {"optimiser": self._optimiser.state_dict(), "schedule": self._schedule.state_dict()}

    def restore(self, state: dict[str, Any]) -> None:
        """Go on where `state` was taken."""
        self._optimiser.load_state_dict(state["optimiser"])
        self._schedule.load_state_dict(state["schedule"])

    def _loss(self, batch: Batch) -> Tensor:
        """Each choice is learnt twice: among what the topic has, which decides, and among all, which tells its worth.

        A question that many lines share weighs the root of their number: by the number itself a template of ten
        thousand lines would drown the others.
        """
        with torch.autocast("cpu", dtype=torch.bfloat16, enabled=has_bfloat16()):
            logits = self._network(*batch.inputs)
        logits = logits.float().flatten(0, 1)
        targets = torch.from_numpy(self._table.targets(batch.questions, _IGNORED)).flatten()
        allowed = torch.from_numpy(self._table.allowed(batch.questions)).flatten(0, 1)
        among_all = _cross_entropy(logits, targets)
        among_allowed = _cross_entropy(logits.masked_fill(~allowed, _NOWHERE), targets)
        weights = torch.tensor([question.count**0.5 for question in batch.questions])
        losses = (among_all + among_allowed).view(len(batch.questions), -1).sum(dim=1)
        return (losses * weights).sum() / weights.sum()


def descend(
    loss: Tensor,
    network: nn.Module,
    optimiser: torch.optim.Optimizer,
    schedule: torch.optim.lr_scheduler.LambdaLR,
) -> float:
    """Move the network against the gradient of a loss, whose value is returned."""
    optimiser.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(network.parameters(), 1.0)
    optimiser.step()
    schedule.step()
    return float(loss.item())


def has_bfloat16() -> bool:
    """Whether the processor multiplies in bfloat16, which halves the time of training; elsewhere it would add to it."""
    capabilities = torch.cpu.get_capabilities()
    return bool(capabilities.get("avx512_bf16") or capabilities.get("amx_bf16"))


def _cross_entropy(logits: Tensor, targets: Tensor) -> Tensor:
    return nn.functional.cross_entropy(logits, targets, ignore_index=_IGNORED, reduction="none")


def head_rate(options: FitOptions) -> float:
    """How fast what starts from nothing learns beside a pretrained encoder."""
    return options.learning_rate * _STEP_LEARNING_RATE


def encoder_rate(options: FitOptions, is_pretrained: bool) -> float:
    """How fast an encoder learns."""
    return options.learning_rate if is_pretrained else head_rate(options) * _FROM_NOTHING


def _optimiser(network: StepNetwork, options: FitOptions) -> torch.optim.Optimizer:
    """AdamW with a rate that falls layer by layer; embeddings stay, so that words never seen keep their place.

    An encoder without weights learns as fast as the light step, its embeddings, too.
    """
    encoder = network.encoder
    if not network.meanings.is_pretrained:
        rate = encoder_rate(options, is_pretrained=False)
        return torch.optim.AdamW(network.parameters(), lr=rate, weight_decay=options.weight_decay, fused=True)
    groups: list[dict[str, Any]] = []
    for depth, layer in enumerate(reversed(encoder.layers)):
        rate = options.learning_rate * options.layer_decay**depth
        groups.append({"params": list(layer.parameters()), "lr": rate})
    of_encoder = {id(parameter) for parameter in encoder.parameters()}
    step = [parameter for parameter in network.parameters() if id(parameter) not in of_encoder]
    groups.append({"params": step, "lr": head_rate(options)})
    trained = {id(parameter) for group in groups for parameter in group["params"]}
    for parameter in network.parameters():
        parameter.requires_grad_(id(parameter) in trained)
    return torch.optim.AdamW(groups, weight_decay=options.weight_decay, fused=True)


def schedule(optimiser: torch.optim.Optimizer, batches: int) -> torch.optim.lr_scheduler.LambdaLR:
    """A learning rate that rises for a while, then falls to nothing over so many batches."""
    warm_up = max(1, round(_WARM_UP * batches))
    return torch.optim.lr_scheduler.LambdaLR(
        optimiser, lambda batch: min((batch + 1) / warm_up, max(0.0, (batches - batch) / max(1, batches - warm_up)))
    )
