"""Keep the owners of listed values: the day rate of each driver is a row, beside the driver."""

from collections.abc import Set
from dataclasses import replace

from graph.plan.algebra import Column, Group, Match, Plan, Project, Property, Slice, Union, Variable
from graph.plan.result import PlanResult
from graph.plan.values import NodeRef
from services.retriever.plans.assembly.plan_structure import nodes_with_one_name
from services.retriever.plans.assembly.plan_variables import unused_name


def with_owners(plan: Plan, names: Set[str]) -> Plan | None:
    """Return a plan that gives the nodes beside the property of theirs that it lists; None if it lists none.

    A plan that asks for different values lists none, nor does one that names the node, takes one row, or aggregates.

    Args:
        plan: A predicted plan.
        names: The properties that name nodes.
    """
    *before, last = plan.steps
    if not isinstance(last, Project) or last.distinct or any(isinstance(step, Group | Union) for step in before):
        return None
    if any(isinstance(step, Slice) and step.limit == 1 for step in before):
        return None
    value = last.columns[0].value
    nodes = {node.variable for step in before if isinstance(step, Match) for node in step.nodes}
    if not isinstance(value, Property) or value.variable not in nodes - nodes_with_one_name(plan, names):
        return None
    if any(_tells_owner(column, value.variable, names) for column in last.columns):
        return None
    owner = unused_name(value.variable, {column.name for column in last.columns})
    columns = (*last.columns, Column(owner, Variable(value.variable)))
    return Plan((*before, replace(last, columns=columns, distinct=not _is_cut(plan))))


def has_several_owners(result: PlanResult) -> bool:
    """Return whether the last column of a result has several nodes."""
    return len({row[-1].id for row in result.rows if isinstance(row[-1], NodeRef)}) > 1


def _tells_owner(column: Column, node: str, names: Set[str]) -> bool:
    value = column.value
    return value == Variable(node) or (isinstance(value, Property) and value.variable == node and value.key in names)


def _is_cut(plan: Plan) -> bool:
    return any(isinstance(step, Slice) for step in plan.steps)
