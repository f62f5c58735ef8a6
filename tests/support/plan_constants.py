"""Turn the constants of plans into values that a question would state."""

from collections.abc import Sequence
from datetime import date

from graph.plan.values import Value
from language.values import QuestionValue, ValueForm
from training.planning.canonical import day_of
from training.planning.oracle import Slot


def stated_values(slots: Sequence[Slot]) -> list[QuestionValue]:
    """Return one value per constant, as a graph that stores the constant would link it."""
    return [_stated(slot) for slot in slots]


def _stated(slot: Slot) -> QuestionValue:
    value: Value = day_of(slot.value) or slot.value
    stored: dict[int, Value] = {}
    match value:
        case date():
            form = ValueForm.DATE
        case str():
            form = ValueForm.QUOTED
            stored = {slot.property: value} if slot.property is not None else {}
        case int() if 1000 <= value <= 2100:
            form = ValueForm.YEAR
        case _:
            form = ValueForm.NUMBER
    return QuestionValue(0, 1, form, value, str(value), stored)
