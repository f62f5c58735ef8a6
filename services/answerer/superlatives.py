"""Word what an order and a limit chose: `Cliff Stage has the third highest capacity: 6000`."""

import re
from dataclasses import dataclass
from typing import Any

from graph.plan.value_text import value_text
from language.english.lexicon import words_of_class
from language.english.morphology import INTRANSITIVE_PASTS, PASSIVE_EVENTS, PAST_EVENTS, PREPOSITIONS, plural
from texts.verbalise.spoken import said_text

ORDINALS = ("", "second ", "third ", "fourth ", "fifth ", "sixth ", "seventh ", "eighth ", "ninth ", "tenth ")
_DATE = re.compile(r"\d{4}-\d\d-\d\d(?:T.*)?")
_YEARS = range(1000, 2101)
_OF_TWO = {
    "highest": "higher", "lowest": "lower", "latest": "later", "earliest": "earlier", "longest": "longer",
    "shortest": "shorter", "alphabetically last": "alphabetically last", "alphabetically first": "alphabetically first",
}  # fmt: skip
_OF_SIZES = {"highest": "greater", "lowest": "smaller"}
_SIZES = words_of_class("size")


@dataclass(frozen=True, slots=True)
class Chosen:
    """Say by which column an order and a limit chose the rows.

    Attributes:
        column: The place of the column.
        descending: Whether the greatest values come first.
        offset: How many rows were skipped.
        is_of_two: Whether the question names two things to choose from.
        is_tied: Whether rows that the limit cuts off have the same value.
        is_shared: Whether several rows have the value that a limit of one chose.
    """

    column: int
    descending: bool
    offset: int
    is_of_two: bool = False
    is_tied: bool = False
    is_shared: bool = False


@dataclass(frozen=True, slots=True)
class Measure:
    """Hold what rows are ordered by: its name in words, a value, its text, and what it counts if it is a count."""

    label: str
    value: Any
    text: str
    noun: str = ""
    is_time: bool = False
    is_duration: bool = False

    @property
    def event(self) -> str:
        """Return the verb of a label such as `born` or `opened`, whose value is a date or a year."""
        first, *others = self.label.split()
        is_dated = _DATE.fullmatch(value_text(self.value)) or (isinstance(self.value, int) and self.value in _YEARS)
        if not is_dated or not PREPOSITIONS.issuperset(others):
            return ""
        if first in PAST_EVENTS | INTRANSITIVE_PASTS or first in ("started", "began", "finished"):
            return first
        return f"was {first}" if first in PASSIVE_EVENTS or first == "born" else ""

    def most(self, chosen: Chosen) -> str:
        """Return `the third highest capacity`, or `the most musicians`."""
        ordinal = ORDINALS[chosen.offset]
        if self.noun:
            if chosen.is_of_two:
                return f"{'more' if chosen.descending else 'fewer'} {plural(self.noun)}"
            return f"the {ordinal}{'most' if chosen.descending else 'fewest'} {plural(self.noun)}"
        high, low = self._ends()
        word = high if chosen.descending else low
        if chosen.is_of_two and not ordinal:
            word = _OF_TWO[word] if self.label.split()[-1] not in _SIZES else _OF_SIZES.get(word, _OF_TWO[word])
        return f"the {ordinal}{word} {self.label}"

    def _ends(self) -> tuple[str, str]:
        """Return the words for the last and for the first of such values."""
        text = value_text(self.value)
        if self.is_time or self.is_duration or (said_text(text) != text and not _DATE.fullmatch(text)):
            return "longest", "shortest"
        if _DATE.fullmatch(text) or self.label.split()[-1:] == ["year"]:
            return "latest", "earliest"
        if isinstance(self.value, str):
            return "alphabetically last", "alphabetically first"
        return "highest", "lowest"


def superlative(name: str, noun: str, measure: Measure, chosen: Chosen) -> str:
    """Write a clause about a row that was chosen; `noun` says what it is if its name is only a value.

    Example:
        >>> superlative("Barn", "", Measure("opened", "1889-08-01", "1889-08-01"), Chosen(1, False, 0))
        'Barn opened first: 1889-08-01'
    """
    most = measure.most(chosen)
    if chosen.is_tied:
        return f"{name} is among those with {most}: {measure.text}"
    if noun:
        return f"The {noun} with {most} is {name}: {measure.text}"
    if measure.event and not chosen.is_of_two and not (chosen.descending and chosen.offset):
        place = "last" if chosen.descending else ORDINALS[chosen.offset].strip() or "first"
        return f"{name} {measure.event} {place}: {measure.text}"
    return f"{name} has {most}: {measure.text}"


def shared_superlative(names: str, measure: Measure, chosen: Chosen) -> str:
    """Write a clause about several rows that tie.

    Example:
        >>> shared_superlative("Barn and Mill", Measure("opened", "1889-08-01", "1889-08-01"), Chosen(1, False, 0))
        'Barn and Mill opened first: 1889-08-01'
    """
    if measure.event and not chosen.is_of_two:
        event = f"were {measure.event.removeprefix('was ')}" if measure.event.startswith("was ") else measure.event
        return f"{names} {event} {'last' if chosen.descending else 'first'}: {measure.text}"
    return f"{names} tie for {measure.most(chosen)}: {measure.text}"
