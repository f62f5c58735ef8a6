"""Count the nodes that a question asks the number of, each of them once: `How many users have commented?`."""

import re
from collections.abc import Set
from dataclasses import replace

from services.retriever.planning.asked_kind import kinds_named
from services.retriever.planning.schema_elements import SchemaElements
from shared.plan.algebra import Aggregate, AggregateFunction, Group, Match, Plan, Variable

_HOW_MANY = re.compile(
    r"\b(?:how many|number of|count of|count)\s+(?:the\s+)?((?:[\w'’-]+\s+){0,4}[\w'’-]+)", re.IGNORECASE
)


def counted_kinds(question: str, elements: SchemaElements) -> frozenset[str]:
    """Return the kinds that the noun after `how many` may name; none if it names no kind."""
    found = _HOW_MANY.search(question)
    return kinds_named(found[1], elements) if found else frozenset()


def counting_once(plan: Plan, kinds: Set[str]) -> Plan:
    """Return a plan whose count of all rows counts the only node of one of these kinds, each once."""
    nodes = [node for step in plan.steps if isinstance(step, Match) for node in step.nodes]
    counted = [node.variable for node in nodes if not kinds.isdisjoint(node.kinds)]
    if len(nodes) < 2 or len(counted) != 1:
        return plan
    return replace(
        plan, steps=tuple(_once(step, counted[0]) if isinstance(step, Group) else step for step in plan.steps)
    )


def _once(group: Group, variable: str) -> Group:
    if group.keys:
        return group
    return replace(group, aggregates=tuple(_distinct(one, variable) for one in group.aggregates))


def _distinct(one: Aggregate, variable: str) -> Aggregate:
    counts_rows = one.function is AggregateFunction.COUNT and one.value is None
    return replace(one, value=Variable(variable), distinct=True) if counts_rows else one
