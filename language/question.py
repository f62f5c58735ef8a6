"""Define a question as it is read: parsed once, and taken by every stage from the entities to the reply."""

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from functools import cached_property
from typing import NamedTuple, Protocol

from language.connected import Connected
from language.conversation import Fragment, Reference, SmallTalk
from language.described import Described
from language.marks import Mark
from language.meant import Meant
from language.mentions import Mention
from language.units import AskedUnit, Compared
from language.values import QuestionValue, UncertainDate
from shared.text import normalise


class Word(NamedTuple):
    """Hold a word of a question: where it starts and ends, and its stem."""

    start: int
    end: int
    root: str


class Said(NamedTuple):
    """Hold what a question says in some place, and the parts of it that the mark captures; None for a missing part."""

    start: int
    end: int
    text: str
    parts: tuple[str | None, ...]
    places: tuple[int, ...]
    """The places where the parts start; -1 for a missing one."""


class Phrase(NamedTuple):
    """Hold an operator in a question, such as `how many`: where it is, and which operator of the language it is."""

    start: int
    end: int
    operator: int


class Language(Protocol):
    """Parse what a question of a language says. Each method is called once for a question, and with its whole text."""

    def words(self, text: str) -> tuple[Word, ...]:
        """Return the words, in their order."""

    def word_spans(self, text: str) -> tuple[tuple[int, int], ...]:
        """Return the starts and ends of the words that names consist of, or of the first and last ones of many."""

    def mentions(self, text: str, max_words: int | None = None) -> tuple[Mention, ...]:
        """Return the spans that may be names, longest first, of up to a number of words."""

    def spellings_at(self, text: str, start: int, end: int) -> list[str]:
        """Return other spellings of the name in a span."""

    def places_at(self, text: str, start: int, end: int) -> list[str]:
        """Return the names of the places that an adjective in a span stands for."""

    def described(self, text: str) -> Described | None:
        """Return what a text asks about as a whole; None if it asks for something else."""

    def connected(self, text: str) -> Connected | None:
        """Return what a text asks to connect; None if it asks for something else."""

    def operator_words(self, text: str) -> frozenset[str]:
        """Return the words and phrases that a relation path cannot express, in lower case."""

    def aggregate_words(self, text: str) -> frozenset[str]:
        """Return those of them that ask for one number."""

    def values(self, text: str, asked_on: date) -> tuple[QuestionValue, ...]:
        """Return the numbers, dates, periods, and names, in their order; their spans may overlap."""

    def find(self, mark: Mark, text: str) -> tuple[Said, ...]:
        """Return all places where a text says what a mark stands for."""

    def phrases(self, text: str) -> tuple[Phrase, ...]:
        """Return the operators, operator by operator."""

    def uncertain_dates(self, text: str) -> tuple[UncertainDate, ...]:
        """Return the dates in digits that may be one of several days."""

    def in_known_words(self, text: str) -> str:
        """Return a text in which comparisons with a number are not negated."""

    def respelled(self, word: str, is_likely: Callable[[str], bool]) -> str | None:
        """Return what a misspelt word stands for, a likely word rather than any other; None for others."""

    def asked_unit(self, text: str) -> AskedUnit | None:
        """Return the unit in which a number is wanted; None if the question names none."""

    def compared(self, text: str) -> Compared | None:
        """Return what is compared; None if that may be anything, or several things."""

    def references(self, text: str) -> tuple[Reference, ...]:
        """Return what may refer to something before it: nouns with `this` or `those` first, then pronouns."""

    def fragment(self, text: str) -> Fragment | None:
        """Return what a text without a verb is about; None if it has a verb."""

    def does(self, text: str, name: tuple[int, int], verb: tuple[int, int]) -> bool | None:
        """Return whether a name does what a verb says, and is not whom it is done to; None if that is not said."""

    def has(self, text: str, name: tuple[int, int], noun: tuple[int, int]) -> bool:
        """Return whether a noun is that of a name."""

    def small_talk(self, text: str) -> SmallTalk | None:
        """Return what a text says that consists of greetings and thanks alone; None for any other."""


