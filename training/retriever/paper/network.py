"""Define the classifiers that paper mode trains; each is a language model with a linear layer."""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch
from tokenizers import Tokenizer
from torch import Tensor, nn
from transformers import AutoConfig, AutoModel, AutoTokenizer
from transformers.utils.logging import disable_progress_bar, set_verbosity_error

from services.retriever.encoder.encoder import MAX_TOKENS
from services.retriever.paths.paper.model import Heads
from shared.errors import InvalidInputError, NotFoundError
from training.retriever.encoder import PACKAGE, SMALL, limit_length, pretrained_folder, small_encoder, train_tokenizer
from training.retriever.examples import ClassifierExample, GoldQuestion, is_latin

SMALL_ENCODER = "small"
_ADVICE = (
    "specify a folder with an encoder's config, tokenizer, and weights, a downloadable Hugging Face model, "
    f"or {SMALL_ENCODER}"
)


@dataclass(frozen=True)
class EncoderSource:
    """Describe and create the encoders for both classifiers.

    `make` returns a new encoder, which maps token ids and an attention mask, both [n, tokens], to token vectors,
    [n, tokens, dimension].
    """

    name: str
    tokenizer: Any
    make: Callable[[], nn.Module]
    dimension: int
    is_pretrained: bool


def encoder_source(
    name: str | None, questions: Sequence[GoldQuestion], inputs: Sequence[ClassifierExample], dropout: float
) -> EncoderSource:
    """Return the source for the name or folder of a Hugging Face encoder, or for `small`.

    The small encoder starts with random weights and a vocabulary learned from `inputs`. If `name` is None, the encoder
    is the packaged MiniLM, or `small` for questions in a non-Latin script. Raise NotFoundError if the encoder can be
    neither read nor downloaded, and InvalidInputError if it is not an encoder or accepts too few tokens.
    """
    if name == SMALL_ENCODER or (name is None and not is_latin(question.text for question in questions)):
        tokenizer = train_tokenizer(example.text for example in inputs)
        source = EncoderSource(
            SMALL_ENCODER, tokenizer, lambda: small_encoder(tokenizer, dropout), SMALL.hidden_size, is_pretrained=False
        )
    else:
        source = _published(name) if name else replace(_published(str(pretrained_folder())), name=PACKAGE)
    limit_length(source.tokenizer)
    return source


def _published(name: str) -> EncoderSource:
    set_verbosity_error()
    disable_progress_bar()
    # The error below is more helpful than a log line for each attempt to reach an unavailable network.
    logging.getLogger("huggingface_hub").setLevel(logging.ERROR)
    try:
        config = AutoConfig.from_pretrained(name)
        tokenizer = getattr(AutoTokenizer.from_pretrained(name), "backend_tokenizer", None)
    except (OSError, ValueError) as error:
        reason = str(error).splitlines()[0]
        raise NotFoundError(f"cannot read or download the encoder {name!r} ({reason}); {_ADVICE}") from error
    if config.is_encoder_decoder or not isinstance(tokenizer, Tokenizer):
        raise InvalidInputError(f"{name!r} is not an encoder with a tokenizer that serving can read; {_ADVICE}")
    if getattr(config, "max_position_embeddings", MAX_TOKENS) < MAX_TOKENS:
        raise InvalidInputError(f"the encoder {name!r} accepts fewer than {MAX_TOKENS} tokens; {_ADVICE}")
    return EncoderSource(name, tokenizer, lambda: _PublishedEncoder(name), int(config.hidden_size), True)


class _PublishedEncoder(nn.Module):  # type: ignore[misc]
    """Wrap an encoder with its published weights."""

    def __init__(self, name: str) -> None:
        super().__init__()
        # Only eager attention can be exported, and only single precision can be trained.
        self.model = AutoModel.from_pretrained(name, attn_implementation="eager", dtype=torch.float32)

    def forward(self, input_ids: Tensor, attention_mask: Tensor) -> Tensor:
        """Return the token vectors of the last layer, [n, tokens, dimension]."""
        return torch.as_tensor(self.model(input_ids=input_ids, attention_mask=attention_mask).last_hidden_state)


class TextClassifier(nn.Module):  # type: ignore[misc]
    """Classify texts with a linear layer over the mean of the token vectors (RRA eq. 1 and 2; 12 and 13)."""

    def __init__(self, source: EncoderSource, classes: int, dropout: float) -> None:
        super().__init__()
        self.encoder = source.make()
        self.dropout = nn.Dropout(dropout)
        self.head = nn.Linear(source.dimension, classes)

    def forward(self, input_ids: Tensor, attention_mask: Tensor) -> Tensor:
        """Return the logits of all classes, [n, classes]."""
        hidden = self.encoder(input_ids, attention_mask)
        kept = attention_mask.to(hidden.dtype)[:, :, None]
        return torch.as_tensor(self.head(self.dropout((hidden * kept).sum(dim=1) / kept.sum(dim=1))))


def heads_of(hops: TextClassifier, steps: TextClassifier) -> Heads:
    """Return the linear layers of both classifiers in the form that serving reads."""
    return Heads(*(tensor.detach().numpy() for head in (hops.head, steps.head) for tensor in (head.weight, head.bias)))
