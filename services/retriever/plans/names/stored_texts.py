"""Read the texts that a graph stores, and index them by what questions may call them."""

import logging
from collections import defaultdict
from collections.abc import Iterable, Sequence

from graph.plan.algebra import (
    Column,
    Match,
    NodePattern,
    Plan,
    Project,
    Property,
    RelationshipPattern,
    Slice,
    Step,
    Unnest,
    Variable,
)
from graph.plan.values import Value, ValueType
from language.english.stems import stem, stems_of
from services.retriever.plans.names.value_index import ValueIndex, is_too_common
from services.retriever.plans.schema.graph_view import GraphView
from services.retriever.plans.schema.schema_elements import OwnedProperty, SchemaElements
from shared.errors import PlanLimitError
from shared.text import normalise

log = logging.getLogger(__name__)

MAX_DISTINCT = 50_000
_MAX_LENGTH = 120
_FEW = 300
"""The number of distinct values up to which people also inflect the values: `Swiss francs`."""

_LEAST_INFLECTED = 3
"""The number of letters from which a word is inflected: `cats`."""

_VERY_FEW = 20
"""The number of distinct values up to which one word of a value can stand for it."""

_MOST_NAMES = 2_000
"""The number of names up to which a word that only one of them has can stand for it."""

_MOST_WORDS_OF_PERSON = 4


async def build_value_index(view: GraphView, elements: SchemaElements) -> ValueIndex:
    """Read the distinct texts of all properties that hold short texts."""
    index = _Builder(elements)
    for number, one in enumerate(elements.properties):
        if one.schema.content not in (ValueType.STRING, ValueType.LIST):
            continue
        try:
            values = await distinct_values(view, elements, number)
        except PlanLimitError as error:
            log.warning("questions cannot name the values of %s.%s by themselves: %s", one.owner, one.key, error.detail)
            continue
        index.add(number, one, [text for text in values if isinstance(text, str) and 0 < len(text) <= _MAX_LENGTH])
    verbs = frozenset(
        root for one in elements.connections for name in (one.type, *one.names) for root in stems_of(name)
    )
    readings = {one.schema.reading for one in elements.properties if one.schema.content is ValueType.DATE}
    return ValueIndex(
        texts=dict(index.texts),
        stems=dict(index.stems),
        spellings=index.spellings,
        parts=dict(index.parts),
        verbs=verbs,
        schema_words=elements.words,
        readings=sorted(filter(None, readings)),
    )


class _Builder:
    """Collect what a `ValueIndex` holds."""

    def __init__(self, elements: SchemaElements) -> None:
        self._elements = elements
        self.texts: dict[str, dict[int, str]] = defaultdict(dict)
        self.stems: dict[str, dict[int, str]] = defaultdict(dict)
        self.spellings: dict[tuple[int, str], list[str]] = {}
        self.parts: dict[str, dict[int, str]] = defaultdict(dict)

    def add(self, number: int, one: OwnedProperty, found: Sequence[str]) -> None:
        """Index the distinct texts of a property."""
        for text in found:
            first = self.texts[normalise(text)].setdefault(number, text)
            if first != text:
                self.spellings.setdefault((number, first), [first]).append(text)
        if len(found) <= _FEW:
            self._add_inflected(number, found)
        is_name = not one.of_relationship and self._elements.name_properties.get(one.owner) == one.key
        if 1 < len(found) <= _VERY_FEW and not is_name:
            for word, text in _telling_words(found, self._elements.words):
                self.stems[stem(word)].setdefault(number, self.texts[normalise(text)][number])
        if is_name and len(found) <= _MOST_NAMES:
            for word, text in _only_parts(found):
                self.parts[word].setdefault(number, text)

    def _add_inflected(self, number: int, found: Sequence[str]) -> None:
        for text in found:
            words = normalise(text).split()
            if all(map(str.isalpha, words)) and len("".join(words)) >= _LEAST_INFLECTED:
                self.stems[" ".join(map(stem, words))].setdefault(number, self.texts[normalise(text)][number])


def _only_parts(names: Sequence[str]) -> Iterable[tuple[str, str]]:
    """Yield the words that only one of the names has: first names, and names without their title."""
    holders: dict[str, list[str]] = defaultdict(list)
    for name in names:
        words = normalise(name).split()
        if 1 < len(words) <= _MOST_WORDS_OF_PERSON and all(map(str.isalpha, words)):
            for part in {*words, " ".join(words[1:])}:
                holders[part].append(name)
    for part, having in holders.items():
        if len(having) == 1 and len(part) > 2 and not is_too_common(part):
            yield part, having[0]


def _telling_words(texts: Sequence[str], said: frozenset[str]) -> Iterable[tuple[str, str]]:
    """Yield the words that only one of the texts has, such as `left` for `left side`.

    Words of the schema tell nothing.
    """
    holders: dict[str, set[str]] = defaultdict(set)
    for text in texts:
        for word in normalise(text).split():
            holders[word].add(text)
    for word, having in holders.items():
        [text, *others] = having
        is_known = stem(word) in said or is_too_common(word)
        if not others and len(word) > 3 and word.isalpha() and word != normalise(text) and not is_known:
            yield word, text


async def distinct_values(
    view: GraphView, elements: SchemaElements, number: int, most: int | None = None
) -> Sequence[Value]:
    """Return the distinct values of a property, at most `most` or `MAX_DISTINCT`; for lists, their items."""
    most = most or MAX_DISTINCT
    one = elements.properties[number]
    if one.of_relationship:
        pattern = Match(
            (NodePattern("a"), NodePattern("b")), (RelationshipPattern("a", "b", (one.owner,), variable="x"),)
        )
    else:
        pattern = Match((NodePattern("x", (one.owner,) if one.owner else ()),))
    steps: list[Step] = [pattern, Project((Column("value", Property("x", one.key)),), distinct=True)]
    if one.schema.content is ValueType.LIST:
        steps += [Unnest("item", Variable("value")), Project((Column("value", Variable("item")),), distinct=True)]
    result = await view.store.run(view.runnable(Plan((*steps, Slice(most)))), most)
    return [row[0] for row in result.rows]
