"""Find the names in a question that the value index lacks: aliases, short names, misspelt names, and rare names."""

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from graph.store import Entity, NameMatch
from language.english.function_words import JOINING
from language.english.nationalities import places_of
from language.question import Question
from language.values import QuestionValue, ValueForm
from services.retriever.plans.assembly.constants import converted
from services.retriever.plans.names.value_index import is_too_common, overlaps
from services.retriever.plans.schema.graph_view import GraphView
from services.retriever.plans.schema.schema_elements import SchemaElements
from shared.text import normalise

_MAX_WORDS = 6
_MAX_SPANS = 150
_MAX_SPELLINGS = 300
_MIN_LETTERS = 3
_MIN_MISSPELT = 5
_MAX_UNKNOWN = 5


@dataclass(frozen=True, slots=True)
class _Found:
    start: int
    end: int
    entity: Entity


class NameLinks:
    """Look up the names in questions; instances are safe for concurrent use."""

    def __init__(self, view: GraphView, elements: SchemaElements, known: Container[str] | None = None) -> None:
        """Look names up in a graph; lower-case words that are not `known` may be misspelt names.

        Without `known` words, only capitalised texts may be.
        """
        self._view = view
        self._known = known
        self._store = view.store
        self._elements = elements
        self._numbers = {
            kind: elements.property_numbers[False, kind, key] for kind, key in elements.name_properties.items()
        }

    async def complete(self, question: Question, values: Sequence[QuestionValue]) -> list[QuestionValue]:
        """Add the names that only the store knows to the values of a question, in the order of the question.

        Raises DependencyError if the store does not respond.
        """
        if not self._numbers:
            return list(values)
        found = await self._exact(question, values)
        found += await self._respelled(question, values, [(one.start, one.end) for one in found])
        found += await self._adjectives(question, values, [(one.start, one.end) for one in found])
        spans = [(one.start, one.end) for one in found]
        unknown = [
            one
            for one in values
            if one.form is ValueForm.TEXT and not one.stored and not overlaps(one.start, one.end, spans)
        ]
        unknown += self._unknown_words(question, [*spans, *((one.start, one.end) for one in values)])
        found += await self._similar([one for one in unknown if not _is_code(one.text)])
        kinds = await self._view.kinds_of(list({one.entity.id: one.entity for one in found}.values()))
        linked = {(one.start, one.end): self._value(question, one, kinds) for one in found}
        return _without_lists(_merged(values, {span: one for span, one in linked.items() if one.stored}), question)

    async def with_meant(self, question: Question, values: Sequence[QuestionValue]) -> list[QuestionValue]:
        """Let names of which the question says what they mean stand for that in place of any other value.

        Raises DependencyError if the store does not respond.
        """
        found = [_Found(start, end, Entity(one.id, one.name)) for start, end, one in question.meant_spans]
        kinds = await self._view.kinds_of([one.entity for one in found]) if found else {}
        meant = [one for one in (self._value(question, two, kinds) for two in found) if one.stored]
        spans = [(one.start, one.end) for one in meant]
        kept = [one for one in values if not overlaps(one.start, one.end, spans)]
        return sorted([*kept, *meant], key=lambda one: (one.start, one.end))

    def _unknown_words(self, question: Question, taken: Sequence[tuple[int, int]]) -> list[QuestionValue]:
        """Return the lower-case words that are no words, and so may be misspelt names: `carribean`."""
        if self._known is None:
            return []
        taken = [*taken, *((one.start, one.end) for one in question.phrases)]
        words = ((start, end, question.text[start:end], root) for start, end, root in question.words)
        return [
            QuestionValue(start, end, ValueForm.TEXT, word, word)
            for start, end, word, root in words
            if word.islower() and len(word) >= _MIN_MISSPELT and root not in self._elements.words
            if not is_known_word(word, root, self._known) and not overlaps(start, end, taken)
        ][:_MAX_UNKNOWN]

    async def _exact(self, question: Question, values: Sequence[QuestionValue]) -> list[_Found]:
        covered = [(one.start, one.end) for one in values if one.stored or one.form is ValueForm.QUOTED]
        spans = [
            (start, end)
            for start, end in _spans(question)
            if not any(first <= start and end <= last for first, last in covered)
        ][:_MAX_SPANS]
        matches = await self._store.entities_named([question.text[start:end] for start, end in spans])
        found: list[_Found] = []
        for (start, end), [*several] in zip(spans, matches, strict=True):
            if several and not overlaps(start, end, [(one.start, one.end) for one in found]):
                found.append(_Found(start, end, several[0].entity))
        return found

    async def _respelled(
        self, question: Question, values: Sequence[QuestionValue], found: Sequence[tuple[int, int]]
    ) -> list[_Found]:
        """Look for names that the graph writes in another way, such as `Lost Pier, The`."""
        taken = [*found, *((one.start, one.end) for one in values if one.stored or one.form is ValueForm.QUOTED)]
        asked = [
            (start, end, name)
            for start, end in _spans(question)
            if not any(first <= start and end <= last for first, last in taken)
            for name in question.spellings_at(start, end)
        ][:_MAX_SPELLINGS]
        return await self._first_named(asked)

    async def _adjectives(
        self, question: Question, values: Sequence[QuestionValue], found: Sequence[tuple[int, int]]
    ) -> list[_Found]:
        """Look for names behind adjectives, such as `South America` behind `South American`."""
        taken = [*found, *((one.start, one.end) for one in values if one.stored or one.form is ValueForm.QUOTED)]
        asked = [
            (start, end, noun)
            for start, end in _spans(question)
            if not overlaps(start, end, taken)
            for noun in places_of(question.text[start:end])
        ][:_MAX_SPANS]
        return await self._first_named(asked)

    async def _first_named(self, asked: Sequence[tuple[int, int, str]]) -> list[_Found]:
        """Look names up, and return the first match of each span, without spans that overlap with earlier ones."""
        if not asked:
            return []
        matches = await self._store.entities_named([name for _, _, name in asked])
        linked: list[_Found] = []
        for (start, end, _), [*several] in zip(asked, matches, strict=True):
            if several and not overlaps(start, end, [(one.start, one.end) for one in linked]):
                linked.append(_Found(start, end, several[0].entity))
        return linked

    async def _similar(self, unknown: Sequence[QuestionValue]) -> list[_Found]:
        """Look for short names and misspelt names among the texts that are still unknown."""
        texts = [one.text for one in unknown]
        if not texts:
            return []
        short = await self._store.entities_by_short_name(texts)
        misspelt = await self._store.entities_like(texts)
        found = []
        for value, by_short_name, by_spelling in zip(unknown, short, misspelt, strict=True):
            several = by_short_name or [one for one in by_spelling if is_close(value.text, one)]
            if several:
                found.append(_Found(value.start, value.end, several[0].entity))
        return found

    def _value(self, question: Question, found: _Found, kinds: Mapping[str, str]) -> QuestionValue:
        number = self._numbers.get(kinds.get(found.entity.id, ""))
        text = question.text[found.start : found.end]
        named = QuestionValue(found.start, found.end, ValueForm.TEXT, found.entity.name, text)
        stored = {} if number is None else {number: converted(named, self._elements.properties[number].schema.content)}
        return replace(named, value=text, stored=stored)


