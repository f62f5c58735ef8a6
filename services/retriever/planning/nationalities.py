"""Find the places that adjectives such as `Spanish` and `South American` stand for."""

import tomllib
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

_MIN_LENGTH = 5
_PLACES: Mapping[str, Sequence[str]] = tomllib.loads(
    Path(__file__).with_suffix(".toml").read_text(encoding="utf-8")
)  # by adjective, in lower case


def places_of(adjective: str) -> list[str]:
    """Return the names that places with an adjective may have, the likeliest first; none if it is no such adjective.

    Example:
        >>> places_of("Spanish"), places_of("Western European")
        (['Spain'], ['Western Europe'])
    """
    text = " ".join(adjective.split())
    start, _, last = text.rpartition(" ")
    places = [f"{start} {place}" for place in _PLACES.get(last.lower(), ())] if start else []
    derived = [text[:-1]] if text.lower().endswith(("ian", "can")) and len(last) >= _MIN_LENGTH else []
    return list(dict.fromkeys((*_PLACES.get(text.lower(), ()), *derived, *places)))


@cache
def _adjectives() -> Mapping[str, Sequence[str]]:
    """Map the names of places to their adjectives."""
    found: dict[str, list[str]] = defaultdict(list)
    for adjective, places in _PLACES.items():
        for place in places:
            found[place].append(adjective.title())
    return found


def adjectives_for(place: str) -> Sequence[str]:
    """Return the adjectives for a place: `Spanish` for `Spain`, and `South American` for `South America`."""
    if place in _adjectives():
        return _adjectives()[place]
    return (f"{place}n",) if place.endswith(("ia", "ca")) and len(place) >= _MIN_LENGTH else ()
