"""What a fine-tuning is given and what it reports; free of torch, so that pairs can be made without it."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Pair:
    """One training example: the user's message and what the assistant should answer."""

    prompt: str
    completion: str


@dataclass(frozen=True, slots=True)
class LoraSettings:
    """What a fine-tuning may vary. `batch`: pairs an update; `pack_tokens`: length of a packed sequence."""

    rank: int = 16
    alpha: int = 32
    dropout: float = 0.0
    learning_rate: float = 1e-3
    warmup_steps: int = 20
    epochs: int = 1
    batch: int = 10
    max_tokens: int = 512
    pack_tokens: int = 512
    seed: int = 13


PRESETS = {
    "cpu": LoraSettings(),
    # RRA, section 5.1.3; that the rate warms up and falls is this project's.
    "paper": LoraSettings(
        rank=64,
        alpha=128,
        dropout=0.05,
        learning_rate=1e-4,
        epochs=10,
        batch=128,
        max_tokens=1024,
        pack_tokens=2048,
    ),
}

# A rate of 1e-3 would throw away what the adapter knows.
GOING_ON = LoraSettings(learning_rate=5e-4)


@dataclass(frozen=True, slots=True)
class Progress:
    """State after one update: `loss` is the mean of the completion tokens' losses (nats) since the last report."""

    step: int
    steps: int
    loss: float
    tokens: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Sample:
    """What the model in training says to a prompt that it is not trained on, beside what it should say."""

    prompt: str
    wanted: str
    said: str


@dataclass(frozen=True, slots=True)
class Checkup:
    """A look at the model on `pairs` held-out pairs: mean loss (nats a completion token), and a few samples."""

    step: int
    loss: float
    pairs: int
    samples: tuple[Sample, ...]
