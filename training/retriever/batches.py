"""Batches of training questions: shuffled, made noisy, tokenised; in an order that can be taken up again."""

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
import torch
from torch import Tensor

from training.retriever.augmentation import Noise
from training.retriever.examples import MaskedQuestion
from training.retriever.scoring import PathTable

CHUNK_BATCHES = 20

T = TypeVar("T")

# Token ids and their mask, [n, tokens], the topics' steps, [n, steps], and the steps of the gold paths, [n, H].
Inputs = tuple[Tensor, Tensor, Tensor, Tensor]


@dataclass(frozen=True)
class Batch:
    """Questions with what the network reads of them."""

    questions: list[MaskedQuestion]
    inputs: Inputs


class Batches:
    """Endless epochs over `questions`, which may be read otherwise (another gold path) between two chunks."""

    def __init__(
        self,
        questions: Sequence[MaskedQuestion],
        table: PathTable,
        tokenizer: Any,
        synonyms: Mapping[str, Sequence[str]],
        noise: tuple[float, float],
        size: int,
        seed: int,
    ) -> None:
        """`noise`: how much is left out and replaced, see `Noise`."""
        self.questions = list(questions)
        self._table = table
        self._tokenizer = tokenizer
        self._size = size
        self._shuffler, noisy = random.Random(seed), random.Random(seed)
        self._noise_source = noisy
        self._noise = Noise(*noise, synonyms, noisy)
        self._left: list[int] = []

    def chunk(self) -> list[Batch]:
        """The next batches; questions of like length share one, so that little is computed on padding."""
        if not self._left:
            self._left = self._shuffler.sample(range(len(self.questions)), len(self.questions))
        size = self._size * CHUNK_BATCHES
        chosen, self._left = [self.questions[index] for index in self._left[:size]], self._left[size:]
        pairs = [
            ((self._noise.text(question.text), self._noise.steps(question.topic_steps)), question)
            for question in chosen
        ]
        batches = []
        for part in of_like_length(pairs, lambda pair: pair[0][0], self._size, self._shuffler):
            asked = [question for _, question in part]
            batches.append(Batch(asked, inputs(self._tokenizer, self._table, asked, [read for read, _ in part])))
        return batches

    def state(self) -> dict[str, Any]:
        """Where the order stands, for `restore`."""
        paths = [question.path for question in self.questions]
        return {
            "left": self._left,
            "shuffler": self._shuffler.getstate(),
            "noise": self._noise_source.getstate(),
            "paths": paths,
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        """Go on where `state` was taken."""
        self._left = list(state["left"])
        self._shuffler.setstate(state["shuffler"])
        self._noise_source.setstate(state["noise"])
        self.questions = [question.read_as(path) for question, path in zip(self.questions, state["paths"], strict=True)]


def of_like_length(items: Sequence[T], text: Callable[[T], str], size: int, shuffler: random.Random) -> list[list[T]]:
    """Parts of `size` items whose texts are of like length, in random order."""
    ordered = sorted(items, key=lambda item: len(text(item)))
    parts = [ordered[start : start + size] for start in range(0, len(ordered), size)]
    shuffler.shuffle(parts)
    return parts


def inputs(
    tokenizer: Any, table: PathTable, questions: Sequence[MaskedQuestion], read: Sequence[tuple[str, frozenset[str]]]
) -> Inputs:
    """`read`: each question's text and topic steps as the network is to read them."""
    encodings = tokenizer.encode_batch([text for text, _ in read])
    return (
        torch.tensor([encoding.ids for encoding in encodings]),
        torch.tensor([encoding.attention_mask for encoding in encodings]),
        torch.from_numpy(np.stack([table.flags(steps) for _, steps in read]).astype(np.float32)),
        torch.from_numpy(table.taken(questions)),
    )
