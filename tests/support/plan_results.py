"""Compare the results of query plans on stores with those of the reference evaluator."""

from collections.abc import Iterable, Mapping
from typing import Any

from graph.plan.values import MapValue, NodeRef, RelationshipRef, type_of
from tests.support.reference_evaluator import Node, Relationship


def comparable(rows: Iterable[tuple[Any, ...]], node_ids: Mapping[str, int] | None = None) -> list[tuple[Any, ...]]:
    """Convert rows of any store, or of the evaluator, to a form that is equal if the rows are.

    Args:
        rows: The rows of a result.
        node_ids: The position of each node in the graph, by store id; by default, the store id is the position.
    """
    return [tuple(_comparable(value, node_ids) for value in row) for row in rows]


def _comparable(value: Any, node_ids: Mapping[str, int] | None) -> Any:
    match value:
        case NodeRef():
            return ("node", int(value.id) if node_ids is None else node_ids[value.id])
        case Node():
            return ("node", value.id)
        case RelationshipRef() | Relationship():
            return ("relationship", value.type)  # stores have ids of their own
        case MapValue():
            return ("map", tuple((name, _comparable(one, node_ids)) for name, one in value.fields))
        case tuple():
            return ("list", tuple(_comparable(item, node_ids) for item in value))
        case int() | float() if not isinstance(value, bool):
            return ("number", value)
    return (type_of(value), value)
