"""Parse English questions."""

from collections.abc import Callable
from datetime import date

from language.connected import Connected
from language.conversation import Fragment, Reference, SmallTalk
from language.described import Described
from language.english.connections import connected
from language.english.descriptions import described
from language.english.fragments import fragment
from language.english.marks import PATTERNS
from language.english.mentions import MAX_MENTION_WORDS, mentions_in, word_spans
from language.english.misspellings import respelled
from language.english.name_spellings import spellings_at
from language.english.operators import OPERATORS, aggregate_words, operator_words
from language.english.place_adjectives import places_at
from language.english.quantities import asked_unit, compared
from language.english.question_dates import uncertain_dates
from language.english.question_values import literal_values
from language.english.references import references
from language.english.relative_dates import relative_dates
from language.english.small_talk import small_talk
from language.english.stems import question_words
from language.english.voice import does, has
from language.english.wordings import in_known_words
from language.marks import Mark
from language.mentions import Mention
from language.question import Phrase, Question, Said, Word
from language.units import AskedUnit, Compared
from language.values import QuestionValue, UncertainDate

_ANY_DAY = date(2000, 1, 1)


class English:
    """Parse English questions; see `language.question.Language`."""

    def words(self, text: str) -> tuple[Word, ...]:
        """Return the words with their stems."""
        return tuple(Word(*one) for one in question_words(text))

    def word_spans(self, text: str) -> tuple[tuple[int, int], ...]:
        """Return the starts and ends of the words that names consist of."""
        return tuple(word_spans(text))

    def mentions(self, text: str, max_words: int | None = None) -> tuple[Mention, ...]:
        """Return the spans that may be names."""
        return tuple(mentions_in(text, MAX_MENTION_WORDS if max_words is None else max_words))

    def spellings_at(self, text: str, start: int, end: int) -> list[str]:
        """Return other spellings of the name in a span."""
        return spellings_at(text, start, end)

    def places_at(self, text: str, start: int, end: int) -> list[str]:
        """Return the names of the places that an adjective in a span stands for."""
        return places_at(text, start, end)

    def described(self, text: str) -> Described | None:
        """Return what a text asks about as a whole."""
        return described(text)

    def connected(self, text: str) -> Connected | None:
        """Return what a text asks to connect."""
        return connected(text)

    def operator_words(self, text: str) -> frozenset[str]:
        """Return the words and phrases that a relation path cannot express."""
        return operator_words(text)

    def aggregate_words(self, text: str) -> frozenset[str]:
        """Return those of them that ask for one number."""
        return aggregate_words(text)

    def values(self, text: str, asked_on: date) -> tuple[QuestionValue, ...]:
        """Return the numbers, dates, periods, and names."""
        return tuple(literal_values(text, asked_on))

    def find(self, mark: Mark, text: str) -> tuple[Said, ...]:
        """Return all places where a text says what a mark stands for."""
        return tuple(
            Said(
                one.start(),
                one.end(),
                one.group(),
                one.groups(),
                tuple(one.start(number) for number in range(1, 1 + len(one.groups()))),
            )
            for one in PATTERNS[mark].finditer(text)
        )

    def phrases(self, text: str) -> tuple[Phrase, ...]:
        """Return the operators, in the order of `OPERATORS`; `last` in `last week` is none."""
        dates = [(one.start, one.end) for one in relative_dates(text, _ANY_DAY)]
        return tuple(
            Phrase(*found.span(), number)
            for number, one in enumerate(OPERATORS)
            for found in one.pattern.finditer(text)
            if not any(start <= found.start() and found.end() <= end for start, end in dates)
        )

    def uncertain_dates(self, text: str) -> tuple[UncertainDate, ...]:
        """Return the dates in digits that may be one of several days."""
        return tuple(uncertain_dates(text))

    def in_known_words(self, text: str) -> str:
        """Return a text in which comparisons with a number are not negated."""
        return in_known_words(text)

    def respelled(self, word: str, is_likely: Callable[[str], bool]) -> str | None:
        """Return what a misspelt word stands for."""
        return respelled(word, is_likely)

    def asked_unit(self, text: str) -> AskedUnit | None:
        """Return the unit in which a number is wanted."""
        return asked_unit(text)

    def compared(self, text: str) -> Compared | None:
        """Return what is compared."""
        return compared(text)

    def references(self, text: str) -> tuple[Reference, ...]:
        """Return the nouns with `this` or `those`, then the pronouns."""
        return tuple(references(text))

    def fragment(self, text: str) -> Fragment | None:
        """Return what a text without a verb is about."""
        return fragment(text)

    def does(self, text: str, name: tuple[int, int], verb: tuple[int, int]) -> bool | None:
        """Return whether a name does what a verb says, and is not whom it is done to."""
        return does(text, name, verb)

    def has(self, text: str, name: tuple[int, int], noun: tuple[int, int]) -> bool:
        """Return whether a noun is that of a name."""
        return has(text, name, noun)

    def small_talk(self, text: str) -> SmallTalk | None:
        """Return what greetings and thanks say."""
        return small_talk(text)


ENGLISH = English()


def english(text: str, asked_on: date | None = None) -> Question:
    """Return an English question, asked today unless another day is given.

    Example:
        >>> english("Which halls do not hold more than 500 people?").in_known_words.text
        'Which halls hold at most 500 people?'
    """
    return Question(text, ENGLISH, asked_on or date.today())
