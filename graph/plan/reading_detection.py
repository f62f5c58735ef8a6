"""Find how the texts of a property are read as numbers or dates: all of them in the same way, or not at all."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from graph.plan.text_functions import number_in
from graph.plan.text_readings import MONTH_NAME, TextReading, plain_number, value_in
from graph.plan.values import ValueType

_DATE_ORDERS = frozenset((TextReading.DAY_FIRST, TextReading.MONTH_FIRST))
_NUMBER_READINGS = (TextReading.COMMA_GROUPS, TextReading.POINT_GROUPS)
_DATE_READINGS = tuple(reading for reading in TextReading if reading not in (TextReading.DECIMALS, *_NUMBER_READINGS))
_WHOLE = re.compile(r"0|-?[1-9][0-9]*")
# What programs write for a number: no plus sign, no leading zeros, and no zeros at the end but in `1.0`.
_FRACTION = re.compile(r"-?(?:0|[1-9][0-9]*)\.(?:0|[0-9]*[1-9])")
_SCIENTIFIC = re.compile(r"-?[1-9]\.[0-9]+[eE][+-]?[0-9]+")
_MAY_BE_THOUSANDS = re.compile(r"-?[1-9][0-9]{0,2}(?:\.[0-9]{3})?")
_QUANTITY = re.compile(rf"[vV]?[+-]?[$€£]? ?[0-9]|{MONTH_NAME}[ -][0-9]|[0-9]*\.[0-9]", re.IGNORECASE)
_SHORT_DATE = re.compile(r"[0-9]{2}[/.-][0-9]{2}[/.-](?:[0-9]{2}){1,2}(?![0-9])")
_DIGIT = re.compile("[0-9]")
_ISO = re.compile(r"[0-9]{4}-[0-9]{2}(?:-[0-9]{2}(?:[T ][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]+)?)?)?)?")


class Unread(StrEnum):
    """Reasons why texts that look like numbers or dates stay texts, whose order would not be that of what they say.

    Dates may have the day or the month first, a sign may begin the decimals or separate thousands, or no spelling fits
    all texts.
    """

    TWO_DATE_ORDERS = "two_date_orders"
    TWO_NUMBERS = "two_numbers"
    NO_READING = "no_reading"


@dataclass(frozen=True, slots=True)
class Spelling:
    """Describe how all texts of a property are written.

    Attributes:
        reading: How they are read; None for numbers just as programs write them.
        decimals: The number of decimals of each number that has some, if zeros end them.
    """

    reading: TextReading | None = None
    decimals: int | None = None

    def fits(self, text: str) -> bool:
        """Return whether a text is written so."""
        if self.reading is None:
            return is_exact(text)
        if value_in(text, self.reading) is None:
            return False
        if self.reading.content is ValueType.DATE:
            return True
        plain = plain_number(text, self.reading) or ""
        _, point, fraction = plain.partition(".")
        return is_exact(plain) if self.decimals is None else not point or len(fraction) == self.decimals


@dataclass(frozen=True, slots=True)
class TextContent:
    """Say what the texts of a property are.

    Attributes:
        spellings: The ways in which all of them may be written; several if nothing shows which one is meant.
        unread: Why they stay texts although most look like numbers or dates.
    """

    spellings: tuple[Spelling, ...] = ()
    unread: Unread | None = None

    @property
    def spelling(self) -> Spelling | None:
        """Return how the texts are written, if that is known."""
        return self.spellings[0] if self.spellings and self.unread is None else None


NO_TEXTS = TextContent()


def is_exact(text: str) -> bool:
    """Return whether a number is written as programs write it, so that it can be stored without loss.

    Example:
        >>> is_exact("6.1"), is_exact("6.10"), is_exact("007"), is_exact("12E5"), is_exact("1.9e27")
        (True, False, False, False, True)
    """
    if _WHOLE.fullmatch(text) or _FRACTION.fullmatch(text):
        return True
    return number_in(text) is not None and (bool(_SCIENTIFIC.fullmatch(text)) or repr(float(text)) == text)


def text_content(texts: Sequence[str], dates: TextReading | None = None) -> TextContent:
    """Say how texts are read; `dates` is the order of dates where two are possible.

    Example:
        >>> text_content(["31/08/2017", "1/9/2017"]).spelling.reading
        <TextReading.DAY_FIRST: 'day_first'>
        >>> text_content(["3/4/2021"]).unread
        <Unread.TWO_DATE_ORDERS: 'two_date_orders'>
    """
    if all(map(is_exact, texts)):
        return TextContent((Spelling(),) if texts else ())
    found = _decided(_number_spellings(texts), texts) or _decided(_date_spellings(texts, dates), texts)
    return found or unread_content(texts)


def _decided(spellings: Sequence[Spelling], texts: Sequence[str]) -> TextContent | None:
    """Return what texts are that may have these spellings; None if there are none."""
    if not spellings:
        return None
    readings = [one.reading for one in spellings]
    if len(spellings) == 1 or (TextReading.DECIMALS in readings and not all(map(_MAY_BE_THOUSANDS.fullmatch, texts))):
        return TextContent(tuple(spellings[:1]))
    are_dates = _DATE_ORDERS.issuperset(one for one in readings if one is not None)
    return TextContent(tuple(spellings), Unread.TWO_DATE_ORDERS if are_dates else Unread.TWO_NUMBERS)


def _number_spellings(texts: Sequence[str]) -> list[Spelling]:
    found = (_number_spelling(texts, reading) for reading in (TextReading.DECIMALS, *_NUMBER_READINGS))
    return [one for one in found if one is not None]


def _number_spelling(texts: Iterable[str], reading: TextReading) -> Spelling | None:
    """Return how numbers are written that have this reading; None if zeros end some of different lengths."""
    decimals: set[int] = set()
    are_exact = True
    for text in texts:
        plain = plain_number(text, reading)
        if plain is None or number_in(plain) is None:
            return None
        are_exact = are_exact and is_exact(plain)
        _, point, fraction = plain.partition(".")
        decimals |= {len(fraction)} if point else set()
    if are_exact:
        return Spelling(reading)
    return Spelling(reading, decimals.pop()) if len(decimals) == 1 else None


def _date_spellings(texts: Sequence[str], dates: TextReading | None) -> list[Spelling]:
    fitting = [one for one in _DATE_READINGS if all(value_in(text, one) is not None for text in texts)]
    if len(fitting) > 1 and _are_the_same(texts, fitting):
        return [Spelling(fitting[0])]
    return [Spelling(dates)] if dates in fitting else [Spelling(one) for one in fitting]


def _are_the_same(texts: Sequence[str], readings: Sequence[TextReading]) -> bool:
    return all(len({value_in(text, reading) for reading in readings}) == 1 for text in texts)


def differing_text(texts: Sequence[str]) -> str:
    """Return the first text that is not written as most others are.

    Example:
        >>> differing_text(["5", "7.25", "heavy"]), differing_text(["12.05.2020", "1.5.20", "13.05.2020"])
        ('heavy', '1.5.20')
    """
    spellings = [Spelling(), *map(Spelling, TextReading)]
    common = max(spellings, key=lambda one: sum(map(one.fits, texts)))
    return next((text for text in texts if not common.fits(text)), texts[0])


def looks_like_quantity(text: str) -> bool:
    """Return whether a text begins like a number or a date: `12 km`, `3/4/2021`, `v2`."""
    return _QUANTITY.match(text) is not None


def unread_content(texts: Sequence[str]) -> TextContent:
    """Say whether texts look like numbers or dates that their order as texts would put into a wrong order."""
    if 2 * sum(map(looks_like_quantity, texts)) < len(texts):
        return TextContent()
    # Months, days, and times in the order of ISO 8601 sort as texts, also beside each other.
    if all(map(_ISO.fullmatch, texts)):
        return TextContent()
    shapes = {_DIGIT.sub("0", text) for text in texts}
    # The first digits of times and of numbers with as many digits count most, as in the order of texts.
    if len(shapes) == 1 and not any(map(_SHORT_DATE.match, texts)):
        return TextContent()
    return TextContent(unread=Unread.NO_READING)
