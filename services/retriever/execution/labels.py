"""Name the values of expressions, for people."""

from collections.abc import Mapping

from services.retriever.execution.readable import readable_expression
from shared.plan.algebra import Aggregate, AggregateFunction, Expression, Property, Variable
from shared.text import readable

_WORDS = {
    AggregateFunction.AVERAGE: "average",
    AggregateFunction.SUM: "total",
    AggregateFunction.MIN: "lowest",
    AggregateFunction.MAX: "highest",
}


def aggregate_label(aggregate: Aggregate, labels: Mapping[str, str]) -> str:
    """Name an aggregate: `average rating`; `labels` names the columns of earlier stages."""
    if aggregate.function is AggregateFunction.COUNT or aggregate.value is None:
        return "count"
    return f"{_WORDS.get(aggregate.function, 'list of')} {label_of(aggregate.value, labels)}"


def label_of(expression: Expression, labels: Mapping[str, str]) -> str:
    """Name the value of an expression; `labels` names columns."""
    match expression:
        case Property():
            return readable(expression.key)
        case Variable():
            return labels.get(expression.name, readable(expression.name))
    return readable_expression(expression)
