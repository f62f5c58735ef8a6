"""Say values as people do: numbers with their units, durations in words, and moments without a `T`.

Names are never changed, and the values of a reply stay as the graph has them.
"""

import math
import re
from collections.abc import Iterator
from typing import Any

from graph.plan.durations import SECONDS_OF_DAY, Duration, duration_in
from graph.plan.value_text import value_text
from language.english.measures import names_length_of_time, with_units
from language.english.morphology import TIME_PREPOSITIONS, counted
from language.english.relation_words import in_words

UNITS_OF_SECONDS = {60.0: "minutes", 3_600.0: "hours", 86_400.0: "days", 604_800.0: "weeks"}
"""The units in which plans compute lengths of time, by their seconds."""
_MOMENT = re.compile(r"(\d{4}-\d\d-\d\d)T(\d\d:\d\d)(?::00(?:\.0+)?|(:\d\d(?:\.\d+)?))?(Z|[+-]\d\d:\d\d)?")
# Shorter texts, such as `P45D`, may be the codes of products.
_CERTAIN_DURATION = re.compile(r"P(?:\d+[YMWD])*T\S+|P(?:\d+[YMWD]){2,}")
_IN_SECONDS = re.compile(r"(?:_| in )seconds$")
_DECIMALS, _DIGITS = 2, 3
_HOUR, _MINUTE = 3_600, 60
_NANOSECONDS = 10**9
_SHORT, _LONG = _HOUR, 2 * SECONDS_OF_DAY


def said(label: str, value: Any, is_time: bool = False, is_duration: bool = False) -> tuple[str, str]:
    """Return a label in words, without the unit that it ends with, and a value as a text says it.

    Args:
        label: The name of a property or of a column, or a label in words.
        value: The value.
        is_time: Whether the value is a number of seconds that a plan computed.
        is_duration: Whether the graph says that the value is a duration.

    Example:
        >>> said("fee_eur", 18000), said("rating", 3.66666667), said("duration_seconds", 9900, is_time=True)
        (('fee', '18,000 EUR'), ('rating', '3.67'), ('duration', '2 hours 45 minutes'))
    """
    if isinstance(value, int | float) and not isinstance(value, bool):
        if is_time:
            return _words(_IN_SECONDS.sub("", label)), seconds_in_words(value)
        name = label.replace(" ", "_")
        relation, (text,) = with_units(name, (value_text(_rounded(value)),))
        return (_words(label) if relation == name else _words(relation).removesuffix(" in")), text
    return _words(label), said_text(value_text(value), label, is_duration)


def _words(label: str) -> str:
    return label if " " in label else in_words(label)


def said_text(text: str, label: str = "", is_duration: bool = False) -> str:
    """Return the text of a value as a sentence has it; texts other than durations and moments stay as they are.

    A short text such as `P45D` is a duration if the graph says so, or if its label names a length of time.

    Example:
        >>> said_text("2023-06-16T15:00:00"), said_text("PT1H10M"), said_text("P45D"), said_text("P45D", "lead_time")
        ('2023-06-16 15:00', '1 hour 10 minutes', 'P45D', '45 days')
    """
    if (moment := _MOMENT.fullmatch(text)) is not None:
        day, clock, seconds, zone = moment.groups(default="")
        return f"{day} {clock}{seconds}{' UTC' if zone == 'Z' else zone}"
    is_certain = is_duration or _CERTAIN_DURATION.fullmatch(text) or names_length_of_time(label)
    duration = duration_in(text) if is_certain else None
    return text if duration is None else duration_in_words(duration)


def with_preposition(label: str, text: str) -> tuple[str, str]:
    """Move a preposition of time from the end of a label to the value.

    Example:
        >>> with_preposition("warranty until", "2027-03-01"), with_preposition("founded", "1988")
        (('warranty', 'until 2027-03-01'), ('founded', '1988'))
    """
    noun, _, last = label.rpartition(" ")
    return (noun, f"{last} {text}") if noun and last in TIME_PREPOSITIONS else (label, text)


def seconds_in_words(seconds: float) -> str:
    """Write a number of seconds, rounded if it is no integer: a minute or an hour matters less the longer it is.

    Example:
        >>> seconds_in_words(5064.7)
        '1 hour 24 minutes'
    """
    if seconds < 0:
        return f"minus {seconds_in_words(-seconds)}"
    if seconds != int(seconds):
        unit = 1 if seconds < _SHORT else _MINUTE if seconds < _LONG else _HOUR
        seconds = round(seconds / unit) * unit if seconds >= 1 else round(seconds, _DECIMALS)
    days, rest = divmod(seconds, SECONDS_OF_DAY)
    return duration_in_words(Duration(days=int(days), nanoseconds=round(rest * _NANOSECONDS)))


def duration_in_words(duration: Duration) -> str:
    """Write a duration; one with positive and negative parts stays in the form of ISO 8601."""
    parts = duration.months, duration.days, duration.nanoseconds
    if min(parts) < 0:
        positive = Duration(*(-part for part in parts))
        return str(duration) if max(parts) > 0 else f"minus {duration_in_words(positive)}"
    return " ".join(_counted(number, unit) for number, unit in _parts(duration) if number) or "0 seconds"


def _parts(duration: Duration) -> Iterator[tuple[float, str]]:
    years, months = divmod(duration.months, 12)
    hours, rest = divmod(duration.nanoseconds, _HOUR * _NANOSECONDS)
    minutes, rest = divmod(rest, _MINUTE * _NANOSECONDS)
    seconds = rest // _NANOSECONDS if rest % _NANOSECONDS == 0 else rest / _NANOSECONDS
    yield from ((years, "year"), (months, "month"), (duration.days, "day"))
    yield from ((hours, "hour"), (minutes, "minute"), (seconds, "second"))


def _counted(number: float, unit: str) -> str:
    return counted(int(number), unit) if number == int(number) else f"{number:.9g} {unit}s"


def _rounded(number: float) -> float:
    """Round what was computed: two decimals, or three digits of a number below 1."""
    if not math.isfinite(number) or number == int(number):
        return number
    return round(number, _DECIMALS) if abs(number) >= 1 else float(f"{number:.{_DIGITS}g}")
