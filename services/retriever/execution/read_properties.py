"""Find the properties that a part of a plan reads, and the condition under which a row follows from each."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from graph.plan.algebra import (
    And,
    Case,
    CollectMatches,
    Comprehension,
    CountMatches,
    Exists,
    Expression,
    Filter,
    Match,
    Not,
    Or,
    Property,
    Quantifier,
    Subquery,
    Union,
)
from graph.plan.traversal import children, walk

_Read = tuple[Property, Expression | None]
_Key = tuple[str, str]


@dataclass(frozen=True, slots=True)
class ReadProperty:
    """A property that a plan reads. A row follows from it if `condition` is true, or always if there is none."""

    read: Property
    condition: Expression | None


def read_properties(parts: Sequence[Any]) -> list[ReadProperty]:
    """Return the distinct properties that steps read, except within tested patterns and the plans of a union.

    A property that only one branch of an `or` reads has this branch as its condition, because a row does not follow
    from the branches that are false.
    """
    first: dict[_Key, Property] = {}
    conditions: dict[_Key, dict[Expression | None, None]] = {}
    for part in parts:
        for read, condition in _reads(part):
            first.setdefault(_key(read), read)
            conditions.setdefault(_key(read), {})[condition] = None
    return [ReadProperty(read, _any_of(list(conditions[key]))) for key, read in first.items()]


def _reads(part: Any, condition: Expression | None = None, must: bool | None = None) -> Iterator[_Read]:
    """Yield properties with their conditions; `must` is what a condition must be for a row to be kept, if known."""
    match part:
        case Property():
            yield part, condition
        case None | Exists() | CountMatches() | CollectMatches() | Union():
            return
        case Comprehension() | Quantifier():
            # The properties of items belong to no variable of the row.
            found = (read for child in children(part) for read, _ in _reads(child))
            yield from ((read, condition) for read in found if read.variable != part.name)
        case Match():
            yield from _reads(part.where, condition, True)
        case Filter():
            yield from _reads(part.condition, condition, True)
        case Not():
            yield from _reads(part.condition, condition, None if must is None else not must)
        case Case():
            for branch in part.branches:
                yield from _reads(branch.condition, condition)
                yield from _reads(branch.value, _both(condition, _without_patterns(branch.condition)))
            yield from _reads(part.otherwise, condition)
        case Or() | And() if must is isinstance(part, Or):
            yield from _reads_of_branches(part.conditions, condition, must)
        case Or() | And():
            for one in part.conditions:
                yield from _reads(one, condition, must)
        case _:
            for child in children(part):
                yield from _reads(child, condition)


def _reads_of_branches(branches: Sequence[Expression], condition: Expression | None, must: bool) -> Iterator[_Read]:
    """Yield the properties of conditions of which one suffices; those that all of them read need no condition."""
    reads = [list(_reads(branch, None, must)) for branch in branches]
    common = set[_Key].intersection(*({_key(read) for read, _ in branch} for branch in reads))
    for branch, found in zip(branches, reads, strict=True):
        suffices = _without_patterns(branch)
        if not must:
            suffices = Not(branch) if suffices == branch else None
        for read, inner in found:
            yield read, condition if _key(read) in common else _both(condition, suffices, inner)


def _without_patterns(condition: Expression) -> Expression | None:
    """Return the conjuncts without patterns, because later steps may use the variables of a pattern otherwise."""
    conjuncts = condition.conditions if isinstance(condition, And) else (condition,)
    kept = [one for one in conjuncts if not any(isinstance(part, Subquery) for part in walk(one))]
    return _both(*kept)


def _both(*conditions: Expression | None) -> Expression | None:
    stated = tuple(dict.fromkeys(one for one in conditions if one is not None))
    return And(stated) if len(stated) > 1 else next(iter(stated), None)


def _any_of(conditions: Sequence[Expression | None]) -> Expression | None:
    stated = tuple(one for one in conditions if one is not None)
    if len(stated) < len(conditions):
        return None
    return Or(stated) if len(stated) > 1 else stated[0]


def _key(read: Property) -> _Key:
    return read.variable, read.key
