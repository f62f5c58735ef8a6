"""Write values as text for people."""

from typing import Any

from graph.plan.values import MapValue, NodeRef, to_json


def value_text(value: Any) -> str:
    """Write a value: `1996-08-01`, `9.5`, `true`, `a, b`; a node is written as its name."""
    match value:
        case None:
            return "unknown"
        case bool():
            return "true" if value else "false"
        case float():
            return f"{value:.12g}"
        case tuple():
            return ", ".join(map(value_text, value))
        case MapValue():
            return ", ".join(f"{name}: {value_text(one)}" for name, one in value.fields)
        case NodeRef():
            return value.name or value.id
    written = to_json(value)
    return str(next(iter(written.values())) if isinstance(written, dict) else written)
