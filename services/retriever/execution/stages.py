"""Divide a query plan into stages, and find the patterns that its conditions test."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from enum import Enum
from itertools import count

from shared.plan.algebra import (
    Aggregate,
    AggregateFunction,
    CountMatches,
    Exists,
    Expression,
    Group,
    HasKind,
    Match,
    NodePattern,
    Not,
    Order,
    Plan,
    Project,
    Property,
    RelationshipPattern,
    RelationshipType,
    Slice,
    Step,
    Union,
    Unnest,
    Variable,
)
from shared.plan.scope import Scope
from shared.plan.traversal import rewrite, walk


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
            case [Aggregate(name, AggregateFunction.MIN | AggregateFunction.MAX, value)] if value is not None:
                columns[name] = value
        return columns


class Role(Enum):
    """How a condition uses a pattern."""

    HOLDS = "the pattern must match"
    FAILS = "the pattern must not match"


@dataclass(frozen=True, slots=True)
class TestedPattern:
    """A pattern within an expression, with variables of its own that no other part of the plan uses."""

    match: Match
    role: Role


def stages(plan: Plan) -> list[Stage]:
    """Divide a plan into stages, in order; a union stays in the first stage."""
    found = [Stage((), ())]
    for step in plan.steps:
        last = found[-1]
        if last.closing is None and not isinstance(step, Project | Group):
            found[-1] = replace(last, steps=(*last.steps, step))
        elif last.closing is None and isinstance(step, Project | Group):
            found[-1] = replace(last, closing=step)
        elif not isinstance(step, Match | Unnest | Project | Group):
            found[-1] = replace(last, after=(*last.after, step))
        else:
            before = (*last.opened, *((last.closing,) if last.closing else ()), *last.after)
            is_closing = isinstance(step, Project | Group)
            found.append(Stage(before, () if is_closing else (step,), step if is_closing else None))  # type: ignore[arg-type]
    return found


def variables_after(steps: tuple[Step, ...]) -> tuple[str, ...]:
    """Return the variables of the rows that these steps return."""
    return tuple(Scope(None).after_all(Plan(steps)).variables) if steps else ()


def columns_of(stage: Stage) -> tuple[str, ...]:
    """Return the columns of the rows that a stage returns."""
    return variables_after((*stage.opened, *((stage.closing,) if stage.closing else ())))


def patterns(stage: Stage) -> list[Match]:
    """Return the patterns that the rows of a stage match."""
    return [step for step in stage.steps if isinstance(step, Match)]


def with_named_relationships(stage: Stage) -> Stage:
    """Give every relationship in the patterns of a stage a variable."""
    names = _new_names(Plan((*stage.opened, stage.closing) if stage.closing else stage.opened))
    return replace(stage, steps=tuple(_named(step, names) if isinstance(step, Match) else step for step in stage.steps))


def tested_patterns(stage: Stage) -> list[TestedPattern]:
    """Return the patterns that the conditions and columns of a stage test, in order."""
    everything = Plan((*stage.opened, *((stage.closing,) if stage.closing else ()), *stage.after))
    names = _new_names(everything)
    found: list[TestedPattern] = []
    known = set(variables_after(stage.before))
    for step in stage.steps:
        known |= set(variables_after((step,))) if isinstance(step, Match) else set()
        if isinstance(step, Union):
            known |= set(variables_after((step,)))
            continue
        for match, role in _patterns(step.where if isinstance(step, Match) else step):
            found.append(TestedPattern(_with_own_variables(match, known, names), role))
        if isinstance(step, Unnest):
            known.add(step.name)
    for match, role in _patterns(stage.closing):
        found.append(TestedPattern(_with_own_variables(match, known, names), role))
    return found


def _patterns(part: object, role: Role = Role.HOLDS) -> Iterator[tuple[Match, Role]]:
    """Yield the outermost patterns in a step or an expression."""
    for inner in walk(part, not_into=(Not, Exists, CountMatches, Order)):
        if isinstance(inner, Exists | CountMatches):
            yield inner.match, role
        elif isinstance(inner, Not):
            yield from _patterns(inner.condition, Role.FAILS if role is Role.HOLDS else Role.HOLDS)


def _with_own_variables(match: Match, known: set[str], names: Iterator[str]) -> Match:
    own = [node.variable for node in match.nodes] + [link.variable for link in match.relationships if link.variable]
    renamed = {name: next(names) for name in own if name not in known}
    return _named(rename(match, renamed), names)


def rename(match: Match, names: Mapping[str, str]) -> Match:
    """Rename variables in a pattern and its condition."""

    def new(name: str) -> str:
        return names.get(name, name)

    def replacement(part: object) -> object:
        match part:
            case Variable():
                return Variable(new(part.name))
            case Property() | HasKind() | RelationshipType():
                return replace(part, variable=new(part.variable))
            case NodePattern():
                return replace(part, variable=new(part.variable))
            case RelationshipPattern():
                variable = new(part.variable) if part.variable else None
                return replace(part, source=new(part.source), target=new(part.target), variable=variable)
        return None

    return rewrite(match, replacement)


def sort_and_slice(steps: tuple[Step, ...]) -> tuple[int, Order, Slice] | None:
    """Return the position of the last sort that a slice of the whole table follows directly, and both steps."""
    for place in range(len(steps) - 1, 0, -1):
        order, cut = steps[place - 1], steps[place]
        if isinstance(order, Order) and isinstance(cut, Slice) and cut.limit and not cut.per:
            return place - 1, order, cut
    return None


def _named(match: Match, names: Iterator[str]) -> Match:
    links = (link if link.variable else replace(link, variable=next(names)) for link in match.relationships)
    return replace(match, relationships=tuple(links))


def _new_names(plan: Plan) -> Iterator[str]:
    """Yield names that no variable of a plan has."""
    parts = list(walk(plan))
    used = {getattr(part, field, None) for part in parts for field in ("name", "variable", "source", "target")}
    return (name for number in count(1) if (name := f"e{number}") not in used)
