"""Divide a query plan into stages, and find the patterns that its conditions test."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import Enum
from itertools import count
from typing import Any

from graph.plan.algebra import (
    Aggregate,
    AggregateFunction,
    And,
    CollectMatches,
    Comprehension,
    CountMatches,
    Exists,
    Expression,
    Filter,
    Group,
    Match,
    Not,
    Or,
    Order,
    Plan,
    Project,
    Quantifier,
    ShortestPaths,
    Step,
    Subquery,
    Union,
    Unnest,
    Variable,
)
from graph.plan.scope import Scope
from graph.plan.traversal import children, rename, walk

EXTREMES = (AggregateFunction.MIN, AggregateFunction.MAX, AggregateFunction.SHORTEST, AggregateFunction.LONGEST)
"""Aggregates that return one of the values, and so identify rows."""


@dataclass(frozen=True, slots=True)
class Stage:
    """A part of a plan up to its next `project` or `group`.

    Attributes:
        before: The steps of all earlier stages.
        steps: The steps before `closing`.
        closing: The `project` or `group`; None if the plan ends without one.
        after: The filters, sorts, and slices that follow `closing`.
    """

    before: tuple[Step, ...]
    steps: tuple[Step, ...]
    closing: Project | Group | None = None
    after: tuple[Step, ...] = ()

    @property
    def opened(self) -> tuple[Step, ...]:
        """Return all steps before `closing`."""
        return self.before + self.steps

    @property
    def closed(self) -> tuple[Step, ...]:
        """Return all steps up to `closing`."""
        return (*self.opened, self.closing) if self.closing else self.opened

    @property
    def all_steps(self) -> tuple[Step, ...]:
        """Return all steps up to the end of this stage."""
        return self.closed + self.after

    @property
    def columns(self) -> dict[str, Expression]:
        """Return the expressions that identify the rows of a result, keyed by column.

        A minimum or maximum identifies the rows that hold it.
        """
        if self.closing is None:
            return {name: Variable(name) for name in variables_after(self.opened)}
        if isinstance(self.closing, Project):
            return {column.name: column.value for column in self.closing.columns}
        columns = {column.name: column.value for column in self.closing.keys}
        match self.closing.aggregates:
            case [Aggregate(name, function, value)] if value is not None and function in EXTREMES:
                columns[name] = value
        return columns


def extremes(stage: Stage) -> list[Aggregate]:
    """Return the minimums and maximums among several aggregates, which do not identify the rows of a group."""
    closing = stage.closing
    if not isinstance(closing, Group) or len(closing.aggregates) < 2:
        return []
    return [one for one in closing.aggregates if one.function in EXTREMES and one.value is not None]


class Role(Enum):
    """Say whether a pattern within an expression must match for a row to be in the result."""

    HOLDS = "match"
    FAILS = "not match"
    EITHER = "match or not match, because the row depends on which of the two it is"

    @property
    def negated(self) -> "Role":
        """Return the role of the pattern within a negation."""
        return {Role.HOLDS: Role.FAILS, Role.FAILS: Role.HOLDS, Role.EITHER: Role.EITHER}[self]


@dataclass(frozen=True, slots=True)
class TestedPattern:
    """A pattern within an expression, with variables of its own that no other part of the plan uses.

    `of_row` are the variables that it shares with the row, and `own` are the others. `is_counted` is whether the number
    of its matches is a sort key or a column.
    """

    match: Match
    role: Role
    of_row: frozenset[str]
    own: frozenset[str]
    is_counted: bool = False


def stages(plan: Plan) -> list[Stage]:
    """Divide a plan into stages, in order; a union stays in the first stage."""
    found = [Stage((), ())]
    for step in plan.steps:
        last = found[-1]
        if last.closing is None and not isinstance(step, Project | Group):
            found[-1] = replace(last, steps=(*last.steps, step))
        elif last.closing is None and isinstance(step, Project | Group):
            found[-1] = replace(last, closing=step)
        elif not isinstance(step, Match | Unnest | Project | Group | ShortestPaths) and not _has_pattern(step):
            found[-1] = replace(last, after=(*last.after, step))
        else:
            is_closing = isinstance(step, Project | Group)
            found.append(Stage(last.all_steps, () if is_closing else (step,), step if is_closing else None))  # type: ignore[arg-type]
    return found


def _has_pattern(step: Step) -> bool:
    """Return whether a step tests patterns, which only the steps before `closing` can have witnesses of."""
    return any(isinstance(part, Subquery) for part in walk(step))


def variables_after(steps: tuple[Step, ...]) -> tuple[str, ...]:
    """Return the variables of the rows that these steps return."""
    return tuple(Scope(None).after_all(Plan(steps)).variables) if steps else ()


def columns_of(stage: Stage) -> tuple[str, ...]:
    """Return the columns of the rows that a stage returns."""
    return variables_after(stage.closed)


def patterns(stage: Stage) -> list[Match]:
    """Return the patterns that the rows of a stage match."""
    return [step for step in stage.steps if isinstance(step, Match)]


def with_named_relationships(stage: Stage) -> Stage:
    """Give every relationship in the patterns of a stage a variable."""
    names = _new_names(Plan(stage.all_steps))
    return replace(stage, steps=tuple(_named(step, names) if isinstance(step, Match) else step for step in stage.steps))


def tested_patterns(stage: Stage) -> list[TestedPattern]:
    """Return the patterns that the conditions, sort keys, and columns of a stage test, in order."""
    names = _new_names(Plan(stage.all_steps))
    found: list[TestedPattern] = []
    known = set(variables_after(stage.before))
    for step in stage.steps:
        if isinstance(step, Match | Union):
            known |= set(variables_after((step,)))
        for match, role in () if isinstance(step, Union) else _patterns(step):
            found.append(_tested(match, role, known, names, _is_counted(match, step)))
        if isinstance(step, Unnest):
            known.add(step.name)
    closing = stage.closing
    return found + [
        _tested(match, role, known, names, _is_counted(match, closing)) for match, role in _patterns(closing)
    ]


def optional_patterns(stage: Stage) -> list[TestedPattern]:
    """Return the optional patterns of a stage that bind variables, which are missing if the pattern does not match."""
    known = set(variables_after(stage.before))
    found = []
    for step in stage.steps:
        if isinstance(step, Match) and step.optional:
            found.append(_described(step, Role.EITHER, known))
        known |= set(variables_after((step,))) if isinstance(step, Match | Union) else set()
    return [pattern for pattern in found if pattern.own]


def _patterns(part: Any, role: Role = Role.EITHER) -> Iterator[tuple[Match, Role]]:
    """Yield the outermost patterns in a step or an expression."""
    match part:
        case Match():
            yield from _patterns(part.where, Role.HOLDS)
        case Filter():
            yield from _patterns(part.condition, Role.HOLDS)
        case Exists():
            yield part.match, role
        case CountMatches() | CollectMatches():
            yield part.match, Role.EITHER
        case Not():
            yield from _patterns(part.condition, role.negated)
        case And() | Or():
            for condition in part.conditions:
                yield from _patterns(condition, role)
        case Comprehension() | Quantifier():
            yield from _patterns(part.items)  # a pattern that items match has no witness in the row
        case _:
            for child in children(part):
                yield from _patterns(child)


def _is_counted(match: Match, step: Step | None) -> bool:
    """Return whether a sort key or a column of a step is the number of matches of a pattern."""
    values: list[Expression] = []
    if isinstance(step, Order):
        values = [key.value for key in step.keys]
    elif isinstance(step, Project):
        values = [column.value for column in step.columns]
    return any(isinstance(value, CountMatches) and value.match is match for value in values)


def _tested(match: Match, role: Role, known: set[str], names: Iterator[str], is_counted: bool = False) -> TestedPattern:
    own = [node.variable for node in match.nodes] + [link.variable for link in match.relationships if link.variable]
    renamed = {name: next(names) for name in own if name not in known}
    changed = _named(rename(match, renamed), names)
    return replace(_described(changed, role, known), is_counted=is_counted)


def _described(match: Match, role: Role, known: set[str]) -> TestedPattern:
    used = names_in(match) & {*known, *variables_after((match,))}
    return TestedPattern(match, role, frozenset(used & known), frozenset(used - known))


def _named(match: Match, names: Iterator[str]) -> Match:
    links = (link if link.variable else replace(link, variable=next(names)) for link in match.relationships)
    return replace(match, relationships=tuple(links))


def names_in(part: Any) -> set[str]:
    """Return the names of all variables and columns in a part of a plan."""
    fields = ("name", "variable", "source", "target")
    return {name for inner in walk(part) for field in fields if (name := getattr(inner, field, None))}


def _new_names(plan: Plan) -> Iterator[str]:
    """Yield names that no variable of a plan has."""
    used = names_in(plan)
    return (name for number in count(1) if (name := f"e{number}") not in used)
