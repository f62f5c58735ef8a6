"""Add up or average what a question asks for as a whole: `What did all the missions cost together?`"""

from collections.abc import Sequence

from graph.plan.algebra import (
    Aggregate,
    AggregateFunction,
    Column,
    Comparison,
    Group,
    Order,
    Plan,
    Project,
    Property,
    RelationshipPattern,
    Slice,
    Step,
)
from graph.plan.content_types import words_of
from graph.plan.traversal import walk
from language.marks import Mark
from services.retriever.plans.names.asked_question import AskedQuestion
from services.retriever.plans.schema.schema_elements import SchemaElements
from services.retriever.plans.schema.value_types import NUMBERS


def as_total(plan: Plan, asked: AskedQuestion) -> Plan:
    """Return a plan that adds up the numbers that it would list, if the question asks for all of them together.

    `How much did Ann donate?` asks for the sum of all amounts, too, and so does `How much did the trips cost?`
    `The average price of the tools` is their average.
    """
    question, elements = asked.question, asked.elements
    value, before = _listed(plan)
    if value is None or not _is_number(value, elements):
        return plan
    if question.says(Mark.ASKS_AVERAGE):
        return _aggregated(before, AggregateFunction.AVERAGE, value)
    is_together = question.says(Mark.TOGETHER)
    if question.says(Mark.EACH):
        return plan
    asks_how_much = (
        question.says(Mark.HOW_MUCH_DID) and _is_spent(plan, value) and not _is_of_one(plan, value, elements)
    )
    if not is_together and not asks_how_much:
        return plan
    if is_together and not question.says(Mark.CHOOSES):
        before = [step for step in before if not isinstance(step, Order | Slice)]
    return _aggregated(before, AggregateFunction.SUM, value)


def _listed(plan: Plan) -> tuple[Property | None, Sequence[Step]]:
    """Return the only property that a plan lists, or counts the rows of, and the steps before."""
    match plan.steps:
        case (*before, Project(columns=[Column(value=Property() as value)])):
            return value, before
        case (*before, Group(keys=[Column(value=Property() as value)])):
            return value, before
    return None, ()


def _aggregated(before: Sequence[Step], function: AggregateFunction, value: Property) -> Plan:
    return Plan((*before, Group((), (Aggregate(f"{function}_{value.key}", function, value),))))


def _is_number(value: Property, elements: SchemaElements) -> bool:
    found = [one.schema for one in elements.properties if one.key == value.key]
    return bool(found) and all(one.content in NUMBERS for one in found)


def _is_spent(plan: Plan, value: Property) -> bool:
    """Return whether a number is one of a relationship, such as the amount of a donation, or a cost."""
    links = {part.variable for part in walk(plan) if isinstance(part, RelationshipPattern)}
    return value.variable in links or "cost" in words_of(value.key)


def _is_of_one(plan: Plan, value: Property, elements: SchemaElements) -> bool:
    """Return whether a number is that of a node with a name."""
    names = [part.left for part in walk(plan) if isinstance(part, Comparison) and part.operator == "="]
    return any(
        isinstance(one, Property) and one.variable == value.variable and one.key in elements.name_keys for one in names
    )
