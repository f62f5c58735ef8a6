"""Define a LoRA fine-tuning: its pairs, its settings, and its reports. Free of torch, which takes seconds to import."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Pair:
    """One training example: the user's message, and the completion that the model should learn."""

    prompt: str
    completion: str


@dataclass(frozen=True, slots=True)
class LoraSettings:
    """Hyperparameters of a fine-tuning. `batch` counts pairs per update, `pack_tokens` tokens per packed sequence."""

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
    # RRA, section 5.1.3. The warm-up and decay of the learning rate are this project's.
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

# A learning rate of 1e-3 would destroy what the adapter has learned.
CONTINUED = LoraSettings(learning_rate=5e-4)


@dataclass(frozen=True, slots=True)
class Progress:
    """The state after an update. `loss` is the update's mean loss in nats per completion token."""

    step: int
    steps: int
    loss: float
    tokens: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Sample:
    """A held-out prompt with the expected and the generated completion."""

    prompt: str
    expected: str
    generated: str


@dataclass(frozen=True, slots=True)
class Validation:
    """Mean loss (nats per completion token) on `pairs` held-out pairs after an update, and a few samples."""

    step: int
    loss: float
    pairs: int
    samples: tuple[Sample, ...]


@dataclass(frozen=True, slots=True)
class Reports:
    """Callbacks of a fine-tuning: one after each update, one after each validation."""

    progress: Callable[[Progress], None] = lambda _: None
    validation: Callable[[Validation], None] = lambda _: None
