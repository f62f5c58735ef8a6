"""Define pairs, settings, and reports for LoRA fine-tuning, without importing torch, which takes seconds to load."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Pair:
    """Hold one training example: the user's message, and the completion that the model should learn."""

    prompt: str
    completion: str


@dataclass(frozen=True, slots=True)
class LoraSettings:
    """Hold the hyperparameters for fine-tuning.

    `batch` is the number of pairs per update. `pack_tokens` is the maximum length of a pack. `neftune` is the magnitude
    of the noise on the embeddings in training (NEFTune's alpha); 0 is none.
    """

    rank: int = 16
    alpha: int = 32
    dropout: float = 0.0
    learning_rate: float = 1e-3
    warmup_steps: int = 20
    epochs: int = 1
    batch: int = 10
    max_tokens: int = 512
    pack_tokens: int = 512
    neftune: float = 0.0
    seed: int = 13


PRESETS = {
    "cpu": LoraSettings(),
    # RRA, section 5.1.3, except for the warm-up and decay of the learning rate, which are this project's choice.
    "paper": LoraSettings(
        rank=64, alpha=128, dropout=0.05, learning_rate=1e-4, epochs=10, batch=128, max_tokens=1024, pack_tokens=2048
    ),
}

CYPHER_PRESETS = {
    # The prompt of a query holds the schema, which a pack contains once.
    "cpu": LoraSettings(epochs=2, max_tokens=1536, pack_tokens=2048, neftune=5.0),
    # UniOQA, section 5.1, except for the rank, which it does not state, and for the number of steps.
    "paper": LoraSettings(
        rank=64, alpha=128, dropout=0.05, learning_rate=1e-4, epochs=3, batch=16, max_tokens=2048, pack_tokens=4096,
        neftune=5.0,
    ),
}  # fmt: skip

# A learning rate of 1e-3 would erase what the packaged adapter has learned.
CONTINUED = LoraSettings(learning_rate=5e-4)


@dataclass(frozen=True, slots=True)
class Progress:
    """Hold the state of training after an update; `loss` is the batch's mean loss, in nats per completion token."""

    step: int
    steps: int
    loss: float
    tokens: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Sample:
    """Hold a held-out prompt with the expected and the generated completion."""

    prompt: str
    expected: str
    generated: str


@dataclass(frozen=True, slots=True)
class Validation:
    """Hold the mean loss on `pairs` held-out pairs, in nats per completion token, and a few sample completions."""

    step: int
    loss: float
    pairs: int
    samples: tuple[Sample, ...]


@dataclass(frozen=True, slots=True)
class Reports:
    """Hold the callbacks that run after each update and after each validation."""

    progress: Callable[[Progress], None] = lambda _: None
    validation: Callable[[Validation], None] = lambda _: None
