"""What a fine-tuning is given and what it reports; free of torch, so that pairs can be made without it."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Pair:
    """One training example: the user's message and what the assistant should answer."""

    prompt: str
    completion: str


@dataclass(frozen=True, slots=True)
class LoraSettings:
    """What a fine-tuning may vary. `pack_tokens`: length of a packed sequence; `packs_a_step`: packs per update."""

    rank: int = 16
    alpha: int = 32
    dropout: float = 0.0
    learning_rate: float = 1e-3
    warmup_steps: int = 20
    epochs: int = 1
    max_tokens: int = 512
    pack_tokens: int = 512
    packs_a_step: int = 2
    seed: int = 13


@dataclass(frozen=True, slots=True)
class Progress:
    """State after one update: `loss` is the mean of the completion tokens' losses (nats) since the last report."""

    step: int
    steps: int
    loss: float
    tokens: int
    seconds: float
