"""Find the stored values of a graph that a question names."""

import logging
import re
import tomllib
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from services.retriever.linking.place_adjectives import is_about_language, means_place
from services.retriever.planning.graph_view import GraphView
from services.retriever.planning.nationalities import places_of
from services.retriever.planning.question_values import QuestionValue, ValueForm, literal_values
from services.retriever.planning.schema_elements import SchemaElements
from services.retriever.planning.stems import question_words, stem
from shared.plan.algebra import (
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
from shared.plan.result import PlanLimitError
from shared.plan.values import Value, ValueType
from shared.text import normalise

log = logging.getLogger(__name__)

MAX_DISTINCT = 50_000
_MAX_LENGTH = 120
_MAX_WORDS = 10
_FEW = 300
"""The number of distinct values up to which people also inflect the values: `Swiss francs`."""

_VERY_FEW = 20
"""The number of distinct values up to which one word of a value can stand for it."""

_MOST_NAMES = 2_000
"""The number of names up to which a word that only one of them has can stand for it."""

_MOST_WORDS_OF_PERSON = 4
_CODE_LETTERS = 3
_CONTRACTED = re.compile(r"\w['’]$")
_CONTRACTIONS = frozenset(("s", "t", "ve", "ll", "re", "d", "m"))
_LISTS = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
_TOO_COMMON = frozenset(_LISTS["common_words"].split())


@dataclass(frozen=True)
class ValueIndex:
    """Map normalised texts, and stems of categories, to the properties that hold them, with the text as stored.

    `spellings` holds the texts that a property stores in several spellings, by their first one. `parts` maps words that
    only one name has to this name, such as first names.
    """

    texts: Mapping[str, Mapping[int, str]]
    stems: Mapping[str, Mapping[int, str]] = field(default_factory=dict)
    spellings: Mapping[tuple[int, str], Sequence[str]] = field(default_factory=dict)
    parts: Mapping[str, Mapping[int, str]] = field(default_factory=dict)

    def values(self, question: str) -> list[QuestionValue]:
        """Return the values of a question: those that it states literally, and those that the graph stores."""
        found: dict[tuple[int, int], QuestionValue] = {}
        others: list[QuestionValue] = []
        for value in literal_values(question):
            if value.form in (ValueForm.TEXT, ValueForm.QUOTED):
                is_text = value.form is ValueForm.TEXT
                stored = self._named(question, value.start, value.end) if is_text else self._holding(value.text)
                found[value.start, value.end] = replace(value, stored=stored) if stored else value
            elif (stored := self._holding(value.text)) and not value.is_period:
                others.append(replace(value, stored=stored))
            else:
                others.append(value)
        quoted = [span for span, value in found.items() if value.form is ValueForm.QUOTED]
        covered: list[tuple[int, int]] = [span for span, value in found.items() if value.stored]
        for start, end, stored in self._spans(question):
            if any(first <= start and end <= last for first, last in (*covered, *quoted)):
                continue
            covered.append((start, end))
            text = question[start:end]
            found[start, end] = QuestionValue(start, end, ValueForm.TEXT, text, text, stored)
        kept = [value for value in found.values() if not _is_part(value, found.values(), question)]
        return sorted(map(self._spelt, [*kept, *others]), key=lambda value: (value.start, value.end))

    def by_parts(self, values: Sequence[QuestionValue]) -> list[QuestionValue]:
        """Let texts that nothing else has explained stand for the only name that has them: Ann for Ann Lee."""
        return [
            replace(one, stored=self.parts.get(normalise(one.text), {}))
            if one.form is ValueForm.TEXT and not one.stored
            else one
            for one in values
        ]

    def _spelt(self, value: QuestionValue) -> QuestionValue:
        """Return a value as it is stored in the spelling of the question; with all spellings if it is in none."""
        stored, spellings = dict(value.stored), {}
        for number, text in value.stored.items():
            several = self.spellings.get((number, str(text)), ())
            if value.text in several:
                stored[number] = value.text
            elif found := tuple(one for one in several if one.lower() == str(text).lower()):
                spellings[number] = found
        return replace(value, stored=stored, spellings=spellings) if self.spellings else value

    def _holding(self, name: str) -> Mapping[int, str]:
        return self.texts.get(normalise(name), {})

    def _named(self, question: str, start: int, end: int) -> Mapping[int, str]:
        """Return what the graph stores for a text, and for the place that it may stand for, by property."""
        text, places = question[start:end], list(reversed(places_of(question[start:end])))
        names = [*places, text]
        if any(map(self._holding, places)) and means_place(question, start, end):
            names = places
        elif self._holding(text) and is_about_language(question):
            names = [text]
        return {number: stored for name in names for number, stored in self._holding(name).items()}

    def _spans(self, question: str) -> Iterable[tuple[int, int, Mapping[int, str]]]:
        """Yield the spans that the graph stores, longest first."""
        words = question_words(question)
        for count in range(min(_MAX_WORDS, len(words)), 0, -1):
            for first in range(len(words) - count + 1):
                start, end = words[first][0], words[first + count - 1][1]
                if count == 1 and _is_ordinary(question, start, end):
                    continue
                held = _as_written(self._named(question, start, end), question, start, end)
                if not held and count > 1:
                    held = self.stems.get(" ".join(root for *_, root in words[first : first + count]), {})
                if held:
                    yield start, end, held
        for start, end, root in words:
            if question[start:end].lower() not in _TOO_COMMON and (stored := self.stems.get(root)):
                yield start, end, stored


def _as_written(stored: Mapping[int, str], question: str, start: int, end: int) -> Mapping[int, str]:
    """Leave out codes such as `.so` if a short word in lower case lacks their sign."""
    text = question[start:end]
    if len(text) > _CODE_LETTERS or not text.islower():
        return stored
    return {number: one for number, one in stored.items() if one[0].isalnum() or question[start - 1 : start] == one[0]}


def _is_ordinary(question: str, start: int, end: int) -> bool:
    """Return whether a word names no value on its own: neither does `so`, nor `ve` in `I've`.

    `US` may, unless the whole question is in upper case.
    """
    word = question[start:end]
    if _CONTRACTED.search(question, 0, start) and word.lower() in _CONTRACTIONS:
        return True
    is_abbreviation = word.isupper() and not question.isupper()
    return len(word) < 2 or (normalise(word) in _TOO_COMMON and not is_abbreviation)


def _is_part(value: QuestionValue, others: Iterable[QuestionValue], question: str) -> bool:
    """Return whether an unknown text is a part of a stored one, or a stored one and words in lower case."""
    if value.stored or value.form is not ValueForm.TEXT:
        return False
    stored = [one for one in others if one.stored and one.start < value.end and value.start < one.end]
    if any(one.start <= value.start and value.end <= one.end for one in stored):
        return True
    rest = "".join(
        character
        for place, character in enumerate(question[value.start : value.end], value.start)
        if not any(one.start <= place < one.end for one in stored)
    )
    return bool(stored) and not any(character.isupper() or character.isdigit() for character in rest)


def is_too_common(word: str) -> bool:
    """Return whether a word is so common that it names a value only within a longer text."""
    return word in _TOO_COMMON


async def build_value_index(view: GraphView, elements: SchemaElements) -> ValueIndex:
    """Read the distinct texts of all properties that hold short texts."""
    texts: dict[str, dict[int, str]] = defaultdict(dict)
    stems: dict[str, dict[int, str]] = defaultdict(dict)
    spellings: dict[tuple[int, str], list[str]] = {}
    parts: dict[str, dict[int, str]] = defaultdict(dict)
    said = elements.words
    for number, one in enumerate(elements.properties):
        if one.schema.content not in (ValueType.STRING, ValueType.LIST):
            continue
        try:
            values = await distinct_values(view, elements, number)
        except PlanLimitError as error:
            log.warning("questions cannot name the values of %s.%s by themselves: %s", one.owner, one.key, error.detail)
            continue
        found = [text for text in values if isinstance(text, str) and 0 < len(text) <= _MAX_LENGTH]
        for text in found:
            first = texts[normalise(text)].setdefault(number, text)
            if first != text:
                spellings.setdefault((number, first), [first]).append(text)
        if len(found) <= _FEW:
            for text in found:
                words = normalise(text).split()
                if all(map(str.isalpha, words)) and (len(words) > 1 or len(text) > 3):
                    stems[" ".join(map(stem, words))].setdefault(number, texts[normalise(text)][number])
        is_name = not one.of_relationship and elements.name_properties.get(one.owner) == one.key
        if 1 < len(found) <= _VERY_FEW and not is_name:
            for word, text in _telling_words(found, said):
                stems[stem(word)].setdefault(number, texts[normalise(text)][number])
        if is_name and len(found) <= _MOST_NAMES:
            for word, text in _only_parts(found):
                parts[word].setdefault(number, text)
    return ValueIndex(dict(texts), dict(stems), spellings, dict(parts))


def _only_parts(names: Sequence[str]) -> Iterable[tuple[str, str]]:
    """Yield the words that only one of the names has: first names, and names without their title."""
    holders: dict[str, list[str]] = defaultdict(list)
    for name in names:
        words = normalise(name).split()
        if 1 < len(words) <= _MOST_WORDS_OF_PERSON and all(map(str.isalpha, words)):
            for part in {*words, " ".join(words[1:])}:
                holders[part].append(name)
    for part, having in holders.items():
        if len(having) == 1 and len(part) > 2 and part not in _TOO_COMMON:
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
        is_known = stem(word) in said or word in _TOO_COMMON
        if not others and len(word) > 3 and word.isalpha() and word != normalise(text) and not is_known:
            yield word, text


async def distinct_values(view: GraphView, elements: SchemaElements, number: int) -> Sequence[Value]:
    """Return the distinct values of a property; for lists, their items."""
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
    result = await view.store.run(view.runnable(Plan((*steps, Slice(MAX_DISTINCT)))), MAX_DISTINCT)
    return [row[0] for row in result.rows]
