"""Define the values that questions state: numbers, dates, periods, and texts."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from enum import StrEnum
from typing import NamedTuple

from graph.plan.values import Value, ValueType
from language.units import Unit

Period = tuple[date, date]


class UncertainDate(NamedTuple):
    """Hold where a question has a date in digits that may be one of several days; none if it has no century."""

    start: int
    end: int
    days: tuple[date, ...]


class Recurring(NamedTuple):
    """Hold a month of every year, from 1 to 12, or a day of every week, from 1 for Monday to 7."""

    month: int | None = None
    weekday: int | None = None


_NUMBERS = frozenset((ValueType.INTEGER, ValueType.FLOAT))
_DATES = frozenset((ValueType.DATE, ValueType.DATETIME))
_TEXT = frozenset((ValueType.STRING, ValueType.LIST))


class ValueForm(StrEnum):
    """Name the form in which a question states a value."""

    NUMBER = "number"
    YEAR = "year"
    DATE = "date"
    PERIOD = "period"
    QUOTED = "quoted"
    TEXT = "text"


_TYPES = {
    ValueForm.NUMBER: _NUMBERS | {ValueType.STRING, ValueType.LIST},
    ValueForm.YEAR: _NUMBERS | _DATES | {ValueType.STRING, ValueType.LIST},
    ValueForm.DATE: _DATES | {ValueType.STRING},
    ValueForm.PERIOD: frozenset[ValueType](),
    ValueForm.QUOTED: _TEXT,
    ValueForm.TEXT: _TEXT,
}


@dataclass(frozen=True, slots=True)
class QuestionValue:
    """Hold a value that `question[start:end]` states.

    Attributes:
        value: A number, a date, or a string; the first day and the last day of a period.
        stored: For the properties that have this value in the graph, by number: the values as the graph stores them.
        spellings: For the properties that store this text in several spellings, none of which is that of the question:
            the spellings that differ in case only.
        units: The units that the word behind a number may name.
        unit_end: Where that word ends.
        plain: For `700 m`, which may be millions or metres: the number without the letter.
        is_uncertain: Whether the text may be several days, of which the value is one, and the reading of the dates of a
            property tells which.
    """

    start: int
    end: int
    form: ValueForm
    value: Value
    text: str
    stored: Mapping[int, Value] = field(default_factory=dict, hash=False, compare=False)
    spellings: Mapping[int, tuple[str, ...]] = field(default_factory=dict, hash=False, compare=False)
    units: tuple[Unit, ...] = ()
    unit_end: int = 0
    plain: float | None = None
    is_uncertain: bool = False

    @property
    def types(self) -> frozenset[ValueType]:
        """Return the types of the properties that can be compared with the value."""
        if self.form is ValueForm.QUOTED and re.fullmatch(r"[\d.,:/ -]+", self.text):
            return _TEXT | _NUMBERS | _DATES
        return _TYPES[self.form]

    @property
    def is_period(self) -> bool:
        """Return whether the value is a period."""
        return self.form is ValueForm.PERIOD
