"""Prepare plan questions as training examples, and put them into batches."""

import random
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
import torch
from tokenizers import Tokenizer

from graph.plan.schema import GraphSchema
from language.english.english import english
from language.values import QuestionValue
from services.retriever.plans.grammar.actions import FIXED, MAX_COLUMNS, MAX_VARIABLES, POINTERS, Action, Op
from services.retriever.plans.grammar.transitions import MAX_ACTIONS, State, legal_actions
from services.retriever.plans.predictor.encoding import ActionIndex, EncodedSchema, encode_question, encode_schema
from services.retriever.plans.schema.element_text import element_texts
from services.retriever.plans.schema.schema_elements import SchemaElements
from training.planning.network import Batch
from training.planning.oracle import InexpressibleError

Integers = npt.NDArray[np.int64]
_MAX_TEXT_TOKENS = 14
_MAX_ELEMENTS = 48


@dataclass
class SchemaInput:
    """Hold a schema in the forms that training needs."""

    schema: GraphSchema
    elements: SchemaElements = field(init=False)
    encoded: EncodedSchema = field(init=False)
    texts: list[str] = field(init=False)

    def __post_init__(self) -> None:
        self.elements = SchemaElements.of(self.schema)
        self.encoded = encode_schema(self.elements)
        self.texts = element_texts(self.elements)


@dataclass(frozen=True)
class Example:
    """Hold a question with the actions of its plan; `legal` lists the numbers of the legal actions in each step."""

    question: str
    schema: SchemaInput
    values: tuple[QuestionValue, ...]
    actions: tuple[Action, ...]
    legal: tuple[npt.NDArray[np.int16], ...]
    gold: npt.NDArray[np.int16]
    variables: npt.NDArray[np.int16]  # [S, MAX_VARIABLES]: the element that each variable stands for, or -1
    source: str = ""


def prepare(
    question: str, schema: SchemaInput, values: Sequence[QuestionValue], actions: Sequence[Action], source: str = ""
) -> Example:
    """Replay the actions to find out what is legal in each step. Raises InexpressibleError for an illegal action."""
    if len(actions) > MAX_ACTIONS:
        raise InexpressibleError("too many actions")
    index = ActionIndex(schema.encoded, len(values))
    types, periods = [value.types for value in values], [value.is_period for value in values]
    state = State(schema.elements)
    legal, gold, variables = [], [], []
    bound: list[int] = []
    for action in actions:
        numbers = np.fromiter((index(one) for one in legal_actions(state, types, periods)), dtype=np.int16)
        number = index(action)
        if number not in numbers:
            raise InexpressibleError(f"illegal {action.op.name}")
        legal.append(np.unique(numbers))
        gold.append(number)
        variables.append([*bound, *([-1] * (MAX_VARIABLES - len(bound)))])
        element = index.element(action)
        state = state.after(action)
        while len(bound) < len(state.kinds):
            bound.append(element if element is not None else 0)
    return Example(
        question, schema, tuple(values), tuple(actions), tuple(legal), np.array(gold, dtype=np.int16),
        np.array(variables, dtype=np.int16), source,
    )  # fmt: skip


def collate(examples: Sequence[Example], tokenizer: Tokenizer, dropped: random.Random | None = None) -> Batch:
    """Put examples into a batch; with `dropped`, leave out some of the schema elements that their plans do not name."""
    n = len(examples)
    encodings = [tokenizer.encode(example.question) for example in examples]
    tokens = min(96, max(len(one.ids) for one in encodings))
    count = max(len(one.schema.encoded.types) for one in examples)
    values = max(1, max(len(one.values) for one in examples))
    steps = max(len(one.actions) for one in examples)
    size = tokens + count + values
    width = FIXED + 3 * count + values + 2 * MAX_VARIABLES + MAX_COLUMNS
    texts: dict[str, int] = {}
    token_ids, token_mask = np.zeros((n, tokens), dtype=np.int64), np.zeros((n, tokens), dtype=np.int64)
    elements, types = np.zeros((n, count), dtype=np.int64), np.zeros((n, count), dtype=np.int64)
    element_mask, value_mask = np.zeros((n, count), dtype=bool), np.zeros((n, values), dtype=bool)
    spans, forms = np.zeros((n, values, tokens), dtype=np.float32), np.zeros((n, values), dtype=np.int64)
    links = np.zeros((n, size, size), dtype=np.int8)
    previous = np.full((n, steps), FIXED, dtype=np.int64)
    position, group = np.full((n, steps), -1, dtype=np.int64), np.zeros((n, steps), dtype=np.int64)
    variables = np.full((n, steps, MAX_VARIABLES), -1, dtype=np.int64)
    legal = np.zeros((n, steps, width), dtype=bool)
    gold = np.full((n, steps), -1, dtype=np.int64)
    kept_of = _kept(examples, dropped)
    for row, (example, encoding) in enumerate(zip(examples, encodings, strict=True)):
        schema = example.schema
        own, own_values, length = len(schema.texts), len(example.values), min(tokens, len(encoding.ids))
        token_ids[row, :length], token_mask[row, :length] = encoding.ids[:length], 1
        kept = kept_of[id(schema)]
        elements[row, :own] = [
            texts.setdefault(text, len(texts)) if is_kept else 0
            for text, is_kept in zip(schema.texts, kept, strict=True)
        ]
        types[row, :own] = schema.encoded.types
        element_mask[row, :own] = kept
        value_mask[row, :own_values] = True
        encoded = encode_question(english(example.question), encoding.offsets[:length], example.values, schema.encoded)
        places = np.concatenate([np.arange(length), tokens + np.arange(own), tokens + count + np.arange(own_values)])
        links[row][np.ix_(places, places)] = encoded.links
        for number, (first, last) in enumerate(encoded.spans):
            spans[row, number, first:last] = 1.0 / max(1, last - first)
        forms[row, :own_values] = encoded.forms
        shift = _shift(own, own_values, count, values)
        for step, numbers in enumerate(example.legal):
            legal[row, step, shift[numbers]] = True
        if dropped is not None:
            gone = np.flatnonzero(~kept)
            for part in range(3):
                legal[row][:, FIXED + part * count + gone] = False
        gold[row, : len(example.actions)] = shift[example.gold]
        legal[row, len(example.actions) :, 0] = True
        bound = example.variables.astype(np.int64)
        variables[row, : len(bound)] = np.where(bound >= 0, bound + tokens, -1)
        for step, action in enumerate(example.actions[:-1], 1):
            previous[row, step], position[row, step], group[row, step] = _previous(action, example, step, tokens, count)
    text_encodings = tokenizer.encode_batch(list(texts))
    text_width = min(_MAX_TEXT_TOKENS, max(len(one.ids) for one in text_encodings))
    text_ids, text_mask = (
        np.zeros((len(texts), text_width), dtype=np.int64),
        np.zeros((len(texts), text_width), dtype=np.int64),
    )
    for row, one in enumerate(text_encodings):
        length = min(text_width, len(one.ids))
        text_ids[row, :length], text_mask[row, :length] = one.ids[:length], 1
    arrays = (
        token_ids, token_mask, text_ids, text_mask, elements, types, element_mask, spans, forms, value_mask, links,
        previous, position, group, variables, legal, gold,
    )  # fmt: skip
    return Batch(*map(torch.from_numpy, arrays))


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
