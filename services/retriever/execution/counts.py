"""Find out what a count counted."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from graph.plan.algebra import Aggregate, Group, Property, Variable
from graph.plan.value_text import value_text
from graph.plan.values import NodeRef, identity
from language.english.relation_words import in_words
from services.retriever.execution.absence import noun_of
from services.retriever.execution.stages import Stage, patterns, variables_after

_Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Count:
    """Name the things that were counted, and their number.

    Attributes:
        number: The number.
        noun: What was counted, in the singular.
        names: The names of those that are known; empty if no nodes were counted.
        nodes: The nodes that have these names.
        group: What the count is restricted to, such as ` for Germany`; empty if it is not.
    """

    number: int
    noun: str
    names: tuple[str, ...] = ()
    group: str = ""
    nodes: tuple[NodeRef, ...] = ()


@dataclass(frozen=True, slots=True)
class Counted:
    """The witnesses of a count.

    Attributes:
        rows: The witnesses that are known.
        distinct: The number of different values of each variable among all witnesses.
        is_complete: Whether `rows` has all witnesses.
    """

    rows: Sequence[_Row]
    distinct: Mapping[str, int]
    is_complete: bool


def different_values(rows: Sequence[_Row], variables: Sequence[str]) -> dict[str, int]:
    """Return the number of different values of each variable, without missing values."""
    return {name: len({identity(row[name]) for row in rows if row[name] is not None}) for name in variables}


def described_count(stage: Stage, aggregate: Aggregate, number: int, counted: Counted, column: str | None) -> Count:
    """Describe a count by the nodes of which there are as many; otherwise, as what its rows are.

    Args:
        stage: The stage, which ends with a `group`.
        aggregate: The count.
        number: Its value.
        counted: Its witnesses.
        column: The column of the witnesses with the property that is counted, if it is one.
    """
    value = aggregate.value
    if isinstance(value, Property) and aggregate.distinct:
        return Count(number, f"different {in_words(value.key)}")
    rows = [row for row in counted.rows if column is None or row[column] is not None]
    for name in _candidates(stage, aggregate, rows):
        distinct = counted.distinct.get(name) if column is None else different_values(rows, [name])[name]
        nodes = {row[name].id: row[name] for row in rows if isinstance(row[name], NodeRef)}
        if distinct == number and (nodes or not number) and (column is None or counted.is_complete):
            found = tuple(nodes.values())
            noun = _noun(stage, name, found, counted.is_complete)
            return Count(number, noun, tuple(map(value_text, found)), nodes=found)
    return Count(number, _noun_of_rows(stage, aggregate, number, counted, rows))


def noun_of_owners(stage: Stage, fact: Property, distinct: Mapping[str, int], number: int) -> str:
    """Return the noun for `number` witnesses with a property: that of its owners if each witness has another one."""
    if distinct.get(fact.variable) != number:
        return "match"
    is_link = any(link.variable == fact.variable for match in patterns(stage) for link in match.relationships)
    return "relationship" if is_link else _noun(stage, fact.variable, (), is_complete=False)


def _candidates(stage: Stage, aggregate: Aggregate, rows: Sequence[_Row]) -> list[str]:
    """Return the variables whose nodes may be what was counted, the likeliest first."""
    pattern_nodes = [node.variable for match in patterns(stage) for node in match.nodes]
    closing = stage.closing if isinstance(stage.closing, Group) else Group((), ())
    match aggregate.value:
        case Variable(name) | Property(name):
            found = [name]
        case None:
            keys = {key.value.name for key in closing.keys if isinstance(key.value, Variable)}
            found = sorted(dict.fromkeys([*pattern_nodes, *variables_after(stage.opened)]), key=keys.__contains__)
        case _:
            found = []
    if not rows:
        return [name for name in found if name in pattern_nodes]
    return [name for name in found if any(isinstance(row.get(name), NodeRef) for row in rows)]


def _noun(stage: Stage, variable: str, nodes: Sequence[NodeRef], is_complete: bool) -> str:
    """Return the noun for the nodes of a variable: a kind that the plan requires, or one that all of them have."""
    required = [
        kind for match in patterns(stage) for node in match.nodes if node.variable == variable for kind in node.kinds
    ]
    common = [kind for kind in nodes[0].kinds if all(kind in one.kinds for one in nodes)] if nodes else []
    return noun_of(required or (common if is_complete else ()))


def _noun_of_rows(stage: Stage, aggregate: Aggregate, number: int, counted: Counted, rows: Sequence[_Row]) -> str:
    """Return the noun for a count of rows, relationships, or values."""
    links = [link.variable for match in patterns(stage) for link in match.relationships if link.variable]
    match aggregate.value:
        case None if any(counted.distinct.get(name) == number for name in links):
            return "relationship"
        case Variable(name) | Property(name) if name in links:
            is_each = different_values(rows, [name])[name] == number if rows else False
            is_all = is_each or counted.distinct.get(name) == number
            return "relationship" if is_all else _noun_of_values(aggregate.value)
        case Property():
            return _noun_of_values(aggregate.value)
        case None | Variable():
            return "match" if patterns(stage) else "row"
    return "different value" if aggregate.distinct else "value"


def _noun_of_values(value: Variable | Property) -> str:
    return f"value of {in_words(value.key)}" if isinstance(value, Property) else "match"
