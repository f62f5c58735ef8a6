"""Choose the values that a question compares with, and state them as people do."""

import random
from dataclasses import dataclass
from datetime import date, datetime

from graph.plan.values import Value, ValueType
from language.english.nationalities import adjectives_for
from training.synthetic.plans.nouns import with_article
from training.synthetic.plans.pattern import NothingToSayError
from training.synthetic.plans.words import PropertyWords, WordedSchema

_MONTHS = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
]
_SMALL = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
START, END = "\ue000", "\ue001"
"""Private characters around a stated value, so that later changes of the question leave it as it is."""


@dataclass(frozen=True, slots=True)
class Stated:
    """Pair a value with the words that state it."""

    value: Value
    text: str


def marked(text: str) -> str:
    """Mark a text as a value."""
    return f"{START}{text}{END}"


class ValueStater:
    """Choose and state values at random."""

    def __init__(self, schema: WordedSchema, rng: random.Random) -> None:
        self._schema = schema
        self._rng = rng

    def number(self, owner: str, key: str, words: PropertyWords, content: ValueType | None) -> Stated:
        """Choose a number that divides the values of a property."""
        found = sorted(value for value in self._schema.values[owner, key] if isinstance(value, int | float))
        if not found:
            raise NothingToSayError
        value = self._rng.choice(found) if self._rng.random() < 0.25 else _rounded(self._rng.choice(found), self._rng)
        if content is ValueType.INTEGER or value == int(value):
            value = int(value)
        return Stated(value, self.number_text(value, words))

    def number_text(self, value: int | float, words: PropertyWords) -> str:
        """State a number, in most cases with its unit."""
        rng = self._rng
        if words.is_year:
            return marked(str(value))
        text = self.plain_number(value)
        if words.unit == "money":
            # A dollar sign before a minus sign would read badly.
            if value < 0 or rng.random() < 0.5:
                return text
            forms = (f"${text}", f"${text}", f"{text} dollars", f"{text} euros", f"{text} USD")
            spelled = text[len(START) :][:1].isalpha()
            return f"{text} dollars" if spelled else _inside(rng.choice(forms))
        if words.unit and rng.random() < 0.55:
            unit = words.unit[:-1] if value == 1 and words.unit.endswith("s") and words.unit != "ms" else words.unit
            return f"{text} {'%' if unit == 'percent' and rng.random() < 0.3 else unit}".replace(" %", "%")
        return text

    def plain_number(self, value: int | float) -> str:
        """State a number: `20`, `five`, `1,500`, `20k`, `2 million`."""
        rng = self._rng
        size = abs(value)
        if isinstance(value, int) and 0 <= value <= 12 and rng.random() < 0.35:
            return marked(_SMALL[value])
        if size >= 10**6 and round(value / 10**6, 2) * 10**6 == value and rng.random() < 0.65:
            text = f"{value / 10**6:g}"
            if size >= 10**9 and round(value / 10**9, 2) * 10**9 == value:
                return marked(f"{value / 10**9:g} {rng.choice(('billion', 'billion', 'bn'))}")
            if value == 10**6 and rng.random() < 0.5:
                return marked("a million")
            return marked(rng.choice((f"{text} million", f"{text} million", f"{text}m", f"{text}M")))
        if 1000 <= size < 10**6 and value % 1000 == 0:
            if value == 1000 and rng.random() < 0.3:
                return marked("a thousand")
            return marked(
                rng.choice(
                    (str(value), f"{value:,}", f"{value:,}", f"{value // 1000:g}k", f"{value // 1000:g} thousand")
                )
            )
        if size >= 1000 and rng.random() < 0.55:
            return marked(f"{value:,}")
        return marked(str(value))

    def count(self) -> Stated:
        """Choose a small number for counts and limits."""
        value = self._rng.choice((2, 2, 3, 3, 3, 4, 5, 5, 5, 6, 7, 8, 10, 10, 12, 15, 20, 25, 50, 100))
        return Stated(value, self.plain_number(value) if value <= 12 else marked(str(value)))

    def day(self, owner: str, key: str) -> date:
        """Choose a day near the values of a property."""
        found = [value for value in self._schema.values[owner, key] if isinstance(value, date)]
        if not found:
            raise NothingToSayError
        value = self._rng.choice(found)
        return value.date() if isinstance(value, datetime) else value

    def day_text(self, day: date) -> str:
        """State a day."""
        month = _MONTHS[day.month - 1]
        short = month[:3]
        return marked(
            self._rng.choice(
                (
                    day.isoformat(), day.isoformat(), f"{month} {day.day}, {day.year}", f"{day.day} {month} {day.year}",
                    f"{month} {_ordinal(day.day)}, {day.year}", f"{day.day} {short} {day.year}",
                    f"the {_ordinal(day.day)} of {month} {day.year}",
                )
            )
        )  # fmt: skip

    def month_text(self, day: date) -> str:
        """State a month with its year."""
        month = _MONTHS[day.month - 1]
        return marked(
            self._rng.choice(
                (f"{month} {day.year}", f"{month} {day.year}", f"{month[:3]} {day.year}", f"{day.year}-{day.month:02}")
            )
        )

    def decade_text(self, first: int) -> str:
        """State a decade."""
        forms = [f"{first}s"]
        if 1930 <= first <= 1990:
            forms += [f"{first % 100}s", f"'{first % 100}s"]
        return marked(self._rng.choice(forms))

    def choose_text(self, owner: str, key: str) -> str:
        """Choose one of the texts of a property."""
        found = [value for value in self._schema.values[owner, key] if isinstance(value, str) and value.strip()]
        if not found:
            raise NothingToSayError
        return self._rng.choice(found)

    def quoted(self, text: str, often: float = 0.2) -> str:
        """State a text, in quotation marks or without."""
        if self._rng.random() < often:
            mark = '"' if "'" in text or self._rng.random() < 0.4 else "'"
            return marked(f"{mark}{text}{mark}")
        return marked(text)

    def as_adjective(self, text: str) -> str:
        """State a name before a noun, by the adjective for a place if there is one: `Spanish` for `Spain`."""
        found = adjectives_for(text.strip(f"{START}{END}"))
        return marked(self._rng.choice(found)) if found and self._rng.random() < 0.8 else text

    def named(self, kind: str, name: str) -> str:
        """Refer to a node by its name: `Acme`, `the company Acme`."""
        noun = self._rng.choice(self._schema.kinds[kind].nouns).singular
        text = self.quoted(name)
        roll = self._rng.random()
        looks_like_name = name[:1].isupper() or name[:1].isdigit()
        if roll < (0.78 if looks_like_name else 0.4):
            return text
        if roll < 0.9:
            return f"the {noun} {text}"
        return self._rng.choice(
            (
                f"{noun} {text}",
                f"the {noun} called {text}",
                f"the {noun} named {text}",
                f"{with_article(noun)} called {text}",
            )
        )


def _inside(text: str) -> str:
    """Let the marks of a value enclose the sign of its currency."""
    return f"{START}${text[2:]}" if text.startswith(f"${START}") else text


def _ordinal(number: int) -> str:
    ending = "th" if 10 < number % 100 < 14 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"


def _rounded(value: int | float, rng: random.Random) -> int | float:
    """Round a number to one or two digits, as people do."""
    if abs(value) < 10:
        return round(value, 1) if isinstance(value, float) else value
    digits = len(str(int(abs(value))))
    return round(int(value), -(digits - rng.choice((1, 2, 2))))
