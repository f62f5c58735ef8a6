"""Describe a property by a sample of its values, and check that the others are written in the same way."""

from collections import Counter
from typing import Any

from graph.plan.content_types import Content, content_of, fits
from graph.plan.durations import DurationText
from graph.plan.reading_detection import Spelling, TextContent, Unread, differing_text, looks_like_quantity
from graph.plan.schema import PropertySchema
from graph.plan.scope import DATES
from graph.plan.text_functions import is_date_outside
from graph.plan.text_readings import TextReading, is_impossible_day
from graph.plan.values import Value, ValueType, type_of
from graph.sqlite.values import Stored, decode

_MAX_SAMPLES = 20
_MAX_SAMPLED = 5_000


class PropertySampler:
    """Collect the types and some values of one property, and count them."""

    def __init__(self, key: str, dates: TextReading | None = None) -> None:
        """Describe a property with this name; `dates` is the order of dates where two are possible."""
        self.count = 0
        self.outside = 0  # the texts with days that no date can hold
        self._key = key
        self._dates = dates
        self._content: Content | None = None  # known once the sample is full
        self._spellings: tuple[Spelling, ...] = ()  # those of the sample that all later texts have as well
        self._misfits = 0  # after the sample
        self._differing: str | None = None  # the first text after the sample that has no spelling of the sample
        self._types: set[Any] = set()
        self._durations = 0
        self._values: Counter[Stored] = Counter()

    def add(self, value: Value, stored: Stored) -> None:
        """Regard one value, which the graph file holds as `stored`."""
        self.count += 1
        self._types.add(type_of(value))
        self._durations += isinstance(value, DurationText)
        self.outside += is_date_outside(value)
        if self._content is not None:
            self._check(value, self._content)
            return
        self._values[stored] += 1
        if self.count == _MAX_SAMPLED:
            self._content = content_of(self._key, self._sampled(), self._dates)
            self._spellings = self._content.texts.spellings

    def _check(self, value: Value, content: Content) -> None:
        """Keep the spellings that fit a value after the sample; other texts than numbers and dates are misfits."""
        if isinstance(value, str) and self._may_be_spelt(value):
            kept = tuple(one for one in self._spellings if one.fits(value))
            if not kept:
                self._differing = self._differing or value
            self._spellings = kept
        elif not fits(value, content.type, content.reading):
            self._differing = self._differing or str(value)
            self._misfits += 1

    def _may_be_spelt(self, text: str) -> bool:
        """Return whether a text shows how the property is spelt, unlike words, and days that do not exist."""
        if not self._spellings or not looks_like_quantity(text) or is_date_outside(text):
            return False
        are_dates = all(one.reading is not None and one.reading.content in DATES for one in self._spellings)
        return not (are_dates and is_impossible_day(text))

    def misfits(self, described: PropertySchema) -> int:
        """Count the texts that the property cannot hold as it is described."""
        sampled = (
            number
            for stored, number in self._values.items()
            if not fits(decode(stored), described.content, described.reading)
        )
        return sum(sampled) + (self._misfits if described.content is not ValueType.STRING else 0)

    def example(self, described: PropertySchema) -> str | None:
        """Return the first text that plans read as missing, or because of which all of them stay texts."""
        texts = [text for stored in self._values if isinstance(text := decode(stored), str)]
        if described.unread is Unread.NO_READING:
            return self._differing or (differing_text(texts) if texts else None)
        are_dates = described.content in DATES
        missing = (
            text
            for text in texts
            if not fits(text, described.content, described.reading) or (are_dates and is_date_outside(text))
        )
        return next(missing, self._differing)

    def schema(self) -> PropertySchema:
        """Describe the property."""
        values = self._sampled()
        content = self._decided(self._content or content_of(self._key, values, self._dates))
        return PropertySchema(
            frozenset(self._types),
            content.type,
            self.count,
            len(values) / max(1, self._values.total()),
            tuple(values[:_MAX_SAMPLES]),
            holds_durations=self._durations > 0,
            mixes_durations=0 < self._durations < self.count,
            reading=content.reading,
            unread=content.unread,
        )

    def _sampled(self) -> list[Value]:
        """Return the distinct values in the sample, most frequent first."""
        return [decode(stored) for stored, _ in self._values.most_common()]

    def _decided(self, content: Content) -> Content:
        """Return what the property holds, of which the sample has this content."""
        if self._content is None or self._spellings == content.texts.spellings:
            return content
        if not self._spellings:
            return Content(ValueType.STRING, TextContent(unread=Unread.NO_READING))
        [spelling, *others] = self._spellings
        if others or spelling.reading is None:
            return content
        return Content(spelling.reading.content, TextContent(self._spellings))
