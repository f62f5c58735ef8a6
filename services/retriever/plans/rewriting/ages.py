"""Read conditions on ages where a graph has years of birth: `older than 5` is no birth after the year 5."""

from dataclasses import replace
from typing import Any

from graph.plan.algebra import Arithmetic, Call, Comparison, Constant, Plan, Property
from graph.plan.functions import Function
from graph.plan.traversal import rewrite
from graph.plan.values import ValueType
from language.marks import Mark
from language.units import AGE, MOMENT
from services.retriever.plans.names.asked_question import AskedQuestion
from services.retriever.plans.schema.quantities import dimensions_of

MAX_AGE = 200
"""The greatest number that is an age rather than a year."""
_OPERATORS = ("=", "<", "<=", ">", ">=")


def as_ages(plan: Plan, asked: AskedQuestion) -> Plan:
    """Return a plan that compares ages with the numbers of a question that asks for ages.

    The plan compares the year itself, with the operator that the question says: `born > 5` for `older than 5`.
    """
    if not asked.question.says(Mark.AGE):
        return plan
    years = {
        one.key
        for one in asked.elements.properties
        if one.schema.content is ValueType.INTEGER and {AGE, MOMENT} <= dimensions_of(one.key, one.schema)
    }

    def replacement(part: Any) -> Comparison | None:
        match part:
            case Comparison(operator, Property(key=key) as year, Constant(value=int() as number)) if (
                operator in _OPERATORS and key in years and 0 < number <= MAX_AGE
            ):
                return replace(part, left=Arithmetic("-", Call(Function.YEAR, (Call(Function.TODAY, ()),)), year))
        return None

    return rewrite(plan, replacement)
