"""Tell nodes with the same name apart in the texts of evidence."""

from collections.abc import Iterable

from graph.plan.value_text import value_text
from graph.plan.values import NodeRef
from graph.store import Entity, GraphStore
from services.retriever.linking.tell_apart import details_of


async def namesake_labels(store: GraphStore, nodes: Iterable[NodeRef]) -> dict[str, str]:
    """Return labels for nodes of which another one has the same name, keyed by id: `Paris (located in France)`.

    Nodes that no fact tells apart are numbered: `Paris (1 of 2)`.
    """
    by_name: dict[str, dict[str, None]] = {}
    for node in nodes:
        by_name.setdefault(value_text(node), {})[node.id] = None
    shared = {name: list(ids) for name, ids in by_name.items() if len(ids) > 1}
    if not shared:
        return {}
    details = await details_of(store, [Entity(id_, name) for name, ids in shared.items() for id_ in ids])
    labels: dict[str, str] = {}
    for name, ids in shared.items():
        unknown = [id_ for id_ in ids if id_ not in details]
        labels |= {id_: f"{name} ({details[id_]})" for id_ in ids if id_ in details}
        if len(unknown) > 1:
            labels |= {id_: f"{name} ({place} of {len(unknown)})" for place, id_ in enumerate(unknown, 1)}
    return labels
