"""Find the properties that say when something starts and ends, so that plans can read how long it lasts."""

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from graph.plan.content_types import words_of
from graph.plan.schema import PropertySchema
from services.retriever.plans.schema.value_types import DATES

DURATION = "duration"
"""The key of the property that stands for the time from the start to the end."""
_WORDS = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
_STARTS, _ENDS = frozenset(_WORDS["starts"].split()), frozenset(_WORDS["ends"].split())
_LENGTHS, _SAID = frozenset(_WORDS["lengths"].split()), _ENDS | frozenset(_WORDS["said"].split())


@dataclass(frozen=True, slots=True)
class Span:
    """Hold the keys of the properties between which something lasts."""

    start: str
    end: str


def span_of(properties: Mapping[str, PropertySchema]) -> Span | None:
    """Return the only start and the only end among the dates of a kind; none if it says itself how long it lasts.

    Example:
        >>> from graph.plan.values import ValueType
        >>> day = PropertySchema(frozenset((ValueType.DATE,)), ValueType.DATE)
        >>> span_of({"loanedAt": day, "returned_at": day})
        Span(start='loanedAt', end='returned_at')
    """
    if any(not _LENGTHS.isdisjoint(words_of(key)) for key in properties):
        return None
    dates = {key: one.content for key, one in properties.items() if one.content in DATES}
    starts = [key for key in dates if not _STARTS.isdisjoint(words_of(key))]
    ends = [key for key in dates if not _ENDS.isdisjoint(words_of(key))]
    match starts, ends:
        case [start], [end] if start != end and dates[start] is dates[end]:
            return Span(start, end)
    return None


def says_end(words: Iterable[str]) -> bool:
    """Return whether one of these words, in lower case, says when something ends."""
    return not _SAID.isdisjoint(words)
