"""Turn a question and a schema into the arrays that the plan model reads."""

from collections import defaultdict
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from enum import IntEnum

import numpy as np
import numpy.typing as npt

from graph.plan.values import ValueType
from language.english.abbreviations import abbreviates
from language.question import Question
from language.values import QuestionValue, ValueForm
from services.retriever.plans.grammar.actions import FIXED, MAX_COLUMNS, MAX_VARIABLES, Action, Op
from services.retriever.plans.schema.schema_elements import OwnedProperty, SchemaElements

Integers = npt.NDArray[np.int64]
FORMS = tuple(ValueForm)
_CONTENT = {
    ValueType.INTEGER: 0, ValueType.FLOAT: 0, ValueType.STRING: 1, ValueType.DATE: 2, ValueType.DATETIME: 2,
    ValueType.BOOLEAN: 3, ValueType.LIST: 4,
}  # fmt: skip
_OTHER_CONTENT = 5
# Types of elements: kind, connection, property of a node by content, name property, property of a relationship.
ELEMENT_TYPES = 2 + 2 * 6 + 1


class Link(IntEnum):
    """Name how one position of the model's input is related to another."""

    NONE = 0
    SELF = 1
    TOKENS = 2
    NEXT_TOKEN = 3
    PREVIOUS_TOKEN = 4
    WORD_NAMES_ELEMENT = 5
    WORD_IN_ELEMENT = 6
    ELEMENT_NAMED_BY_WORD = 7
    ELEMENT_HAS_WORD = 8
    KIND_HAS = 9
    PROPERTY_OF = 10
    SOURCE_OF = 11
    LEAVES = 12
    TARGET_OF = 13
    REACHES = 14
    TYPE_HAS = 15
    PROPERTY_OF_TYPE = 16
    TOKEN_OF_VALUE = 17
    VALUE_OF_TOKEN = 18
    VALUE_STORED_IN = 19
    STORES_VALUE = 20
    SAME_KEY = 21
    VALUE_FITS = 22
    FITS_VALUE = 23


LINKS = len(Link)


@dataclass(frozen=True)
class EncodedSchema:
    """Hold what depends on the schema alone.

    `types`, [E], holds the type of each element; `links`, [E, E], how they are related; `stems` the words of
    each of their names; and `parts`, all these words by their first letters.
    """

    types: Integers
    links: npt.NDArray[np.int8]
    stems: list[list[frozenset[str]]]
    parts: Mapping[str, Set[str]]
    kinds: int
    connections: int


def encode_schema(elements: SchemaElements) -> EncodedSchema:
    """Return the types and links of schema elements: kinds, then connections, then properties."""
    kinds, connections = len(elements.kinds), len(elements.connections)
    count = kinds + connections + len(elements.properties)
    types = np.zeros(count, dtype=np.int64)
    types[kinds : kinds + connections] = 1
    types[kinds + connections :] = [_property_type(one, elements) for one in elements.properties]
    links = np.zeros((count, count), dtype=np.int8)
    np.fill_diagonal(links, Link.SELF)
    _link_connections(links, elements)
    _link_properties(links, elements)
    stems = elements.own_stems
    return EncodedSchema(types, links, stems, _by_first_letter(stems), kinds, connections)


def _by_first_letter(stems: Sequence[Sequence[frozenset[str]]]) -> dict[str, set[str]]:
    found: dict[str, set[str]] = defaultdict(set)
    for part in (part for names in stems for own in names for part in own):
        found[part[0]].add(part)
    return found


def _property_type(one: OwnedProperty, elements: SchemaElements) -> int:
    if not one.of_relationship and elements.name_properties.get(one.owner) == one.key:
        return ELEMENT_TYPES - 1
    content = _CONTENT.get(one.schema.content, _OTHER_CONTENT) if one.schema.content is not None else _OTHER_CONTENT
    return 2 + content + 6 * one.of_relationship


def _link_connections(links: npt.NDArray[np.int8], elements: SchemaElements) -> None:
    place = {kind: number for number, kind in enumerate(elements.kinds)}
    for number, connection in enumerate(elements.connections, len(elements.kinds)):
        for target in connection.targets:
            links[number, place[target]], links[place[target], number] = Link.REACHES, Link.TARGET_OF
        links[number, place[connection.source]], links[place[connection.source], number] = Link.LEAVES, Link.SOURCE_OF


def _link_properties(links: npt.NDArray[np.int8], elements: SchemaElements) -> None:
    place = {kind: number for number, kind in enumerate(elements.kinds)}
    by_type: dict[str, list[int]] = defaultdict(list)
    for number, connection in enumerate(elements.connections, len(elements.kinds)):
        by_type[connection.type].append(number)
    by_key: dict[str, list[int]] = defaultdict(list)
    for number, one in enumerate(elements.properties, len(elements.kinds) + len(elements.connections)):
        if one.of_relationship:
            for owner in by_type[one.owner]:
                links[owner, number], links[number, owner] = Link.TYPE_HAS, Link.PROPERTY_OF_TYPE
        else:
            links[place[one.owner], number], links[number, place[one.owner]] = Link.KIND_HAS, Link.PROPERTY_OF
        for other in by_key[one.key]:
            links[number, other] = links[other, number] = Link.SAME_KEY
        by_key[one.key].append(number)


