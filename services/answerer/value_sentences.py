"""Word the values of the only column of a result by what they are: `The cost is 9800 EUR.`"""

from collections.abc import Collection

from contracts.retrieve import RetrieveResponse
from graph.plan.algebra import Arithmetic, Call, Column, Constant, Group, Plan, Project, Property
from graph.plan.checks import read_plan
from graph.plan.functions import Function
from graph.plan.value_text import value_text
from language.english.morphology import RelationKind, counted, is_plural, relation_form
from services.answerer.answer_text import enumerate_answers
from texts.verbalise.spoken import UNITS_OF_SECONDS, said, said_text, with_preposition

_BETWEEN = {Function.DAYS_BETWEEN: "days", Function.MONTHS_BETWEEN: "months"}
_COMPUTED = ("age", "duration")


def value_sentence(retrieved: RetrieveResponse) -> str:
    """State the values of a result by the property that they are of; nothing if they are none, or names.

    Example:
        >>> value_sentence(response)
        'The graph lists 2 heights: 168 cm and 174 cm.'
    """
    steps = retrieved.plan.steps if retrieved.plan else []
    column = _only_column(read_plan({"steps": steps})) if steps else None
    if column is None or retrieved.truncated or any(one.id is not None for one in retrieved.answers):
        return ""
    found = [with_preposition(*_said(column, one.value, retrieved.durations)) for one in retrieved.answers]
    label, texts = found[0][0], [text for _, text in found]
    if not label or relation_form(label).kind is not RelationKind.NOUN:
        return ""
    if len(texts) > 1:
        return f"The graph lists {counted(len(texts), label)}: {enumerate_answers(texts)}."
    return f"The {label} {'are' if is_plural(label.split(' of ')[0]) else 'is'} {texts[0]}."


def said_value(retrieved: RetrieveResponse, value: object) -> str:
    """Return a value of the only column of a result as texts say it."""
    steps = retrieved.plan.steps if retrieved.plan else []
    column = _only_column(read_plan({"steps": steps})) if steps else None
    key = column.value.key if column is not None and isinstance(column.value, Property) else ""
    return said_text(value_text(value), key, key in retrieved.durations)


def _only_column(plan: Plan) -> Column | None:
    """Return the only column of a plan that shows one; an aggregate without a unit says what it is elsewhere."""
    match plan.steps[-1]:
        case Project(columns=[column]):
            return column
        case Group(keys=[], aggregates=[aggregate]) if aggregate.value is not None:
            return Column(aggregate.name, aggregate.value) if _unit(Column(aggregate.name, aggregate.value)) else None
    return None


def _said(column: Column, value: object, durations: Collection[str]) -> tuple[str, str]:
    """Return the name of a column in words, if that says what its values are, and a value with its unit."""
    if isinstance(column.value, Property):
        return said(column.value.key, value, is_duration=column.value.key in durations)
    label, text = said(column.name, value)
    if unit := _unit(column):
        return label, f"{text} {unit}"
    return (label if column.name in _COMPUTED else ""), text


def _unit(column: Column) -> str:
    """Return the unit to which a plan converted a length of time."""
    match column.value:
        case Arithmetic(operator="/", left=Call(), right=Constant(value=float(seconds))):
            return UNITS_OF_SECONDS.get(seconds, "")
        case Call(function=function):
            return _BETWEEN.get(function, "")
    return ""
