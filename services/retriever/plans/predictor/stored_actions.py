"""Write actions so that they outlive a change of the schema, and read them again."""

from collections.abc import Sequence
from typing import Any

from contracts.confirmed_questions import StoredAction
from language.values import QuestionValue
from services.retriever.plans.grammar.actions import STEPS, Action, Op
from services.retriever.plans.schema.schema_elements import SchemaElements


def stored_actions(
    actions: Sequence[Action], values: Sequence[QuestionValue], elements: SchemaElements
) -> tuple[StoredAction, ...]:
    """Return actions by the names of what they point to, and values by their places in the question."""
    return tuple(_stored(one, values, elements) for one in actions)


def _stored(action: Action, values: Sequence[QuestionValue], elements: SchemaElements) -> StoredAction:
    name, number = action.op.name, action.number
    if action.op is Op.KIND:
        return (name, elements.kinds[number])
    if action.op in STEPS:
        return (name, elements.connections[number].source, elements.connections[number].type)
    if action.op is Op.PROPERTY:
        found = elements.properties[number]
        return (name, found.of_relationship, found.owner, found.key)
    if action.op is Op.VALUE:
        return (name, values[number].start, values[number].end)
    return (name, number)


def read_actions(
    stored: Sequence[StoredAction], values: Sequence[QuestionValue], elements: SchemaElements
) -> tuple[Action, ...] | None:
    """Return the actions; None if the schema lacks what one of them names, or if the question lacks a value."""
    found = tuple(_read(one, values, elements) for one in stored)
    return None if None in found else tuple(one for one in found if one is not None)


def _read(stored: StoredAction, values: Sequence[QuestionValue], elements: SchemaElements) -> Action | None:
    name, *target = stored
    op = Op.__members__.get(str(name))
    if op is None:
        return None
    number = _number(op, tuple(target), values, elements)
    return Action(op, number) if isinstance(number, int) else None


def _number(
    op: Op, target: tuple[Any, ...], values: Sequence[QuestionValue], elements: SchemaElements
) -> str | int | None:
    """Return the number of what an action points to, which has it already if it names no element and no value."""
    if op is Op.KIND:
        return next((number for number, kind in enumerate(elements.kinds) if (kind,) == target), None)
    if op in STEPS:
        return elements.connection_numbers.get(target)
    if op is Op.PROPERTY:
        return elements.property_numbers.get(target)
    if op is Op.VALUE:
        return next((number for number, one in enumerate(values) if (one.start, one.end) == target), None)
    return next(iter(target), None)
