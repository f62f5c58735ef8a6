"""What Cypher texts have in common: names as Cypher reads them, and the relation paths that are asked about."""

from collections.abc import Sequence
from typing import Any

from shared.graph.store import Entity, RelationPath, step_relation


def identifier(name: str) -> str:
    """A label, type or property name as Cypher reads it, whatever it contains.

    Cypher turns `\\u0060` into a backtick before it looks for a name's end, so backslashes are spelt as codes, too.
    """
    return "`" + name.replace("\\", "\\u005c").replace("`", "``") + "`"


def starts_by_hops(starts: Sequence[tuple[Entity, RelationPath]]) -> list[list[dict[str, Any]]]:
    """The pairs as a parameter, in a list for each number of hops; `number` tells which is which."""
    by_hops: list[list[dict[str, Any]]] = [[] for _ in range(max((len(path) for _, path in starts), default=0) + 1)]
    for number, (topic, path) in enumerate(starts):
        steps = [step_relation(step) for step in path]
        types, forwards = [name for name, _ in steps], [not inverse for _, inverse in steps]
        by_hops[len(path)].append({"number": number, "topic": topic.id, "types": types, "forwards": forwards})
    return by_hops


def is_step(hop: int) -> str:
    """Whether the relationship `r` from node `n<hop>` on is the step that `start` takes there."""
    return (
        f"type(r) = start.types[{hop}] AND "
        f"CASE WHEN start.forwards[{hop}] THEN startNode(r) ELSE endNode(r) END = n{hop}"
    )


def name_of(node: str) -> str:
    """An expression for the first of the properties `$names` that a node has."""
    return f"head([p IN $names WHERE {node}[p] IS NOT NULL | {node}[p]])"
