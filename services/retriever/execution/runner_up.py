"""Find the row that follows the last row of a sorted and limited table."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from graph.plan.algebra import (
    Column,
    Expression,
    Filter,
    Order,
    Plan,
    Project,
    Property,
    Slice,
    Step,
    Variable,
)
from graph.plan.traversal import walk
from graph.plan.value_text import value_text
from graph.plan.values import NodeRef, RelationshipRef, identity
from services.retriever.execution.labels import label_of
from services.retriever.execution.stages import Stage, names_in, variables_after
from texts.verbalise.template import join_names

_MAX_ROWS = 1_000
"""Maximum number of rows to compare if a limit applies to each of many groups."""
_Row = Mapping[str, Any]
Labels = Callable[[Mapping[str, Any]], Mapping[str, str]]


@dataclass(frozen=True, slots=True)
class SortKeyColumn:
    """A column with the value of a sort key; `label` names a value, and `owner` is the column of what it describes."""

    column: str
    label: Callable[[Any], str]
    value: Expression
    owner: str | None


@dataclass(frozen=True, slots=True)
class RunnerUpSearch:
    """A plan that returns the last row within a limit, and the row after it, with the values of the sort keys.

    Attributes:
        plan: The plan; with `per`, it returns these two rows for each group.
        variables: The variables of the rows that the limit applies to.
        keys: The columns with the sort keys.
        per: The variables that define the groups.
        is_closed: Whether the limit follows the `project` or `group` of its stage.
    """

    plan: Plan
    variables: tuple[str, ...]
    keys: tuple[SortKeyColumn, ...]
    per: tuple[str, ...]
    is_closed: bool


@dataclass(frozen=True, slots=True)
class RunnerUp:
    """The row after a limit.

    Attributes:
        name: What the row is about.
        is_anonymous: Whether `name` describes the row, because nothing else names it.
        values: The names and values of its sort keys.
        properties: The sort keys that are properties of nodes: owner, key, and value.
        is_tie: Whether the values equal those of the last row within the limit.
        last: The last row within the limit, without its sort keys.
    """

    name: str
    is_anonymous: bool
    values: tuple[tuple[str, Any], ...]
    properties: tuple[tuple[NodeRef, str, Any], ...]
    is_tie: bool
    last: _Row


def runner_up_searches(stage: Stage, labels: Labels) -> list[RunnerUpSearch]:
    """Build a plan for each limit in a stage that applies to sorted rows. `labels` names columns that have some values.

    Of several limits that follow the same sort, only the last one counts.
    """
    steps = stage.all_steps
    found: dict[int, RunnerUpSearch] = {}
    for place in range(len(stage.before), len(steps)):
        cut = steps[place]
        if not isinstance(cut, Slice) or not cut.limit or (sort := _sort_before(steps, place)) is None:
            continue
        start, order = sort
        rows = _rows_before(steps[:place], start, order, labels)
        plan = Plan((*rows.steps, Slice(2, cut.offset + cut.limit - 1, cut.per), Slice(_MAX_ROWS)))
        is_closed = place >= len(stage.closed)
        found[start] = RunnerUpSearch(plan, variables_after(steps[:place]), rows.keys, cut.per, is_closed)
    return list(found.values())


def read_runner_ups(search: RunnerUpSearch, rows: Sequence[_Row]) -> list[RunnerUp]:
    """Read the result of a search; groups that no row follows are left out."""
    groups: dict[tuple[Any, ...], list[_Row]] = {}
    for row in rows:
        groups.setdefault(tuple(identity(row[name]) for name in search.per), []).append(row)
    return [_runner_up(search, *pair) for pair in groups.values() if len(pair) == 2]


def _sort_before(steps: Sequence[Step], place: int) -> tuple[int, Order] | None:
    """Return the sort whose order the rows before `place` have, and its place."""
    for before in range(place - 1, -1, -1):
        step = steps[before]
        if isinstance(step, Order):
            return before, step
        if not isinstance(step, Filter | Slice) and not (isinstance(step, Project) and not step.distinct):
            return None
    return None


@dataclass(frozen=True, slots=True)
class _SortedRows:
    """Steps whose rows also have the columns `keys`."""

    steps: tuple[Step, ...]
    keys: tuple[SortKeyColumn, ...]


def _rows_before(steps: tuple[Step, ...], start: int, order: Order, labels: Labels) -> _SortedRows:
    """Compute the sort keys directly after the sort at `start`, and pass them on through the steps that follow it."""
    variables, used = variables_after(steps[:start]), names_in(steps)
    keys, passed = [], list[Column]()
    for number, key in enumerate(order.keys):
        column, owner = _unused(f"key{number}", used), _unused(f"owner{number}", used)
        described = _described(key.value, variables)
        keys.append(SortKeyColumn(column, partial(_label, key.value, labels), key.value, owner if described else None))
        passed += [Column(column, key.value), *([Column(owner, Variable(described))] if described else [])]
    columns = (*(Column(name, Variable(name)) for name in variables), *passed)
    kept = tuple(Column(one.name, Variable(one.name)) for one in passed)
    rest = (
        replace(one, columns=(*one.columns, *kept)) if isinstance(one, Project) else one for one in steps[start + 1 :]
    )
    return _SortedRows((*steps[: start + 1], Project(columns), *rest), tuple(keys))


def _label(expression: Expression, labels: Labels, value: Any) -> str:
    """Name the value of a sort key; the name of a minimum depends on its type."""
    return label_of(expression, labels({expression.name: value} if isinstance(expression, Variable) else {}))


def _unused(name: str, used: set[str]) -> str:
    while name in used:
        name += "_"
    return name


def _described(value: Expression, variables: Sequence[str]) -> str | None:
    """Return the variable that the value of a sort key describes: `c` for `c.population`."""
    if isinstance(value, Variable):
        return None
    names = [name for part in walk(value) if (name := getattr(part, "variable", None))]
    return next((name for name in names if name in variables), None)


def _runner_up(search: RunnerUpSearch, last: _Row, after: _Row) -> RunnerUp:
    stated = [key for key in search.keys if not isinstance(after[key.column], NodeRef | RelationshipRef)]
    owners = [key for key in stated if isinstance(key.value, Property) and isinstance(_owner(key, after), NodeRef)]
    properties = tuple(
        (_owner(key, after), key.value.key, after[key.column]) for key in owners if isinstance(key.value, Property)
    )
    compared = [key for place, key in enumerate(search.keys) if place == 0 or not _is_tie_breaker(key, after)]
    is_tie = all(identity(last[key.column]) == identity(after[key.column]) for key in compared)
    shown = [key for key in stated if (key in compared if is_tie else not _is_own_name(key, after))]
    values = tuple((key.label(last[key.column]), after[key.column]) for key in shown)
    rest = {name: last[name] for name in search.variables}
    name, is_anonymous = _name(search, last, after)
    return RunnerUp(name, is_anonymous, values, properties, is_tie, rest)


def _owner(key: SortKeyColumn, row: _Row) -> Any:
    return row[key.owner] if key.owner else None


def _is_own_name(key: SortKeyColumn, row: _Row) -> bool:
    """Return whether a sort key is the name of the node that it describes."""
    owner = _owner(key, row)
    return isinstance(owner, NodeRef) and row[key.column] == value_text(owner)


def _is_tie_breaker(key: SortKeyColumn, row: _Row) -> bool:
    """Return whether a sort key only gives a fixed order to rows that are otherwise equal: a node, or its name."""
    value = row[key.column]
    owners = [_owner(key, row)] if key.owner else [one for one in row.values() if isinstance(one, NodeRef)]
    return isinstance(value, NodeRef) or value in [one.name for one in owners if isinstance(one, NodeRef)]


def _name(search: RunnerUpSearch, last: _Row, after: _Row) -> tuple[str, bool]:
    """Name a row by what its first sort key describes, by its first node, or by its first other value.

    Return also whether it has no name of its own.
    """
    nodes = [after[name] for name in search.variables if isinstance(after[name], NodeRef)]
    described = _owner(search.keys[0], after) if search.keys[0].owner else next(iter(nodes), None)
    is_same = described in [last[name] for name in search.variables]
    if isinstance(described, NodeRef) and not (is_same and len(nodes) > 1):
        name = value_text(described)
        is_namesake = name in [value_text(one) for one in last.values() if isinstance(one, NodeRef)]
        return (f"another {name}", True) if is_namesake else (name, False)
    if nodes:
        return f"the row with {join_names(list(dict.fromkeys(map(value_text, nodes))))}", True
    sorted_by = {key.value.name for key in search.keys if isinstance(key.value, Variable)}
    others = [after[name] for name in search.variables if name not in sorted_by and after[name] is not None]
    return (value_text(others[0]), False) if others else ("another row", True)
