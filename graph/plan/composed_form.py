"""Unicode's composed form (NFC), in which graph files that were imported from files store all texts."""

from dataclasses import replace
from typing import Any, TypeVar
from unicodedata import is_normalized, normalize

from graph.plan.algebra import Constant, HasKind, NodePattern, Plan, Property, RelationshipPattern
from graph.plan.schema import GraphSchema
from graph.plan.traversal import rewrite

_Value = TypeVar("_Value")


def composed(text: str) -> str:
    """Return a text in Unicode's composed form (NFC): one character for a letter and its accents, where there is one.

    Example:
        >>> composed("Zoe\\u0301") == "Zo\\u00e9"
        True
    """
    return text if text.isascii() or is_normalized("NFC", text) else normalize("NFC", text)


def with_composed_texts(plan: Plan, schema: GraphSchema) -> Plan:
    """Spell the names and texts in a plan as the graph does, if all of its texts have the composed form."""
    return rewrite(plan, _replacement) if schema.is_composed else plan


def _replacement(part: Any) -> Any:
    match part:
        case Constant():
            return replace(part, value=_composed_value(part.value))
        case NodePattern():
            return replace(part, kinds=_composed_value(part.kinds))
        case RelationshipPattern():
            return replace(part, types=_composed_value(part.types))
        case Property():
            return replace(part, key=composed(part.key))
        case HasKind():
            return replace(part, kind=composed(part.kind))
    return None


def _composed_value(value: _Value) -> _Value:
    if isinstance(value, tuple):
        return tuple(map(_composed_value, value))  # type: ignore[return-value]
    return composed(value) if isinstance(value, str) else value  # type: ignore[return-value]