def _spans(question: Question) -> Iterable[tuple[int, int]]:
    """Yield the spans that may be names, longest first."""
    words = question.words
    for count in range(min(_MAX_WORDS, len(words)), 0, -1):
        for first in range(len(words) - count + 1):
            start, end = words[first][0], words[first + count - 1][1]
            text = question.text[start:end]
            is_code = text.isupper() and len(text) > 1
            if count > 1 or is_code or (len(text) >= _MIN_LETTERS and not is_too_common(normalise(text))):
                yield start, end


def _without_lists(values: Sequence[QuestionValue], question: Question) -> list[QuestionValue]:
    """Leave out texts such as `G7 and NATO` that consist of stored names and words that join them."""
    stored = [one for one in values if one.stored]

    def is_list(one: QuestionValue) -> bool:
        inside = [name for name in stored if one.start <= name.start and name.end <= one.end]
        rest = question.text[one.start : one.end]
        for name in inside:
            rest = rest.replace(name.text, " ", 1)
        return len(inside) > 1 and JOINING.issuperset(normalise(rest).split())

    return [one for one in values if one.stored or one.form is not ValueForm.TEXT or not is_list(one)]


def _is_code(text: str) -> bool:
    """Return whether a text is a number, a code, or an identifier, whose neighbours are other things."""
    return any(map(str.isdigit, text))


def is_known_word(word: str, root: str, known: Container[str]) -> bool:
    """Return whether a word with this stem, or a form of it, is among known words."""
    return any(form in known for form in (word, root, f"{root}e", f"{root}y", word.removesuffix("s")))


def is_close(text: str, match: NameMatch) -> bool:
    """Return whether a text may be a misspelt name; short texts are not."""
    return len(text) >= _MIN_MISSPELT and match.distance <= 1 + len(text) // 10


def _merged(values: Sequence[QuestionValue], linked: Mapping[tuple[int, int], QuestionValue]) -> list[QuestionValue]:
    """Let a linked name replace the values within it that are no stored ones."""
    kept = [one for one in values if one.stored or not overlaps(one.start, one.end, linked)]
    same = {(one.start, one.end): one for one in kept}
    added = [
        replace(one, stored={**one.stored, **same[span].stored}) if span in same else one
        for span, one in linked.items()
    ]
    return sorted(
        [*(one for one in kept if (one.start, one.end) not in linked), *added], key=lambda one: (one.start, one.end)
    )
