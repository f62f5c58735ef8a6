"""Aggregate each node once, although the pattern of a plan matches it several times.

However many drivers work at a depot, its capacity counts once in the total capacity.
"""

from collections.abc import Set
from dataclasses import dataclass, replace

from graph.plan.algebra import (
    AggregateFunction,
    Column,
    Filter,
    Group,
    Match,
    Plan,
    Project,
    Step,
    Variable,
)
from graph.plan.traversal import variables_of
from services.retriever.plans.assembly.plan_structure import nodes_with_one_name
from services.retriever.plans.names.asked_question import AskedQuestion

_ADDITIVE = (AggregateFunction.SUM, AggregateFunction.AVERAGE, AggregateFunction.COUNT)


@dataclass(frozen=True, slots=True)
class _Grouped:
    """Hold a plan whose first pattern is aggregated."""

    match: Match
    filters: tuple[Step, ...]
    group: Group
    rest: tuple[Step, ...]

    @classmethod
    def of(cls, plan: Plan) -> "_Grouped | None":
        first, *others = plan.steps
        place = next((at for at, step in enumerate(others) if not isinstance(step, Filter)), len(others))
        group = others[place] if place < len(others) else None
        if not isinstance(first, Match) or first.optional or not isinstance(group, Group):
            return None
        return cls(first, tuple(others[:place]), group, tuple(others[place + 1 :]))

    def repeating(self, node: str, names: Set[str]) -> set[str]:
        """Return the nodes that can repeat a node within a group: those that are no keys, and not the only ones."""
        plan = Plan((self.match, *self.filters))
        keys = {key.value.name for key in self.group.keys if isinstance(key.value, Variable)}
        return {one.variable for one in self.match.nodes} - keys - nodes_with_one_name(plan, names) - {node}


def aggregating_once(plan: Plan, asked: AskedQuestion) -> Plan:
    """Return a plan that adds up, averages, or counts each node once in each of its groups.

    The aggregates have to read the same node, and no relationship.
    """
    found = _Grouped.of(plan)
    if found is None:
        return plan
    read = set[str]().union(*map(variables_of, found.group.aggregates))
    nodes = {one.variable for one in found.match.nodes}
    are_repeated = any(
        one.function in _ADDITIVE and one.value is not None and not one.distinct for one in found.group.aggregates
    )
    if len(read) != 1 or not read <= nodes or not are_repeated:
        return plan
    [owner], keys = read, found.group.keys
    if not found.repeating(owner, asked.elements.name_keys):
        return plan
    others = tuple(key for key in keys if key.value != Variable(owner))
    rows = Project((Column(owner, Variable(owner)), *others), distinct=True)
    group = replace(found.group, keys=tuple(replace(key, value=Variable(key.name)) for key in keys))
    return Plan((found.match, *found.filters, rows, group, *found.rest))
