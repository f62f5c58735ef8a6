"""Read relationships of variable length, up to a bound, as patterns of each length: `-[:R*1..3]->`."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import reduce
from itertools import pairwise, product
from math import prod
from typing import Any

from graph.cypher.unsupported import UnsupportedCypherError
from graph.plan.algebra import (
    And,
    Arithmetic,
    Column,
    Comparison,
    CountMatches,
    Exists,
    Expression,
    Match,
    NodePattern,
    Or,
    Plan,
    Project,
    RelationshipPattern,
    Step,
    Union,
    Variable,
)
from graph.plan.part_checks import MAX_RELATIONSHIPS, excess_of
from graph.plan.scope import Scope

_MAX_PATTERNS = 6


@dataclass(frozen=True, slots=True)
class Chain(RelationshipPattern):
    """Stand for chains of `low` to `high` relationships until the pattern is complete."""

    low: int = 1
    high: int = 1


def chain(link: RelationshipPattern, hops: Any, has_properties: bool) -> Chain:
    """Read the bounds of a relationship of variable length.

    Raises:
        UnsupportedCypherError: There is no upper bound, or the relationships have a name or properties.
    """
    _, low, dots, high = hops.children
    if dots is None:
        high = low
    if high is None:
        raise UnsupportedCypherError(
            "relationships of variable length without an upper bound are not supported; state one, such as *1..5"
        )
    if link.variable is not None or has_properties:
        raise UnsupportedCypherError("relationships of variable length with a name or properties are not supported")
    first, last = int(low) if low is not None else 1, int(high)
    if not first <= last < first + _MAX_PATTERNS:
        raise UnsupportedCypherError(f"relationships of more than {_MAX_PATTERNS} lengths are not supported")
    if last > MAX_RELATIONSHIPS:  # the pattern of a huge length would not fit into the memory
        raise UnsupportedCypherError(f"the pattern is too large; use at most {MAX_RELATIONSHIPS} relationships")
    return Chain(link.source, link.target, link.types, link.direction, None, first, last)


def of_each_length(match: Match, new_name: Callable[[str], str]) -> list[Match]:
    """Return a pattern for each combination of lengths; the pattern itself if all lengths are fixed."""
    chains = [link for link in match.relationships if isinstance(link, Chain)]
    if not chains:
        return [match]
    ranges = [range(link.low, link.high + 1) for link in chains]
    if prod(map(len, ranges)) > _MAX_PATTERNS:
        raise UnsupportedCypherError(f"patterns with more than {_MAX_PATTERNS} combinations of lengths")
    found = [_with_lengths(match, iter(lengths), new_name) for lengths in product(*ranges)]
    for problem in (problem for one in found for problem in excess_of(one)):
        raise UnsupportedCypherError(problem)
    return found


def any_exists(matches: list[Match]) -> Expression:
    """Test whether any of several patterns matches."""
    return Or(tuple(map(Exists, matches))) if len(matches) > 1 else Exists(matches[0])


def total_count(matches: list[Match]) -> Expression:
    """Count the matches of several patterns."""
    counts: list[Expression] = list(map(CountMatches, matches))
    return reduce(lambda left, right: Arithmetic("+", left, right), counts)


def concatenated(steps: list[Step], matches: list[Match]) -> list[Step]:
    """Return steps that extend the rows of `steps` by the matches of several patterns."""
    if len(matches) == 1:
        return [*steps, matches[0]]
    if any(match.optional for match in matches):
        raise UnsupportedCypherError("OPTIONAL MATCH of relationships of variable length is not supported")
    plans = [Plan((*steps, match)) for match in matches]
    variables = [Scope(None).after_all(plan).variables for plan in plans]
    shared = [name for name in variables[0] if all(name in others for others in variables)]
    columns = Project(tuple(Column(name, Variable(name)) for name in shared))
    return [Union(tuple(Plan((*plan.steps, columns)) for plan in plans), distinct=False)]


def _with_lengths(match: Match, lengths: Iterator[int], new_name: Callable[[str], str]) -> Match:
    nodes = list(match.nodes)
    links: list[RelationshipPattern] = []
    conditions = [match.where] if match.where is not None else []
    for link in match.relationships:
        if not isinstance(link, Chain):
            links.append(link)
        elif (length := next(lengths)) == 0:
            conditions.insert(0, Comparison("=", Variable(link.source), Variable(link.target)))
        else:
            between = [new_name("node") for _ in range(length - 1)]
            nodes += map(NodePattern, between)
            ends = [link.source, *between, link.target]
            links += [
                RelationshipPattern(source, target, link.types, link.direction) for source, target in pairwise(ends)
            ]
    where = And(tuple(conditions)) if len(conditions) > 1 else next(iter(conditions), None)
    return replace(match, nodes=tuple(nodes), relationships=tuple(links), where=where)