class Question:
    """Hold a question in a language, with what it says. Immutable; each part is parsed when it is first needed.

    Two questions are equal if their texts, the days on which they are asked, and what is meant by their names are.

    Attributes:
        text: The text.
        language: The language, which parses it.
        asked_on: The day on which it is asked.
        meant: What is meant by names of which whoever asks says so, by the names as the question has them.
        among: The ids of the only things that the question asks about; none if it asks about all.
    """

    def __init__(
        self,
        text: str,
        language: Language,
        asked_on: date,
        meant: Mapping[str, Meant] | None = None,
        among: Sequence[str] = (),
    ) -> None:
        """Hold a text in a language, asked on a day."""
        self.text = text
        self.language = language
        self.asked_on = asked_on
        self.meant = meant or {}
        self.among = tuple(among)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Question) and self._identity == other._identity

    def __hash__(self) -> int:
        return hash((self.text, self.asked_on))

    def __repr__(self) -> str:
        return f"Question({self.text!r}, {self.asked_on.isoformat()})"

    @property
    def _identity(self) -> tuple[str, date, Mapping[str, Meant], tuple[str, ...]]:
        return self.text, self.asked_on, self.meant, self.among

    @cached_property
    def words(self) -> tuple[Word, ...]:
        """Return the words, in their order."""
        return self.language.words(self.text)

    @cached_property
    def roots(self) -> frozenset[str]:
        """Return the stems of the words."""
        return frozenset(word.root for word in self.words)

    @cached_property
    def word_spans(self) -> tuple[tuple[int, int], ...]:
        """Return the starts and ends of the words that names consist of, or of the first and last ones of many."""
        return self.language.word_spans(self.text)

    @cached_property
    def mentions(self) -> tuple[Mention, ...]:
        """Return the spans that may be names, longest first, as written and without the endings of possessives."""
        return self.language.mentions(self.text)

    def mentions_of(self, max_words: int) -> tuple[Mention, ...]:
        """Return the mentions of up to a number of words."""
        return self.language.mentions(self.text, max_words)

    def spellings_at(self, start: int, end: int) -> list[str]:
        """Return other spellings of the name in a span, normalised, the likeliest first."""
        return self.language.spellings_at(self.text, start, end)

    def places_at(self, start: int, end: int) -> list[str]:
        """Return the names of the places that an adjective in a span stands for; none if it stands for none."""
        return self.language.places_at(self.text, start, end)

    @cached_property
    def described(self) -> Described | None:
        """Return what the question asks about as a whole; None if it asks for something else."""
        return self.language.described(self.text)

    @cached_property
    def connected(self) -> Connected | None:
        """Return what the question asks to connect, as `What links X and Y?`; None if it asks for something else."""
        return self.language.connected(self.text)

    @cached_property
    def operator_words(self) -> frozenset[str]:
        """Return the words and phrases that a relation path cannot express, such as `how many`, in lower case."""
        return self.language.operator_words(self.text)

    @cached_property
    def aggregate_words(self) -> frozenset[str]:
        """Return those of the operator words that ask for one number."""
        return self.language.aggregate_words(self.text)

    @cached_property
    def stated(self) -> tuple[QuestionValue, ...]:
        """Return the values that the question states, in their order; their spans may overlap."""
        return self.language.values(self.text, self.asked_on)

    @cached_property
    def phrases(self) -> tuple[Phrase, ...]:
        """Return the operators, operator by operator."""
        return self.language.phrases(self.text)

    @cached_property
    def asked_unit(self) -> AskedUnit | None:
        """Return the unit in which the question wants a number: `how many hours`, or `in hours`."""
        return self.language.asked_unit(self.text)

    @cached_property
    def compared(self) -> Compared | None:
        """Return what the question compares; None if that may be anything, or several things."""
        return self.language.compared(self.text)

    @cached_property
    def references(self) -> tuple[Reference, ...]:
        """Return what may refer to something before it: nouns with `this` or `those` first, then pronouns."""
        return self.language.references(self.text)

    @cached_property
    def fragment(self) -> Fragment | None:
        """Return what a question without a verb is about, such as `And in Germany?`; None if it has a verb."""
        return self.language.fragment(self.text)

    @cached_property
    def small_talk(self) -> SmallTalk | None:
        """Return what is said by greetings and thanks alone; None if something is asked."""
        return self.language.small_talk(self.text)

    @cached_property
    def _found(self) -> dict[Mark, tuple[Said, ...]]:
        return {}

    def all(self, mark: Mark) -> tuple[Said, ...]:
        """Return all places where the question says what a mark stands for."""
        if mark not in self._found:
            self._found[mark] = self.language.find(mark, self.text)
        return self._found[mark]

    def first(self, mark: Mark) -> Said | None:
        """Return the first place where the question says what a mark stands for."""
        return next(iter(self.all(mark)), None)

    def says(self, mark: Mark) -> bool:
        """Return whether the question says what a mark stands for."""
        return bool(self.all(mark))

    def before(self, place: int, mark: Mark) -> Said | None:
        """Return what stands right before a place, if it is what a mark stands for; see `Mark`."""
        return next(iter(self.language.find(mark, self.text[:place])), None)

    @cached_property
    def uncertain_dates(self) -> tuple[UncertainDate, ...]:
        """Return the dates in digits that may be one of several days, which are no values."""
        return self.language.uncertain_dates(self.text)

    @cached_property
    def in_known_words(self) -> "Question":
        """Return the question in the words that the models know: `at most 500` for `no more than 500`."""
        return self.reworded(self.language.in_known_words(self.text))

    def reworded(self, text: str) -> "Question":
        """Return another text of the same question."""
        return self if text == self.text else Question(text, self.language, self.asked_on, self.meant, self.among)

    def meaning(self, meant: Mapping[str, Meant], among: Sequence[str] = ()) -> "Question":
        """Return the question with what is meant by some of its names, and with the only things that it asks about."""
        return Question(self.text, self.language, self.asked_on, meant, among)

    def meant_by(self, name: str) -> Meant | None:
        """Return what is meant by a name; None if whoever asks does not say it."""
        said = normalise(name) if self.meant else ""
        return next((one for written, one in self.meant.items() if normalise(written) == said), None)

    @cached_property
    def meant_spans(self) -> tuple[tuple[int, int, Meant], ...]:
        """Return where the question has names of which whoever asks says what is meant; a longer name hides others."""
        found: list[tuple[int, int, Meant]] = []
        for name in sorted(self.meant, key=len, reverse=True):
            for one in re.finditer(_apart(name), self.text, re.IGNORECASE):
                if not any(start < one.end() and one.start() < end for start, end, _ in found):
                    found.append((*one.span(), self.meant[name]))
        return tuple(found)

    def with_words(self, spelt: Mapping[str, str]) -> "Question":
        """Return the question with other spellings of some of its words."""
        parts, end = list[str](), 0
        for first, last, _ in self.words:
            if (word := self.text[first:last]) in spelt:
                parts += [self.text[end:first], spelt[word]]
                end = last
        return self.reworded("".join([*parts, self.text[end:]]))

    def without(self, text: str | None) -> "Question":
        """Return the question without the first place where it has a text."""
        return self.reworded(self.text.replace(text, " ", 1)) if text else self

    def has_apart(self, text: str) -> bool:
        """Return whether the question has a text as words of its own: `art` in `art of Rome`, but not in `artist`."""
        return re.search(_apart(text), self.text) is not None

    def as_written(self, text: str) -> str | None:
        """Return how the question writes a text, whatever its case; None if it lacks the text."""
        found = re.search(re.escape(text), self.text, re.IGNORECASE)
        return found.group() if found else None

    def hidden(self, spans: Sequence[tuple[int, int]]) -> "Question":
        """Return the question with `x` for the letters and digits in some spans, so that other spans stay valid."""
        text = self.text
        for start, end in spans:
            hidden = "".join("x" if one.isalnum() or one == "_" else one for one in text[start:end])
            text = f"{text[:start]}{hidden}{text[end:]}"
        return self.reworded(text)


def _apart(text: str) -> str:
    return rf"(?<!\w){re.escape(text)}(?!\w)"
