"""Group the types of values: numbers, dates, and what has a size."""

from graph.plan.values import ValueType

NUMBERS = frozenset((ValueType.INTEGER, ValueType.FLOAT))
DATES = frozenset((ValueType.DATE, ValueType.DATETIME))
SIZED = frozenset((ValueType.STRING, ValueType.LIST))


def comparable_types(type_: ValueType | None) -> frozenset[ValueType] | None:
    """Return the types that can be compared with a type; None for any, if the type is unknown."""
    if type_ is None:
        return None
    return next((family for family in (NUMBERS, DATES) if type_ in family), frozenset((type_,)))
