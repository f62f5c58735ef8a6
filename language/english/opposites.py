"""Recognise plans about the opposite of what their question says: births for `who died in 1999`."""

import tomllib
from collections.abc import Iterable
from pathlib import Path

from language.english.stems import spelt_out, stem
from language.question import Question

_PAIRS = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))["pairs"]
_OPPOSITES = [
    (frozenset(map(stem, one.split())), frozenset(map(stem, other.split())))
    for pair in _PAIRS
    for one, other in (pair, reversed(pair))
]


def says_opposite(question: Question, names: Iterable[str]) -> bool:
    """Return whether the question says one thing, and a plan with these names of schema elements the opposite.

    A question or a plan that has both says neither.
    """
    said = question.roots
    done = {stem(word) for name in names for word in spelt_out(name)}
    return any(
        not said.isdisjoint(one) and said.isdisjoint(other) and not done.isdisjoint(other) and done.isdisjoint(one)
        for one, other in _OPPOSITES
    )
