"""Arrange the steps of a plan so that few clauses do them: Neo4j takes milliseconds to plan each clause."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeGuard

from graph.plan.algebra import (
    AggregateFunction,
    Arithmetic,
    Call,
    Expression,
    Filter,
    Function,
    Group,
    Match,
    Order,
    Project,
    Property,
    Slice,
    Step,
    Variable,
)
from graph.plan.traversal import conjunction, conjuncts, walk

_MAY_OVERFLOW = {Function.ABS, Function.TO_INTEGER}


@dataclass(frozen=True, slots=True)
class End:
    """Hold the last steps of a plan, which one RETURN clause can do."""

    columns: Project | Group | None = None
    order: Order | None = None
    cut: Slice | None = None


def renamed(step: Project | Group) -> set[str]:
    """Return the names of the columns that are not variables from before, with the same name."""
    columns = step.columns if isinstance(step, Project) else step.keys
    names = {column.name for column in columns if column.value != Variable(column.name)}
    return names if isinstance(step, Project) else names | {one.name for one in step.aggregates}


def joined(steps: Iterable[Step]) -> Iterator[Step]:
    """Make the conditions after a pattern conditions of the pattern, where none of them may fail."""
    before: Step | None = None
    for step in steps:
        if _is_certain(before) and isinstance(step, Filter) and not may_overflow(step.condition):
            before = replace(before, where=conjunction([*conjuncts(before.where), step.condition]))
            continue
        if before is not None:
            yield before
        before = step
    if before is not None:
        yield before


def _is_certain(step: Step | None) -> TypeGuard[Match]:
    return isinstance(step, Match) and not step.optional


def split(steps: Iterable[Step]) -> tuple[Sequence[Step], End]:
    """Split off the last steps: those that choose columns, sort by simple keys, and cut."""
    rest, end = list(steps), End()
    match rest[-1:]:
        case [Slice(per=()) as cut]:
            rest, end = rest[:-1], replace(end, cut=cut)
    match rest[-1:]:
        case [Order(keys=keys)] if not all(isinstance(key.value, Variable | Property) for key in keys):
            return rest, end
        case [Order() as order]:
            rest, end = rest[:-1], replace(end, order=order)
    match rest[-1:]:
        case [Project() | Group() as columns] if not collects(columns):
            rest, end = rest[:-1], replace(end, columns=columns)
    return rest, end


def collects(step: Step) -> TypeGuard[Group]:
    """Return whether a step makes lists, whose order is that of the rows."""
    return isinstance(step, Group) and any(one.function is AggregateFunction.COLLECT for one in step.aggregates)


def may_overflow(expression: Expression) -> bool:
    """Return whether a number in an expression may become too large for 64 bits, which Neo4j reports as an error."""
    return any(
        isinstance(part, Arithmetic) or (isinstance(part, Call) and part.function in _MAY_OVERFLOW)
        for part in walk(expression)
    )
