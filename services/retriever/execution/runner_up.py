"""Find the row that follows the last row of a sorted and limited result."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from services.retriever.execution.labels import label_of
from services.retriever.execution.stages import Stage, sort_and_slice, variables_after
from shared.plan.algebra import Column, Order, Plan, Project, Property, Slice, Step, Variable
from shared.plan.values import NodeRef


@dataclass(frozen=True, slots=True)
class RunnerUpSearch:
    """A plan that returns the last row within a limit, and the row after it, with the values of the sort keys.

    `keys` maps each column with the value of a sort key to the name of that value, and `properties` to the property
    that it is read from, if any.
    """

    plan: Plan
    keys: Mapping[str, str]
    properties: Mapping[str, Property]


@dataclass(frozen=True, slots=True)
class RunnerUp:
    """The row after the limit: its name, and the names and values of its sort keys.

    `properties` holds the keys that are properties of nodes: owner, name, and value. With `is_tie`, the values equal
    those of the last row within the limit.
    """

    name: str
    values: tuple[tuple[str, Any], ...]
    properties: tuple[tuple[str, str, Any], ...]
    is_tie: bool


def runner_up_search(stage: Stage, labels: Mapping[str, str]) -> RunnerUpSearch | None:
    """Build the plan for a stage that sorts and limits its rows; None for other stages. `labels` names columns."""
    closing = (stage.closing,) if stage.closing else ()
    for before, steps in (((*stage.opened, *closing), stage.after), (stage.before, stage.steps)):
        if (found := sort_and_slice(steps)) is not None:
            place, order, cut = found
            return _search((*before, *steps[:place]), order, cut, labels)
    return None


def read_runner_up(search: RunnerUpSearch, rows: Sequence[Mapping[str, Any]]) -> RunnerUp | None:
    """Read the result of a search; None if no row follows."""
    if len(rows) < 2:
        return None
    last, after = rows
    values = tuple((label, after[column]) for column, label in search.keys.items())
    others = [value for name, value in after.items() if name not in search.keys]
    node = next((value for value in others if isinstance(value, NodeRef)), None)
    name = node.name if node else next((str(value) for value in others if isinstance(value, str)), "another row")
    properties = tuple(
        (after[read.variable].name, read.key, after[column])
        for column, read in search.properties.items()
        if isinstance(after[read.variable], NodeRef) and after[column] is not None
    )
    return RunnerUp(name, values, properties, all(last[column] == after[column] for column in search.keys))


def _search(before: tuple[Step, ...], order: Order, cut: Slice, labels: Mapping[str, str]) -> RunnerUpSearch:
    variables = variables_after(before)
    columns, keys, properties = [Column(name, Variable(name)) for name in variables], {}, {}
    for number, key in enumerate(order.keys):
        name = f"key{number}"
        while name in variables:
            name += "_"
        columns.append(Column(name, key.value))
        keys[name] = label_of(key.value, labels)
        if isinstance(key.value, Property):
            properties[name] = key.value
    steps = (*before, order, Slice(2, cut.offset + cut.limit - 1), Project(tuple(columns)))
    return RunnerUpSearch(Plan(steps), keys, properties)
