"""Suggest known names in place of a name that is not known."""

from collections.abc import Iterable
from difflib import get_close_matches

_MOST, _CUTOFF = 3, 0.6


def similar_names(name: str, known: Iterable[str]) -> list[str]:
    """Return up to three known names that are similar to a name, the most similar one first."""
    return get_close_matches(name, sorted(filter(None, known)), n=_MOST, cutoff=_CUTOFF)


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return the end of a message about a name that is not known, such as `; did you mean 'films'?`, or nothing."""
    close = similar_names(name, known)
    return f"; did you mean {' or '.join(map(repr, close))}?" if close else ""
