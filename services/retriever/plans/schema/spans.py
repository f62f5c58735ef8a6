"""Find the properties that say when something starts and ends, so that plans can read how long it lasts."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from graph.plan.content_types import words_of
from graph.plan.schema import PropertySchema
from language.english.lexicon import words_of_class
from services.retriever.plans.schema.value_types import DATES

DURATION = "duration"
"""The key of the property that stands for the time from the start to the end."""
_STARTS, _ENDS = words_of_class("start"), words_of_class("end")
_LENGTHS, _SAID = words_of_class("duration"), _ENDS | words_of_class("asks for end")


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
    words = {
        key: frozenset(word for name in (key, *one.names) for word in words_of(name)) for key, one in properties.items()
    }
    if any(not _LENGTHS.isdisjoint(found) for found in words.values()):
        return None
    dates = {key: one.content for key, one in properties.items() if one.content in DATES}
    starts = [key for key in dates if not _STARTS.isdisjoint(words[key])]
    ends = [key for key in dates if not _ENDS.isdisjoint(words[key])]
    match starts, ends:
        case [start], [end] if start != end and dates[start] is dates[end]:
            return Span(start, end)
    return None


def says_end(words: Iterable[str]) -> bool:
    """Return whether one of these words, in lower case, says when something ends."""
    return not _SAID.isdisjoint(words)
