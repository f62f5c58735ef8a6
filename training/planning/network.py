"""Predict query plans with a neural network.

MiniLM encodes the tokens of the question, and the text of each schema element. Joint layers let tokens, elements, and
values read each other; how two positions are related shifts their attention scores, as in RAT-SQL (Wang et al. 2020).
A decoder then writes the plan, one action at a time: it scores the fixed actions with weights of their own, and points
to elements, values, and variables (Vinyals et al. 2015).
"""

from dataclasses import dataclass, fields

import torch
from torch import Tensor, nn

from services.retriever.plans.grammar.actions import FIXED, MAX_COLUMNS, MAX_VARIABLES
from services.retriever.plans.predictor.encoding import ELEMENT_TYPES, FORMS, LINKS
from training.retriever.encoder import BertEncoder

SIZE = 256
HEADS = 8
JOINT_LAYERS = 4
DECODER_LAYERS = 3
MAX_LENGTH = 64
_LENGTHS = 4
"""The number of groups of element texts by length, since most of them are far shorter than the longest."""


@dataclass
class Batch:
    """Hold the input of n questions.

    Attributes:
        token_ids, token_mask: The tokens of the questions, [n, T].
        text_ids, text_mask: The tokens of the distinct element texts, [U, L].
        elements: The text of each element, [n, E]; `element_types` their types, `element_mask` which exist.
        spans: The token weights of each value, [n, V, T]; `forms` their forms, `value_mask` which exist.
        links: How positions are related, [n, N, N] with N = T + E + V.
        previous: The previous action in each step, [n, S]: its fixed number, or FIXED.
        previous_position: The position that the previous action points to, or -1, [n, S].
        previous_group: How it points to it, [n, S].
        variables: The position whose vector stands for each variable, [n, S, MAX_VARIABLES], or -1.
        legal: Which actions are legal, [n, S, A].
        gold: The number of the gold action, [n, S], or -1.
    """

    token_ids: Tensor
    token_mask: Tensor
    text_ids: Tensor
    text_mask: Tensor
    elements: Tensor
    element_types: Tensor
    element_mask: Tensor
    spans: Tensor
    forms: Tensor
    value_mask: Tensor
    links: Tensor
    previous: Tensor
    previous_position: Tensor
    previous_group: Tensor
    variables: Tensor
    legal: Tensor
    gold: Tensor

    def to(self, device: torch.device) -> "Batch":
        """Return the batch with its tensors on a device."""
        return Batch(*(getattr(self, one.name).to(device, non_blocking=True) for one in fields(self)))


