"""Find the stored values of a graph that a question names."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from graph.plan.text_readings import TextReading, value_in
from language.english.function_words import OPENERS, TOO_COMMON
from language.english.nationalities import places_of
from language.marks import Mark
from language.question import Question
from language.values import QuestionValue, ValueForm
from shared.text import normalise

_MAX_WORDS = 10
_CODE_LETTERS = 3


@dataclass(frozen=True)
class ValueIndex:
    """Map normalised texts, and stems of categories, to the properties that hold them, with the text as stored.

    `spellings` holds the texts that a property stores in several spellings, by their first one. `parts` maps words that
    only one name has to this name, such as first names. `verbs` are the stems of the words in types of relationships,
    and `schema_words` those of the words in all names of the schema. `readings` are those of properties whose texts are
    dates.
    """

    texts: Mapping[str, Mapping[int, str]]
    stems: Mapping[str, Mapping[int, str]] = field(default_factory=dict)
    spellings: Mapping[tuple[int, str], Sequence[str]] = field(default_factory=dict)
    parts: Mapping[str, Mapping[int, str]] = field(default_factory=dict)
    verbs: frozenset[str] = frozenset()
    schema_words: frozenset[str] = frozenset()
    readings: Sequence[TextReading] = ()

    def values(self, question: Question) -> list[QuestionValue]:
        """Return the values of a question: those that it states literally, and those that the graph stores."""
        found: dict[tuple[int, int], QuestionValue] = {}
        others: list[QuestionValue] = []
        for value in self._stated(question):
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
            text = question.text[start:end]
            found[start, end] = QuestionValue(start, end, ValueForm.TEXT, text, text, stored)
        kept = [value for value in found.values() if not _is_part(value, found.values(), question)]
        return sorted(map(self._spelt, [*kept, *others]), key=lambda value: (value.start, value.end))

    def by_parts(self, question: Question, values: Sequence[QuestionValue]) -> list[QuestionValue]:
        """Let texts that nothing else has explained stand for the only name that has them: Ann for Ann Lee.

        So may words of the question that begin with a capital, also the first one, and all words of a question
        without capitals, unless the schema has them.
        """
        found = [
            replace(one, stored=self.parts.get(normalise(one.text), {}))
            if one.form is ValueForm.TEXT and not one.stored
            else one
            for one in values
        ]
        known = [(one.start, one.end) for one in found if one.stored or one.form is not ValueForm.TEXT]
        parts = [one for one in self._parts_in(question) if not overlaps(one.start, one.end, known)]
        taken = [(one.start, one.end) for one in parts]
        others = [one for one in found if not overlaps(one.start, one.end, taken)]
        return sorted([*others, *parts], key=lambda one: (one.start, one.end))

    def _parts_in(self, question: Question) -> Iterable[QuestionValue]:
        """Yield the words that may stand for the only name that has them: no operators, and no words that ask."""
        is_lower = question.text.islower()
        operators = [(one.start, one.end) for one in question.phrases]
        for start, end, root in question.words:
            text = question.text[start:end]
            if text.lower() in OPENERS or any(first <= start and end <= last for first, last in operators):
                continue
            stored = self.parts.get(normalise(text), {}) if is_lower or text[0].isupper() else {}
            if stored and root not in self.schema_words:
                yield QuestionValue(start, end, ValueForm.TEXT, text, text, stored)

    def _stated(self, question: Question) -> list[QuestionValue]:
        """Return what a question states, with dates for texts that may be several days."""
        uncertain = {(one.start, one.end) for one in question.uncertain_dates}
        return [self._dated(one) if (one.start, one.end) in uncertain else one for one in question.stated]

    def _dated(self, value: QuestionValue) -> QuestionValue:
        """Return a text that may be several days as one of them if the dates of a property may tell which."""
        days = [day for reading in self.readings if (day := value_in(value.text, reading)) is not None]
        return replace(value, form=ValueForm.DATE, value=days[0], is_uncertain=True) if days else value

    def _spelt(self, value: QuestionValue) -> QuestionValue:
        """Return a value as it is stored in the spelling of the question; with all spellings if it is in none."""
        if not self.spellings:
            return value
        stored, spellings = dict(value.stored), {}
        for number, text in value.stored.items():
            several = self.spellings.get((number, str(text)), ())
            if value.text in several:
                stored[number] = value.text
            elif found := tuple(one for one in several if one.lower() == str(text).lower()):
                spellings[number] = found
        return replace(value, stored=stored, spellings=spellings)

    def _holding(self, name: str) -> Mapping[int, str]:
        return self.texts.get(normalise(name), {})

    def _named(self, question: Question, start: int, end: int) -> Mapping[int, str]:
        """Return what the graph stores for a text, and for the place that it may stand for, by property."""
        text = question.text[start:end]
        places = list(reversed(places_of(text)))
        names = [*places, text]
        if any(map(self._holding, places)) and question.places_at(start, end):
            names = places
        elif self._holding(text) and question.says(Mark.ABOUT_LANGUAGE):
            names = [text]
        return {number: stored for name in names for number, stored in self._holding(name).items()}

    def _spans(self, question: Question) -> Iterable[tuple[int, int, Mapping[int, str]]]:
        """Yield the spans that the graph stores, longest first."""
        words = question.words
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
            word, stored = question.text[start:end].lower(), self.stems.get(root)
            if stored and word not in TOO_COMMON and not self._is_verb(word, root, stored):
                yield start, end, stored

    def _is_verb(self, word: str, root: str, stored: Mapping[int, str]) -> bool:
        """Return whether a word names a relationship rather than a category: `restored`, but not `restorers`."""
        return root in self.verbs and not any(word.startswith(normalise(text)) for text in stored.values())


def _as_written(stored: Mapping[int, str], question: Question, start: int, end: int) -> Mapping[int, str]:
    """Leave out codes such as `.so` if a short word in lower case lacks their sign."""
    text = question.text[start:end]
    if len(text) > _CODE_LETTERS or not text.islower():
        return stored
    return {
        number: one for number, one in stored.items() if one[0].isalnum() or question.text[start - 1 : start] == one[0]
    }


def _is_ordinary(question: Question, start: int, end: int) -> bool:
    """Return whether a word names no value on its own: neither does `so`, nor `ve` in `I've`.

    `US` may, unless the whole question is in upper case.
    """
    word = question.text[start:end]
    if any(one.start == start for one in question.all(Mark.CONTRACTED)):
        return True
    is_abbreviation = word.isupper() and not question.text.isupper()
    return len(word) < 2 or (normalise(word) in TOO_COMMON and not is_abbreviation)


def overlaps(start: int, end: int, spans: Iterable[tuple[int, int]]) -> bool:
    """Return whether a part of a question has characters in common with one of some spans."""
    return any(first < end and start < last for first, last in spans)


def _is_part(value: QuestionValue, others: Iterable[QuestionValue], question: Question) -> bool:
    """Return whether an unknown text is a part of a stored one, or a stored one and words in lower case."""
    if value.stored or value.form is not ValueForm.TEXT:
        return False
    stored = [one for one in others if one.stored and one.start < value.end and value.start < one.end]
    if any(one.start <= value.start and value.end <= one.end for one in stored):
        return True
    rest = "".join(
        character
        for place, character in enumerate(question.text[value.start : value.end], value.start)
        if not any(one.start <= place < one.end for one in stored)
    )
    return bool(stored) and not any(character.isupper() or character.isdigit() for character in rest)


def is_too_common(word: str) -> bool:
    """Return whether a word is so common that it names a value only within a longer text."""
    return word in TOO_COMMON
