"""Find the places that adjectives such as `Spanish` and abbreviations such as `US` stand for."""

import tomllib
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

_MIN_LENGTH = 5
_LISTS = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
_PLACES: Mapping[str, Sequence[str]] = _LISTS["adjectives"]  # by adjective, in lower case
_ABBREVIATED: Mapping[str, Sequence[str]] = _LISTS["abbreviations"]


def places_of(adjective: str) -> list[str]:
    """Return the names that places with an adjective or an abbreviation may have, the likeliest first.

    Returns nothing for other words. Abbreviations are in upper case, since `us` is a pronoun.

    Example:
        >>> places_of("Spanish"), places_of("Western European"), places_of("UK")
        (['Spain'], ['Western Europe'], ['United Kingdom', 'Great Britain', 'Britain'])
    """
    text = " ".join(adjective.split())
    if text.replace(".", "") in _ABBREVIATED:
        return list(_ABBREVIATED[text.replace(".", "")])
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
