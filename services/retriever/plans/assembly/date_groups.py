"""Recognise plans that group by dates, or by parts of them."""

from graph.plan.algebra import Call, Expression, Group, Plan, Property
from graph.plan.functions import Function

PERIOD_STARTS = {
    "quarter": Function.START_OF_QUARTER, "week": Function.START_OF_WEEK,
}  # fmt: skip
_OF_PERIODS = (Function.LEFT, Function.TO_STRING, Function.TO_DATE, *PERIOD_STARTS.values())
_PARTS = (Function.YEAR, Function.MONTH, Function.DAY)


def groups_by_date(plan: Plan, dates: frozenset[str]) -> bool:
    """Return whether a plan groups by dates, or by parts of them."""
    return any(
        grouped_date(key.value, dates) is not None
        for step in plan.steps
        if isinstance(step, Group)
        for key in step.keys
    )


def grouped_date(value: Expression, dates: frozenset[str]) -> Expression | None:
    """Return the date that a key is, or is a part of."""
    match value:
        case Property(key=key) if key in dates:
            return value
        case Call(function=function, arguments=(Property(key=key) as date,)) if function in _PARTS and key in dates:
            return date
        case Call(function=function, arguments=(inner, *_)) if function in _OF_PERIODS:
            return grouped_date(inner, dates)
    return None
