"""Count the nodes that a question asks the number of, each of them once: `How many users have commented?`."""

from collections.abc import Set
from dataclasses import replace

from graph.plan.algebra import Aggregate, AggregateFunction, Group, Match, Plan, Variable
from language.marks import Mark
from language.question import Question
from services.retriever.plans.names.asked_kind import kinds_named
from services.retriever.plans.names.asked_question import AskedQuestion
from services.retriever.plans.schema.schema_elements import SchemaElements


def counted_kinds(question: Question, elements: SchemaElements) -> frozenset[str]:
    """Return the kinds that the noun after `how many` may name; none if it names no kind."""
    found = question.first(Mark.NUMBER_OF_NOUN)
    return kinds_named(found.parts[0] or "", elements) if found else frozenset()


def counting_once(plan: Plan, asked: AskedQuestion) -> Plan:
    """Return a plan that counts the only node of the kind that is asked for, each once, instead of rows or other nodes.

    A group of keys stays as it is if each of its rows has another node of the kind.
    """
    kinds = counted_kinds(asked.question, asked.elements)
    nodes = [node for step in plan.steps if isinstance(step, Match) for node in step.nodes]
    counted = [node.variable for node in nodes if not kinds.isdisjoint(node.kinds)]
    if len(nodes) < 2 or len(counted) != 1:
        return plan
    variables = {node.variable for node in nodes}
    return replace(
        plan,
        steps=tuple(_once(step, counted[0], variables) if isinstance(step, Group) else step for step in plan.steps),
    )


def _once(group: Group, variable: str, nodes: Set[str]) -> Group:
    keys = {key.value.name for key in group.keys if isinstance(key.value, Variable)}
    if variable in keys or (group.keys and nodes == keys | {variable}):
        return group
    return replace(group, aggregates=tuple(_distinct(one, variable, nodes) for one in group.aggregates))


def _distinct(one: Aggregate, variable: str, nodes: Set[str]) -> Aggregate:
    counts_nodes = one.value is None or (isinstance(one.value, Variable) and one.value.name in nodes)
    if one.function is not AggregateFunction.COUNT or not counts_nodes:
        return one
    return replace(one, value=Variable(variable), distinct=True)
