"""The networks that are trained: a language model and a linear layer, once for hops, once for relation paths."""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch
from tokenizers import Tokenizer
from torch import Tensor, nn
from transformers import AutoConfig, AutoModel, AutoTokenizer
from transformers.utils.logging import disable_progress_bar, set_verbosity_error

from services.retriever.prediction.encoder import MAX_TOKENS
from shared.errors import InvalidInputError, NotFoundError
from training.retriever.network import PACKAGE, SMALL, BertEncoder, pretrained_folder
from training.retriever.vocabulary import is_latin, own_tokenizer

SMALL_ENCODER = "small"
_USE = (
    "name a folder with an encoder's config, tokenizer and weights, a Hugging Face model that can be fetched, "
    f"or {SMALL_ENCODER}"
)


@dataclass(frozen=True)
class EncoderSource:
    """Where both classifiers take their encoders from.

    `make` gives a new one that turns token ids and mask, [n, tokens], to token vectors, [n, tokens, dimension].
    """

    name: str
    tokenizer: Any
    make: Callable[[], nn.Module]
    dimension: int
    is_pretrained: bool


def encoder_source(name: str | None, questions: Sequence[str], inputs: Sequence[str], dropout: float) -> EncoderSource:
    """The encoder of a Hugging Face name or folder, or `small`: one that learns from nothing, with its own vocabulary.

    None is MiniLM as packaged, or `small` for questions in another script. `inputs`: all texts to learn from. Raises
    NotFoundError for one that is not there, InvalidInputError for one that is no encoder or takes too short texts.
    """
    if name == SMALL_ENCODER or (name is None and not is_latin(questions)):
        tokenizer: Any = own_tokenizer(inputs)
        shape = replace(SMALL, vocabulary=tokenizer.get_vocab_size())
        source = EncoderSource(SMALL_ENCODER, tokenizer, lambda: BertEncoder(shape, dropout), shape.dimension, False)
    else:
        source = _published(name) if name else replace(_published(str(pretrained_folder())), name=PACKAGE)
    source.tokenizer.enable_truncation(max_length=MAX_TOKENS, direction="left")
    source.tokenizer.enable_padding()
    return source


def _published(name: str) -> EncoderSource:
    set_verbosity_error()
    disable_progress_bar()
    # A line for every try to reach a network that is not there says less than the one that follows.
    logging.getLogger("huggingface_hub").setLevel(logging.ERROR)
    try:
        config = AutoConfig.from_pretrained(name)
        tokenizer = getattr(AutoTokenizer.from_pretrained(name), "backend_tokenizer", None)
    except (OSError, ValueError) as error:
        why = str(error).splitlines()[0]
        raise NotFoundError(f"the encoder {name!r} can neither be read here nor fetched ({why}); {_USE}") from error
    if config.is_encoder_decoder or not isinstance(tokenizer, Tokenizer):
        raise InvalidInputError(f"{name!r} is no encoder with a tokenizer of the kind that serving reads; {_USE}")
    if getattr(config, "max_position_embeddings", MAX_TOKENS) < MAX_TOKENS:
        raise InvalidInputError(f"the encoder {name!r} takes fewer than {MAX_TOKENS} tokens; {_USE}")
    return EncoderSource(name, tokenizer, lambda: PublishedEncoder(name), int(config.hidden_size), True)


class PublishedEncoder(nn.Module):  # type: ignore[misc]
    """An encoder with its published weights."""

    def __init__(self, name: str) -> None:
        super().__init__()
        # Plain attention is what can be exported; half precision, as some are published, cannot be trained.
        self.model = AutoModel.from_pretrained(name, attn_implementation="eager", dtype=torch.float32)

    def forward(self, input_ids: Tensor, attention_mask: Tensor) -> Tensor:
        """The last layer's vectors, [n, tokens, dimension]."""
        return torch.as_tensor(self.model(input_ids=input_ids, attention_mask=attention_mask).last_hidden_state)


class TextClassifier(nn.Module):  # type: ignore[misc]
    """A language model, the mean of its token vectors, and a linear layer (RRA eq. 1 and 2; 12 and 13)."""

    def __init__(self, source: EncoderSource, classes: int, dropout: float) -> None:
        super().__init__()
        self.encoder = source.make()
        self.dropout = nn.Dropout(dropout)
        self.head = nn.Linear(source.dimension, classes)

    def forward(self, input_ids: Tensor, attention_mask: Tensor) -> Tensor:
        """The logits of all classes, [n, classes]."""
        hidden = self.encoder(input_ids, attention_mask)
        kept = attention_mask.to(hidden.dtype)[:, :, None]
        return torch.as_tensor(self.head(self.dropout((hidden * kept).sum(dim=1) / kept.sum(dim=1))))