class Attention(nn.Module):  # type: ignore[misc]
    """Attend from one sequence to another, with a bias per head."""

    def __init__(self, size: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(size, size)
        self.key = nn.Linear(size, size)
        self.value = nn.Linear(size, size)
        self.output = nn.Linear(size, size)

    def forward(self, queries: Tensor, memory: Tensor, bias: Tensor) -> Tensor:
        """Return [n, Q, size]; `bias`, [n, heads or 1, Q, M], is added to the scores."""
        query, key, value = (
            part.unflatten(-1, (self.heads, -1)).transpose(1, 2)
            for part in (self.query(queries), self.key(memory), self.value(memory))
        )
        scores = query @ key.transpose(-1, -2) / query.shape[-1] ** 0.5 + bias
        found = scores.softmax(dim=-1) @ value
        return torch.as_tensor(self.output(found.transpose(1, 2).flatten(2)))


class Layer(nn.Module):  # type: ignore[misc]
    """Apply self-attention, cross-attention if there is a memory, and a feed-forward layer, each normalised before."""

    def __init__(self, size: int, heads: int, dropout: float, has_memory: bool) -> None:
        super().__init__()
        self.self_norm, self.self_attention = nn.LayerNorm(size), Attention(size, heads)
        if has_memory:
            self.cross_norm, self.cross_attention = nn.LayerNorm(size), Attention(size, heads)
        self.inner_norm = nn.LayerNorm(size)
        self.widened, self.narrowed = nn.Linear(size, 4 * size), nn.Linear(4 * size, size)
        self.dropout = nn.Dropout(dropout)

    def forward(
        self, hidden: Tensor, bias: Tensor, memory: Tensor | None = None, memory_bias: Tensor | None = None
    ) -> Tensor:
        """Transform a sequence, [n, S, size]."""
        normed = self.self_norm(hidden)
        hidden = hidden + self.self_attention(normed, normed, bias)
        if memory is not None:
            hidden = hidden + self.dropout(self.cross_attention(self.cross_norm(hidden), memory, memory_bias))
        inner = nn.functional.gelu(self.widened(self.inner_norm(hidden)))
        return torch.as_tensor(hidden + self.dropout(self.narrowed(inner)))


class PlanNetwork(nn.Module):  # type: ignore[misc]
    """Predict the actions of a plan."""

    def __init__(self, encoder: BertEncoder, width: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.encoder = encoder
        self.token = nn.Linear(width, SIZE)
        self.element = nn.Linear(width, SIZE)
        self.element_type = nn.Embedding(ELEMENT_TYPES, SIZE)
        self.form = nn.Embedding(len(FORMS), SIZE)
        self.input_norm = nn.LayerNorm(SIZE)
        self.links = nn.Embedding(LINKS, JOINT_LAYERS * HEADS)
        nn.init.normal_(self.links.weight, std=0.2)
        self.joint = nn.ModuleList(Layer(SIZE, HEADS, dropout, has_memory=False) for _ in range(JOINT_LAYERS))
        self.joint_norm = nn.LayerNorm(SIZE)
        self.action = nn.Embedding(FIXED + 1, SIZE)
        self.group = nn.Embedding(9, SIZE)
        self.position = nn.Embedding(MAX_LENGTH, SIZE)
        self.pointed = nn.Linear(SIZE, SIZE)
        self.decoder = nn.ModuleList(Layer(SIZE, HEADS, dropout, has_memory=True) for _ in range(DECODER_LAYERS))
        self.decoder_norm = nn.LayerNorm(SIZE)
        self.fixed = nn.Linear(SIZE, FIXED)
        self.pointers = nn.Linear(SIZE, 6 * SIZE)  # element, inverse, both, value, focus, variable
        self.variable = nn.Embedding(MAX_VARIABLES, SIZE)
        self.column = nn.Linear(SIZE, MAX_COLUMNS)
        self.dropout = nn.Dropout(dropout)

    def forward(self, batch: Batch) -> Tensor:
        """Return the log-probabilities of the legal actions in each step, [n, S, A]."""
        memory, mask = self.read(batch)
        return self.write(batch, memory, mask)

    def read(self, batch: Batch) -> tuple[Tensor, Tensor]:
        """Return the vectors of tokens, elements, and values, [n, N, SIZE], and which exist, [n, N]."""
        tokens = self.encoder(batch.token_ids, batch.token_mask)
        pooled = self._pooled(batch.text_ids, batch.text_mask)
        # The gradient of indexing adds in any order on several threads, so equal seeds would give unequal networks.
        texts = nn.functional.embedding(batch.elements, self.element(pooled))
        elements = texts + self.element_type(batch.element_types)
        token_vectors = self.token(tokens)
        values = batch.spans.to(token_vectors.dtype) @ token_vectors + self.form(batch.forms)
        hidden = self.dropout(self.input_norm(torch.cat([token_vectors, elements, values], dim=1)))
        mask = torch.cat([batch.token_mask.bool(), batch.element_mask, batch.value_mask], dim=1)
        padding = (~mask)[:, None, None, :] * -1e4
        biases = self.links(batch.links.int()).permute(0, 3, 1, 2) + padding
        for layer, bias in zip(self.joint, biases.chunk(JOINT_LAYERS, dim=1), strict=True):
            hidden = layer(hidden, bias)
        return self.joint_norm(hidden), mask

    def _pooled(self, ids: Tensor, mask: Tensor) -> Tensor:
        """Return the mean token vector of each text, [U, D]; texts of similar length share a pass of the encoder."""
        lengths = mask.sum(1)
        order = lengths.argsort(stable=True)
        found = []
        for part in order.chunk(_LENGTHS):
            width = int(lengths[part[-1]])
            weights = mask[part, :width]
            texts = self.encoder(ids[part, :width], weights)
            kept = weights.to(texts.dtype)
            found.append((texts * kept[:, :, None]).sum(1) / kept.sum(1, keepdim=True))
        return nn.functional.embedding(order.argsort(), torch.cat(found))

    def write(self, batch: Batch, memory: Tensor, mask: Tensor) -> Tensor:
        """Return the log-probabilities of the legal actions in each step, [n, S, A]."""
        steps = batch.previous.shape[1]
        tokens, elements = batch.token_ids.shape[1], batch.elements.shape[1]
        pointed = self.pointed(memory)
        found = torch.gather(pointed, 1, batch.previous_position.clamp(min=0)[:, :, None].expand(-1, -1, SIZE))
        found = found * (batch.previous_position >= 0)[:, :, None]
        hidden = self.action(batch.previous) + self.group(batch.previous_group) + found
        hidden = self.dropout(hidden + self.position.weight[:steps])
        causal = torch.triu(torch.full((steps, steps), -1e4, device=hidden.device), diagonal=1)[None, None]
        padding = (~mask)[:, None, None, :] * -1e4
        for layer in self.decoder:
            hidden = layer(hidden, causal, memory, padding)
        hidden = self.decoder_norm(hidden)
        out, inverse, both, value, focus, variable = self.pointers(hidden).chunk(6, dim=-1)
        element_vectors = memory[:, tokens : tokens + elements].transpose(1, 2)
        value_vectors = memory[:, tokens + elements :].transpose(1, 2)
        places = batch.variables.clamp(min=0).flatten(1)[:, :, None].expand(-1, -1, SIZE)
        bound = torch.gather(memory, 1, places).unflatten(1, (steps, MAX_VARIABLES)) + self.variable.weight
        scale = SIZE**-0.5
        logits = torch.cat(
            [
                self.fixed(hidden),
                out @ element_vectors * scale,
                inverse @ element_vectors * scale,
                both @ element_vectors * scale,
                value @ value_vectors * scale,
                torch.einsum("nsd,nsvd->nsv", focus, bound) * scale,
                torch.einsum("nsd,nsvd->nsv", variable, bound) * scale,
                self.column(hidden),
            ],
            dim=-1,
        )
        return logits.float().masked_fill(~batch.legal, -1e9).log_softmax(dim=-1)
