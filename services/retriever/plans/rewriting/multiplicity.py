"""Aggregate each node once, although the pattern of a plan matches it several times.

However many drivers work at a depot, its capacity counts once in the total capacity.
"""

from collections.abc import Sequence, Set
from dataclasses import dataclass, replace

from graph.plan.algebra import (
    AggregateFunction,
    Column,
    Filter,
    Group,
    Match,
    NodePattern,
    Plan,
    Project,
    RelationshipPattern,
    Step,
    Variable,
)
from graph.plan.traversal import variables_of
from language.question import Question
from services.retriever.plans.assembly.plan_structure import nodes_with_one_name
from services.retriever.plans.names.asked_question import AskedQuestion
from services.retriever.plans.rewriting.unsaid_kinds import says_kind, says_name
from services.retriever.plans.schema.schema_elements import SchemaElements

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


def without_unasked_joins(plan: Plan, asked: AskedQuestion) -> Plan:
    """Return a plan that aggregates without relationships of which neither the plan nor the question says anything.

    Such a relationship leads to nodes that nothing else reads, and the question names neither it nor their kinds.
    """
    found = _Grouped.of(plan)
    if found is None or not any(one.function in _ADDITIVE for one in found.group.aggregates):
        return plan
    kept = _asked_nodes(found, asked.question, asked.elements)
    nodes = tuple(one for one in found.match.nodes if one.variable in kept)
    links = tuple(one for one in found.match.relationships if {one.source, one.target} <= kept)
    smaller = replace(found, match=replace(found.match, nodes=nodes, relationships=links))
    if len(nodes) == len(found.match.nodes) or not smaller.repeating("", asked.elements.name_keys):
        return plan
    return Plan((smaller.match, *plan.steps[1:]))


def _asked_nodes(found: _Grouped, question: Question, elements: SchemaElements) -> set[str]:
    """Return the nodes that a plan reads or its question names, and those that connect them."""
    links = found.match.relationships
    kept = variables_of((found.match.where, found.filters, found.group, found.rest))
    for link in links:
        names = [name for one in link.types for name in (one, *elements.type_names.get(one, ()))]
        is_said = any(says_name(one, question) for one in names) or not link.types
        if is_said or link.variable in kept:
            kept |= {link.source, link.target}
    kept |= {one.variable for one in found.match.nodes if _may_be_said(one, question, elements)}
    rest = {one.variable for one in found.match.nodes} - kept
    while rest:
        part = _connected(rest.pop(), links, kept)
        rest -= part
        ends = {end for link in links for end in (link.source, link.target) if {link.source, link.target} & part}
        if len(ends & kept) != 1:
            kept |= part
    return kept


def _may_be_said(node: NodePattern, question: Question, elements: SchemaElements) -> bool:
    """Return whether a question may name a node: it names its kind, or nobody knows what the kind is called."""
    return not node.kinds or any(says_kind(kind, question, elements) for kind in node.kinds)


def _connected(node: str, links: Sequence[RelationshipPattern], barrier: Set[str]) -> set[str]:
    """Return the nodes that are connected with a node, itself included, without going through a barrier."""
    part, new = set[str](), {node}
    while new:
        part |= new
        near = {end for link in links if {link.source, link.target} & new for end in (link.source, link.target)}
        new = near - part - barrier
    return part
