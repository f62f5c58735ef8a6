"""Name the values of expressions, for people."""

from collections.abc import Mapping, Sequence
from datetime import date
from types import MappingProxyType
from typing import Any

from graph.plan.algebra import (
    Aggregate,
    AggregateFunction,
    Arithmetic,
    Call,
    Constant,
    CountMatches,
    Expression,
    Function,
    Group,
    Project,
    Property,
    Variable,
)
from graph.plan.durations import duration_in
from language.english.morphology import PREPOSITIONS, is_participle
from language.english.relation_words import in_words
from services.retriever.execution.readable import readable_expression
from services.retriever.execution.stages import Stage
from texts.verbalise.spoken import UNITS_OF_SECONDS

VALUE_OF = "value of "
"""What precedes a label that is no noun."""
_WORDS = {
    AggregateFunction.AVERAGE: "average",
    AggregateFunction.SUM: "total",
    AggregateFunction.MIN: "lowest",
    AggregateFunction.MAX: "highest",
    AggregateFunction.SHORTEST: "shortest",
    AggregateFunction.LONGEST: "longest",
}
_BETWEEN = {
    Function.DURATION_BETWEEN: "",
    Function.SECONDS_BETWEEN: " in seconds",
    Function.DAYS_BETWEEN: " in days",
    Function.MONTHS_BETWEEN: " in months",
}
_WORDS_OF_DATES = {AggregateFunction.MIN: "earliest", AggregateFunction.MAX: "latest"}
_WORDS_OF_DURATIONS = {AggregateFunction.MIN: "shortest", AggregateFunction.MAX: "longest"}
_WORDS_OF_TEXTS = {
    AggregateFunction.MIN: "alphabetically first",
    AggregateFunction.MAX: "alphabetically last",
}


def column_labels(parts: Sequence[Stage], values: Mapping[str, Any] = MappingProxyType({})) -> dict[str, str]:
    """Name the columns of the rows that some stages return; `values` has values of columns, where known."""
    labels: dict[str, str] = {}
    for stage in parts:
        match stage.closing:
            case Project(columns):
                labels = {one.name: _label_of_column(one.name, one.value, labels) for one in columns}
            case Group(keys, aggregates):
                found = {one.name: _label_of_column(one.name, one.value, labels) for one in keys}
                labels = found | {one.name: aggregate_label(one, labels, values.get(one.name)) for one in aggregates}
    return labels


def aggregate_label(aggregate: Aggregate, labels: Mapping[str, str], value: Any = None) -> str:
    """Name an aggregate: `average rating`; `labels` names columns, and `value` is the value of the aggregate."""
    if aggregate.function is AggregateFunction.COUNT or aggregate.value is None:
        return "count"
    label = label_of(aggregate.value, labels)
    is_distinct = aggregate.distinct and aggregate.function in (AggregateFunction.SUM, AggregateFunction.AVERAGE)
    word = _words_for(value).get(aggregate.function) or _WORDS.get(aggregate.function, "list of")
    return f"{word} of the different values of {label}" if is_distinct else f"{word} {label}"


def _words_for(value: Any) -> Mapping[AggregateFunction, str]:
    """Return the words for the minimum and maximum of values such as this one."""
    match value:
        case date():
            return _WORDS_OF_DATES
        case str():
            return _WORDS_OF_TEXTS if duration_in(value) is None else _WORDS_OF_DURATIONS
    return {}


def property_noun(label: str) -> str:
    """Make a noun of a label that is none: `value of founded`."""
    first, *_, last = label.split() * 2 or ("", "")
    return f"{VALUE_OF}{label}" if is_participle(last) or first in PREPOSITIONS else label


def is_superlative(label: str) -> bool:
    """Return whether a label is that of a minimum or maximum."""
    words = (*_WORDS.values(), *_WORDS_OF_DATES.values(), *_WORDS_OF_TEXTS.values())
    return label.startswith(tuple(f"{word} " for word in words if word not in ("average", "total")))


def label_of(expression: Expression, labels: Mapping[str, str]) -> str:
    """Name the value of an expression; `labels` names columns."""
    match expression:
        case Property():
            return property_noun(in_words(expression.key))
        case Variable():
            return labels.get(expression.name, in_words(expression.name))
        case CountMatches():
            return "count"
    return _label_of_time(expression, labels) or f"{VALUE_OF}{readable_expression(expression)}"


def _label_of_time(expression: Expression, labels: Mapping[str, str]) -> str | None:
    """Name a length of time: `time from start to end in hours`; None for other expressions."""
    match expression:
        case Call(function=Function.DURATION_LENGTH, arguments=(value,)):
            return f"{label_of(value, labels)} in seconds"
        case Call(function=function, arguments=(start, end)) if function in _BETWEEN:
            return f"time from {label_of(start, labels)} to {label_of(end, labels)}{_BETWEEN[function]}"
        case Arithmetic(operator="/", left=Call() as time, right=Constant(value=float(seconds))) if (
            seconds in UNITS_OF_SECONDS
        ):
            label = _label_of_time(time, labels)
            return f"{label.removesuffix(' in seconds')} in {UNITS_OF_SECONDS[seconds]}" if label else None
    return None


def _label_of_column(name: str, value: Expression, labels: Mapping[str, str]) -> str:
    """Name a column by the value that it holds, or by its own name if the value has none."""
    named = isinstance(value, Property | CountMatches) or (isinstance(value, Variable) and value.name in labels)
    return label_of(value, labels) if named else in_words(name)
