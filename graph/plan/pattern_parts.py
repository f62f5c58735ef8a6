"""Bring the parts of a regular expression into a simpler form that matches the same strings."""

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, replace

from graph.plan.character_ranges import Ranges, covers, merged
from graph.plan.regular_expressions import Characters, Choice, Part, Repeat


@dataclass(frozen=True, slots=True)
class Run:
    """Match `low` to `high` characters of a set; any number from `low` if `high` is None."""

    ranges: Ranges
    low: int = 1
    high: int | None = 1

    @property
    def is_open(self) -> bool:
        """Return whether there is no upper bound."""
        return self.high is None

    @property
    def is_fixed(self) -> bool:
        """Return whether all matches have the same length."""
        return self.low == self.high


@dataclass(frozen=True, slots=True)
class Group:
    """Match any of several branches, or nothing if the group `is_optional`."""

    branches: tuple["Items", ...]
    is_optional: bool


Items = tuple[Run | Group, ...]
"""Parts that match one after the other."""
Word = tuple[Ranges, ...]
"""A set of characters for each place."""


def simplified(part: Part) -> tuple[Items, ...]:
    """Return the branches of an expression.

    Neighbours with the same characters are joined (`.{0,9}.{0,9}` becomes `.{0,18}`), single characters are one set
    (`a|b` becomes `[ab]`), and what an open quantifier beside it matches as well is as short as it can be (`[0-9]+.*`
    becomes `[0-9].*`).
    """
    if not isinstance(part, Choice):
        return (_tidied(_items(part)),)
    found = [branch for one in part.parts for branch in simplified(one)]
    single = [ranges for branch in found if (ranges := _character(branch)) is not None]
    others = [branch for branch in found if _character(branch) is None]
    if single:
        others.append((Run(merged(itertools.chain.from_iterable(single))),))
    return tuple(dict.fromkeys(others))


def _character(items: Items) -> Ranges | None:
    """Return the set of a single character; None if there is more."""
    match items:
        case (Run(low=1, high=1) as run,):
            return run.ranges
    return None


def _items(part: Part) -> Items:
    match part:
        case Characters():
            return (Run(merged(part.ranges)),)
        case Repeat(part=Characters() as characters):
            return (Run(merged(characters.ranges), part.low, part.high),)
        case Repeat():
            return _optional(simplified(part.part))
        case Choice():
            branches = simplified(part)
            return branches[0] if len(branches) == 1 else (Group(branches, is_optional=False),)
    return tuple(item for one in part.parts for item in _items(one))


def _optional(branches: tuple[Items, ...]) -> Items:
    """Return parts that match one of the branches, or nothing."""
    if len(branches) == 1 and len(branches[0]) == 1:
        [item] = branches[0]
        if isinstance(item, Run) and item.low <= 1:
            return (replace(item, low=0),)
    return (Group(branches, is_optional=True),)


def _tidied(items: Items) -> Items:
    """Join and shorten neighbours until nothing changes."""
    while True:
        changed: list[Run | Group] = []
        for item in items:
            pair = (changed.pop(), item) if changed else (item,)
            changed += _joined(*pair) if len(pair) > 1 else pair
        new = tuple(item for item in changed if not (isinstance(item, Run) and item.high == 0))
        if new == items:
            return items
        items = new


def _joined(one: Run | Group, other: Run | Group) -> Items:
    if not isinstance(one, Run) or not isinstance(other, Run):
        return one, other
    if one.ranges == other.ranges:
        high = None if one.high is None or other.high is None else one.high + other.high
        return (Run(one.ranges, one.low + other.low, high),)
    if one.is_open and not other.is_fixed and covers(one.ranges, other.ranges):
        return one, replace(other, high=other.low)
    if other.is_open and not one.is_fixed and covers(other.ranges, one.ranges):
        return replace(one, high=one.low), other
    return one, other


def may_be_empty(items: Items) -> bool:
    """Return whether parts match the empty string."""
    return all(
        item.low == 0 if isinstance(item, Run) else item.is_optional or any(map(may_be_empty, item.branches))
        for item in items
    )


def first_of(items: Items, follow: Ranges) -> Ranges:
    """Return the characters with which parts, or else what follows them, can begin."""
    found: list[Ranges] = []
    for item in items:
        found += [item.ranges] if isinstance(item, Run) else [first_of(branch, ()) for branch in item.branches]
        if not may_be_empty((item,)):
            return merged(itertools.chain.from_iterable(found))
    return merged(itertools.chain(follow, *found))


def runs_of(items: Items) -> Iterator[Run]:
    """Yield all runs among parts, and within their groups."""
    for item in items:
        if isinstance(item, Run):
            yield item
        else:
            for branch in item.branches:
                yield from runs_of(branch)


def words_of(items: Items, most: int) -> list[Word] | None:
    """Return a word for each way in which parts match; None if there are more than `most`, or endless ones."""
    words: list[Word] = [()]
    for item in items:
        if (ends := _words(item, most)) is None or len(words) * len(ends) > most:
            return None
        words = [word + end for word in words for end in ends]
    return words


def _words(item: Run | Group, most: int) -> list[Word] | None:
    if isinstance(item, Run):
        if item.high is None or item.high - item.low >= most:
            return None
        return [(item.ranges,) * length for length in range(item.low, item.high + 1)]
    found: list[Word] = [()] if item.is_optional else []
    for branch in item.branches:
        if (words := words_of(branch, most)) is None:
            return None
        found += words
    return found
