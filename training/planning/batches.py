"""Put examples of plan questions into batches."""

import random
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch
from tokenizers import Encoding, Tokenizer

from language.english.english import english
from services.retriever.plans.grammar.actions import FIXED, MAX_COLUMNS, MAX_VARIABLES, POINTERS, Action, Op
from services.retriever.plans.predictor.encoding import ActionIndex, encode_question
from training.planning.examples import Example
from training.planning.network import Batch

Integers = npt.NDArray[np.int64]
_MAX_TOKENS = 96
_MAX_TEXT_TOKENS = 14
_MAX_ELEMENTS = 48


def collate(examples: Sequence[Example], tokenizer: Tokenizer, dropped: random.Random | None = None) -> Batch:
    """Put examples into a batch; with `dropped`, leave out some of the schema elements that their plans do not name."""
    encodings = [tokenizer.encode(example.question) for example in examples]
    arrays = _Arrays(_Sizes.of(examples, encodings))
    kept = _kept(examples, dropped)
    texts: dict[str, int] = {}
    for row, (example, encoding) in enumerate(zip(examples, encodings, strict=True)):
        arrays.add_question(row, example, encoding, kept[id(example.schema)], texts)
        arrays.add_plan(row, example, np.flatnonzero(~kept[id(example.schema)]))
    return arrays.batch(*_encoded(list(texts), tokenizer))


@dataclass(frozen=True)
class _Sizes:
    """Hold the largest numbers of an example in a batch of n."""

    n: int
    tokens: int
    elements: int
    values: int
    steps: int

    @classmethod
    def of(cls, examples: Sequence[Example], encodings: Sequence[Encoding]) -> "_Sizes":
        return cls(
            len(examples),
            min(_MAX_TOKENS, max(len(one.ids) for one in encodings)),
            max(len(one.schema.encoded.types) for one in examples),
            max(1, max(len(one.values) for one in examples)),
            max(len(one.actions) for one in examples),
        )


class _Arrays:
    """Hold the arrays of a batch, which examples fill row by row; see `Batch`."""

    def __init__(self, sizes: _Sizes) -> None:
        """Create arrays without examples."""
        self._sizes = sizes
        n, tokens, count, values, steps = sizes.n, sizes.tokens, sizes.elements, sizes.values, sizes.steps
        size = tokens + count + values
        width = FIXED + 3 * count + values + 2 * MAX_VARIABLES + MAX_COLUMNS
        self.token_ids, self.token_mask = np.zeros((n, tokens), np.int64), np.zeros((n, tokens), np.int64)
        self.elements, self.types = np.zeros((n, count), np.int64), np.zeros((n, count), np.int64)
        self.element_mask, self.value_mask = np.zeros((n, count), bool), np.zeros((n, values), bool)
        self.spans, self.forms = np.zeros((n, values, tokens), np.float32), np.zeros((n, values), np.int64)
        self.links = np.zeros((n, size, size), np.int8)
        self.previous = np.full((n, steps), FIXED, np.int64)
        self.position, self.group = np.full((n, steps), -1, np.int64), np.zeros((n, steps), np.int64)
        self.variables = np.full((n, steps, MAX_VARIABLES), -1, np.int64)
        self.legal = np.zeros((n, steps, width), bool)
        self.gold = np.full((n, steps), -1, np.int64)

    def add_question(
        self, row: int, example: Example, encoding: Encoding, kept: npt.NDArray[np.bool_], texts: dict[str, int]
    ) -> None:
        """Fill a row with a question and its schema, of which only the `kept` elements are shown.

        `texts` numbers the different texts of elements, and receives new ones.
        """
        schema, sizes = example.schema, self._sizes
        own, own_values, length = len(schema.texts), len(example.values), min(sizes.tokens, len(encoding.ids))
        self.token_ids[row, :length], self.token_mask[row, :length] = encoding.ids[:length], 1
        self.elements[row, :own] = [
            texts.setdefault(text, len(texts)) if is_kept else 0
            for text, is_kept in zip(schema.texts, kept, strict=True)
        ]
        self.types[row, :own] = schema.encoded.types
        self.element_mask[row, :own] = kept
        self.value_mask[row, :own_values] = True
        encoded = encode_question(english(example.question), encoding.offsets[:length], example.values, schema.encoded)
        starts = ((0, length), (sizes.tokens, own), (sizes.tokens + sizes.elements, own_values))
        places = np.concatenate([start + np.arange(count) for start, count in starts])
        self.links[row][np.ix_(places, places)] = encoded.links
        for number, (first, last) in enumerate(encoded.spans):
            self.spans[row, number, first:last] = 1.0 / max(1, last - first)
        self.forms[row, :own_values] = encoded.forms

    def add_plan(self, row: int, example: Example, gone: Integers) -> None:
        """Fill a row with the actions of a plan, of which those with `gone` elements are illegal."""
        sizes = self._sizes
        shift = _shift(len(example.schema.texts), len(example.values), sizes.elements, sizes.values)
        legal = self.legal[row]
        for step, numbers in enumerate(example.legal):
            legal[step, shift[numbers]] = True
        for part in range(3):
            legal[:, FIXED + part * sizes.elements + gone] = False
        self.gold[row, : len(example.actions)] = shift[example.gold]
        legal[len(example.actions) :, 0] = True
        bound = example.variables.astype(np.int64)
        self.variables[row, : len(bound)] = np.where(bound >= 0, bound + sizes.tokens, -1)
        for step, action in enumerate(example.actions[:-1], 1):
            found = _previous(action, example, step, sizes.tokens, sizes.elements)
            self.previous[row, step], self.position[row, step], self.group[row, step] = found

    def batch(self, text_ids: Integers, text_mask: Integers) -> Batch:
        """Return the batch, with the tokens of the texts of elements."""
        arrays = (
            self.token_ids, self.token_mask, text_ids, text_mask, self.elements, self.types, self.element_mask,
            self.spans, self.forms, self.value_mask, self.links, self.previous, self.position, self.group,
            self.variables, self.legal, self.gold,
        )  # fmt: skip
        return Batch(*map(torch.from_numpy, arrays))


