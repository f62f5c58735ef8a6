"""Test the types of values in Cypher."""

from collections.abc import Iterable

from graph.plan.values import ValueType

STRINGS = frozenset((ValueType.STRING,))
LISTS = frozenset((ValueType.LIST,))
BOOLEANS = frozenset((ValueType.BOOLEAN,))
_TYPE_NAMES = {
    ValueType.INTEGER: ("INTEGER",),
    ValueType.FLOAT: ("FLOAT",),
    ValueType.BOOLEAN: ("BOOLEAN",),
    ValueType.STRING: ("STRING",),
    ValueType.DATE: ("DATE",),
    ValueType.DATETIME: ("LOCAL DATETIME", "ZONED DATETIME"),
    ValueType.LIST: ("LIST<ANY>",),
    ValueType.MAP: ("MAP",),
}


def is_one_of(name: str, types: Iterable[ValueType]) -> str:
    """Return a test of a value's type; false for null."""
    names = [known for type_ in sorted(types) for known in _TYPE_NAMES[type_]]
    return f"({' OR '.join(f'{name} IS :: {known} NOT NULL' for known in names)})"
