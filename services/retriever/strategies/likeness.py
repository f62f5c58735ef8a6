"""Find the known name that is most similar to a name that a graph lacks."""

from collections.abc import Collection, Mapping
from difflib import SequenceMatcher

from language.english.stems import spelt_out, stems_of

SIMILAR = 0.6
"""The least similarity of names that may stand for each other."""


def nearest(name: str, known: Mapping[str, Collection[str]]) -> str | None:
    """Return the known name that is most similar, by letters or by the stems of its words; None if none is similar.

    Args:
        name: The name to look for.
        known: The known names, with other words for each.
    """
    scores = {one: max(similarity(name, word) for word in (one, *others)) for one, others in known.items()}
    best = sorted(scores, key=lambda one: (-scores[one], one))[:2]
    if not best or scores[best[0]] < SIMILAR or (len(best) > 1 and scores[best[0]] == scores[best[1]]):
        return None
    return best[0]


def similarity(one: str, other: str) -> float:
    """Return how similar two names are, by letters or by the stems of their words, from 0 to 1."""
    stems, others = stems_of(one), stems_of(other)
    shared = len(stems & others) / len(stems | others) if stems or others else 0.0
    letters = SequenceMatcher(None, " ".join(spelt_out(one)), " ".join(spelt_out(other)), autojunk=False).ratio()
    return max(shared, letters)