def _encoded(texts: list[str], tokenizer: Tokenizer) -> tuple[Integers, Integers]:
    """Return the tokens of texts, and where there are any, both [U, L]."""
    encodings = tokenizer.encode_batch(texts)
    width = min(_MAX_TEXT_TOKENS, max(len(one.ids) for one in encodings))
    ids, mask = np.zeros((len(texts), width), np.int64), np.zeros((len(texts), width), np.int64)
    for row, one in enumerate(encodings):
        length = min(width, len(one.ids))
        ids[row, :length], mask[row, :length] = one.ids[:length], 1
    return ids, mask


def _shift(elements: int, values: int, count: int, padded_values: int) -> Integers:
    """Return the number of each action in a batch with more elements and values."""
    parts = [np.arange(FIXED)]
    start = FIXED
    for _ in range(3):
        parts.append(start + np.arange(elements))
        start += count
    parts.append(start + np.arange(values))
    start += padded_values
    parts.append(start + np.arange(2 * MAX_VARIABLES + MAX_COLUMNS))
    return np.concatenate(parts)


def _previous(action: Action, example: Example, step: int, tokens: int, count: int) -> tuple[int, int, int]:
    """Return the fixed number of an action, the position that it points to, and how it points to it."""
    if action.op < FIXED:
        return int(action.op), -1, 0
    group = POINTERS.index(action.op)
    element = ActionIndex(example.schema.encoded, len(example.values)).element(action)
    if element is not None:
        return FIXED, tokens + element, group
    if action.op is Op.VALUE:
        return FIXED, tokens + count + action.number, group
    if action.op is Op.COLUMN:
        return FIXED, -1, group
    place = int(example.variables[step, action.number])
    return FIXED, tokens + place if place >= 0 else -1, group


def _kept(examples: Sequence[Example], dropped: random.Random | None) -> dict[int, npt.NDArray[np.bool_]]:
    """Choose the elements of each schema that the questions of a batch read."""
    found = {}
    by_schema: dict[int, list[Example]] = {}
    for example in examples:
        by_schema.setdefault(id(example.schema), []).append(example)
    for key, group in by_schema.items():
        count = len(group[0].schema.texts)
        if dropped is None:
            found[key] = np.ones(count, dtype=bool)
            continue
        index = ActionIndex(group[0].schema.encoded, 0)
        needed = {
            element for example in group for action in example.actions if (element := index.element(action)) is not None
        }
        needed |= {int(one) for example in group for one in example.variables.ravel() if one >= 0}
        rate = max(dropped.choice((0.0, 0.0, 0.1, 0.3, 0.5)), 1.0 - _MAX_ELEMENTS / count)
        found[key] = np.array([number in needed or dropped.random() >= rate for number in range(count)])
    return found
