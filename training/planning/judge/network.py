"""Say how likely each of several plans answers a question, from the whole plan and what the plan model has read.

The layers are those of the decoder that writes plans, and start from its weights, but each action sees those after it,
too. The score of a plan competes with those of the other plans, and with 0, which stands for none of them.
"""

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from services.retriever.plans.grammar.actions import FIXED
from training.planning.network import DECODER_LAYERS, HEADS, MAX_LENGTH, SIZE, Layer, PlanNetwork


@dataclass
class JudgeBatch:
    """Hold the plans of n questions, at most P for each, with at most S steps each.

    Attributes:
        numbers, groups, places: The steps of the plans, [n, P, S]; see `PlanSteps`.
        mask: Which steps exist, [n, P, S].
        memory, memory_mask: What the plan model has read, [n, N, SIZE], and which positions exist, [n, N].
        is_answerable: Whether the first plan of each question is right, [n]; all others are wrong.
    """

    numbers: Tensor
    groups: Tensor
    places: Tensor
    mask: Tensor
    memory: Tensor
    memory_mask: Tensor
    is_answerable: Tensor


class JudgeNetwork(nn.Module):  # type: ignore[misc]
    """Score plans."""

    def __init__(self, dropout: float = 0.1) -> None:
        super().__init__()
        self.action = nn.Embedding(FIXED + 1, SIZE)
        self.group = nn.Embedding(9, SIZE)
        self.position = nn.Embedding(MAX_LENGTH, SIZE)
        self.pointed = nn.Linear(SIZE, SIZE)
        self.layers = nn.ModuleList(Layer(SIZE, HEADS, dropout, has_memory=True) for _ in range(DECODER_LAYERS))
        self.norm = nn.LayerNorm(SIZE)
        self.inner = nn.Linear(2 * SIZE, SIZE)
        self.head = nn.Linear(SIZE, 1)
        self.dropout = nn.Dropout(dropout)

    def begin_as(self, writer: PlanNetwork) -> None:
        """Take the weights of the decoder that writes plans."""
        shared = {"action", "group", "position", "pointed"}
        weights = {
            name.replace("decoder_norm.", "norm.").replace("decoder.", "layers."): weight
            for name, weight in writer.state_dict().items()
            if name.partition(".")[0] in shared or name.startswith("decoder")
        }
        self.load_state_dict({**self.state_dict(), **weights})

    def forward(self, batch: JudgeBatch) -> Tensor:
        """Return the scores of plans, [n, P]; those of missing plans say nothing."""
        count, plans, steps = batch.numbers.shape
        pointed = self.pointed(batch.memory)
        places = batch.places.clamp(min=0).flatten(1)[:, :, None].expand(-1, -1, SIZE)
        found = torch.gather(pointed, 1, places).unflatten(1, (plans, steps)) * (batch.places >= 0)[..., None]
        hidden = self.action(batch.numbers) + self.group(batch.groups) + found + self.position.weight[:steps]
        hidden = self.dropout(hidden).flatten(0, 1)
        own = (~batch.mask).flatten(0, 1)[:, None, None, :] * -1e4
        others = (~batch.memory_mask)[:, None, None, :] * -1e4
        for layer in self.layers:
            hidden = _apply(layer, hidden, own, batch.memory, others)
        kept = batch.mask.flatten(0, 1)[..., None].to(hidden.dtype)
        hidden = self.norm(hidden)
        mean = (hidden * kept).sum(1) / kept.sum(1).clamp(min=1.0)
        most = hidden.masked_fill(kept == 0, -1e4).amax(1)
        scores = self.head(torch.relu(self.inner(self.dropout(torch.cat([mean, most], dim=-1)))))
        return scores[:, 0].unflatten(0, (count, plans))


def _apply(layer: Layer, hidden: Tensor, own: Tensor, memory: Tensor, others: Tensor) -> Tensor:
    """Transform the steps of all plans, [n * P, S, SIZE]; the plans of one question attend to one memory."""
    count, steps = len(memory), hidden.shape[1]
    normed = layer.self_norm(hidden)
    hidden = hidden + layer.self_attention(normed, normed, own)
    queries = layer.cross_norm(hidden).reshape(count, -1, SIZE)
    crossed = layer.cross_attention(queries, memory, others)
    hidden = hidden + layer.dropout(crossed.reshape(-1, steps, SIZE))
    inner = nn.functional.gelu(layer.widened(layer.inner_norm(hidden)))
    return torch.as_tensor(hidden + layer.dropout(layer.narrowed(inner)))


def listwise_loss(scores: Tensor, is_plan: Tensor, is_answerable: Tensor) -> Tensor:
    """Return the mean over questions of minus the logarithm of the probability of what is right.

    The probability of a plan is the softmax of its score among those of all plans for its question and 0, which stands
    for none of them (the listwise loss of Cao et al. 2007, with a place for none).

    Args:
        scores: The scores of the plans, [n, P]; the first one is right if the question is answerable.
        is_plan: Which plans exist, [n, P].
        is_answerable: Whether each question is answerable, [n].
    """
    none = torch.zeros(len(scores), 1, device=scores.device)
    chances = torch.cat([scores.masked_fill(~is_plan, -1e4), none], dim=1).log_softmax(dim=1)
    return -torch.where(is_answerable, chances[:, 0], chances[:, -1]).mean()
