"""Group by the periods that a question names: `per month` means the months of each year."""

from dataclasses import replace
from typing import Any

from graph.plan.algebra import Call, Column, Constant, Expression, Group, Plan, Variable
from graph.plan.functions import Function
from graph.plan.traversal import rewrite
from services.retriever.plans.assembly.date_groups import PERIOD_STARTS, grouped_date
from services.retriever.plans.names.asked_question import AskedQuestion
from services.retriever.plans.names.periods import period_of

_YEAR_AND_MONTH = len("2022-03")


def by_period(plan: Plan, asked: AskedQuestion) -> Plan:
    """Return a plan that groups dates by the period that the question names, if it groups by dates or parts of them."""
    found, dates = period_of(asked.question), asked.elements.date_keys
    if found is None:
        return plan
    *_, period = found
    renamed = {
        key.name: period
        for step in plan.steps
        if isinstance(step, Group)
        for key in step.keys
        if grouped_date(key.value, dates) is not None
    }
    if len(renamed) != 1:
        return plan

    def replacement(part: Any) -> Any:
        match part:
            case Group():
                return _grouped(part, period, dates)
            case Variable(name=name) if name in renamed:
                return Variable(period)
        return None

    return Plan(tuple(rewrite(step, replacement) for step in plan.steps))


def _grouped(group: Group, period: str, dates: frozenset[str]) -> Group:
    keys = tuple(
        key if (date := grouped_date(key.value, dates)) is None else Column(period, _period_of(date, period))
        for key in group.keys
    )
    return replace(group, keys=keys)


def _period_of(date: Expression, period: str) -> Expression:
    match period:
        case "year":
            return Call(Function.YEAR, (date,))
        case "month":
            day = Call(Function.TO_DATE, (date,))
            return Call(Function.LEFT, (Call(Function.TO_STRING, (day,)), Constant(_YEAR_AND_MONTH)))
        case "day":
            return Call(Function.TO_DATE, (date,))
    return Call(Function.TO_DATE, (Call(PERIOD_STARTS[period], (date,)),))
