"""Infer the kinds of the nodes of a pattern from its relationships."""

from collections.abc import Mapping, Sequence

from graph.plan.algebra import NodePattern, RelationshipPattern
from services.retriever.plans.schema.schema_elements import SchemaElements
from training.planning.stages import InexpressibleError

_ROUNDS = 3


def inferred_kinds(
    nodes: Mapping[str, NodePattern],
    links: Sequence[RelationshipPattern],
    known: Mapping[str, frozenset[str]],
    elements: SchemaElements,
) -> dict[str, frozenset[str]]:
    """Return the kinds that each node of a pattern can have.

    Args:
        nodes: The nodes, by variable.
        links: The relationships.
        known: The kinds of the nodes that earlier patterns bind.
        elements: The schema elements.
    """
    everything = frozenset(elements.kinds)
    kinds = {
        name: known.get(name) or (frozenset(node.kinds[:1]) if node.kinds else everything)
        for name, node in nodes.items()
    }
    for _ in range(_ROUNDS):
        for link in links:
            if not link.types:
                continue
            pairs = [
                (source, target)
                for source, target in _ends(link, elements)
                if source in kinds[link.source] and target in kinds[link.target]
            ]
            if not pairs:
                raise InexpressibleError("a relationship that the schema does not have")
            kinds[link.source] = frozenset(source for source, _ in pairs)
            kinds[link.target] = frozenset(target for _, target in pairs)
    return kinds


def _ends(link: RelationshipPattern, elements: SchemaElements) -> list[tuple[str, str]]:
    """Return the pairs of kinds that a relationship can connect."""
    pairs = [(one.source, target) for one in elements.connections if one.type in link.types for target in one.targets]
    return [*pairs, *((target, source) for source, target in pairs)] if link.direction == "both" else pairs