@dataclass(frozen=True)
class EncodedQuestion:
    """Hold the links of the whole input of one question: tokens, then elements, then values.

    `links` has shape [T + E + V, T + E + V]; `spans`, [V, 2], holds the first token of each value and the one after
    its last; `forms`, [V], their forms.
    """

    links: npt.NDArray[np.int8]
    spans: Integers
    forms: Integers


def encode_question(
    question: Question,
    offsets: Sequence[tuple[int, int]],
    values: Sequence[QuestionValue],
    schema: EncodedSchema,
) -> EncodedQuestion:
    """Return how the tokens, elements, and values of a question are related.

    Args:
        question: The question.
        offsets: Where each token starts and ends in the question; equal numbers for special tokens.
        values: The values of the question.
        schema: The schema.
    """
    tokens, elements = len(offsets), len(schema.types)
    size = tokens + elements + len(values)
    links = np.zeros((size, size), dtype=np.int8)
    links[:tokens, :tokens] = Link.TOKENS
    for place in range(tokens - 1):
        links[place, place + 1], links[place + 1, place] = Link.NEXT_TOKEN, Link.PREVIOUS_TOKEN
    links[tokens : tokens + elements, tokens : tokens + elements] = schema.links
    _link_words(links, question, offsets, schema, tokens)
    spans = [_token_span(value, offsets) for value in values]
    for number, (value, (first, last)) in enumerate(zip(values, spans, strict=True), tokens + elements):
        links[number, first:last], links[first:last, number] = Link.VALUE_OF_TOKEN, Link.TOKEN_OF_VALUE
        for property_number in value.stored:
            column = tokens + schema.kinds + schema.connections + property_number
            links[number, column], links[column, number] = Link.VALUE_STORED_IN, Link.STORES_VALUE
    np.fill_diagonal(links, Link.SELF)
    forms = np.array([FORMS.index(value.form) for value in values], dtype=np.int64)
    return EncodedQuestion(links, np.array(spans, dtype=np.int64).reshape(-1, 2), forms)


def _token_span(value: QuestionValue, offsets: Sequence[tuple[int, int]]) -> tuple[int, int]:
    """Return the first token of a value, and the one after its last; the first token of all if none is inside."""
    inside = [place for place, (start, end) in enumerate(offsets) if start < value.end and value.start < end]
    return (inside[0], inside[-1] + 1) if inside else (0, 1)


def _link_words(
    links: npt.NDArray[np.int8],
    question: Question,
    offsets: Sequence[tuple[int, int]],
    schema: EncodedSchema,
    tokens: int,
) -> None:
    """Mark the tokens whose words are a name, or a part of a name, of an element, or are abbreviated there."""
    tokens_of: dict[str, list[int]] = defaultdict(list)
    stems_said: dict[str, str] = {}  # by the word
    for first, last, stem in question.words:
        tokens_of[stem] += [place for place, (start, end) in enumerate(offsets) if start < last and first < end]
        stems_said[question.text[first:last].lower()] = stem
    said_by: dict[str, set[str]] = defaultdict(set)
    for word, stem in stems_said.items():
        said_by[stem].add(stem)
        for part in schema.parts.get(word[0], ()):
            if abbreviates(part, word):
                said_by[part].add(stem)
    named = ((element, own) for element, names in enumerate(schema.stems, tokens) for own in reversed(names))
    for element, own in named:
        said = [said_by.get(part, ()) for part in own]
        shared = {stem for stems in said for stem in stems}
        is_whole = all(said)
        for place in (place for stem in shared for place in tokens_of[stem]):
            links[place, element] = Link.WORD_NAMES_ELEMENT if is_whole else Link.WORD_IN_ELEMENT
            links[element, place] = Link.ELEMENT_NAMED_BY_WORD if is_whole else Link.ELEMENT_HAS_WORD


def element_number(action: Action, kinds: int, connections: int) -> int | None:
    """Return the number of the element that an action points to, if it points to one, in a schema of this size."""
    match action.op:
        case Op.KIND:
            return action.number
        case Op.OUT | Op.IN | Op.BOTH:
            return kinds + action.number
        case Op.PROPERTY:
            return kinds + connections + action.number
    return None


class ActionIndex:
    """Number the actions that are possible for a schema and the values of a question.

    Fixed actions come first, then those that point to elements (three for each: a kind, a step along a connection, or a
    property; a step against it; a step in either direction), to values, and to variables and columns.
    """

    def __init__(self, schema: EncodedSchema, values: int) -> None:
        self._elements = len(schema.types)
        self._kinds, self._connections = schema.kinds, schema.connections
        self.values = values
        self.size = FIXED + 3 * self._elements + values + 2 * MAX_VARIABLES + MAX_COLUMNS

    def element(self, action: Action) -> int | None:
        """Return the number of the element that an action points to, if it points to one."""
        return element_number(action, self._kinds, self._connections)

    def __call__(self, action: Action) -> int:
        """Return the number of an action."""
        op = action.op
        if op < FIXED:
            return int(op)
        element = self.element(action)
        if element is not None:
            shift = {Op.IN: 1, Op.BOTH: 2}.get(op, 0)
            return FIXED + shift * self._elements + element
        start = FIXED + 3 * self._elements
        if op is Op.VALUE:
            return start + action.number
        start += self.values
        if op is Op.FOCUS:
            return start + action.number
        if op is Op.VARIABLE:
            return start + MAX_VARIABLES + action.number
        return start + 2 * MAX_VARIABLES + action.number
