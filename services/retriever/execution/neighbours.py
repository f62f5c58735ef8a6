"""Look at one entity: its properties, and the nodes that relationships connect with it."""

import asyncio
from collections.abc import Sequence
from typing import Any

from contracts.graphs import Neighbour, NeighboursRequest, NeighboursResponse, Node
from graph.plan.algebra import (
    Column,
    Match,
    NodePattern,
    Order,
    Plan,
    Project,
    Property,
    RelationshipPattern,
    RelationshipType,
    Slice,
    SortKey,
    Variable,
)
from graph.plan.part_checks import unknown
from graph.plan.schema import GraphSchema
from graph.plan.values import NodeRef, to_json
from graph.store import GraphStore
from services.retriever.linking.meant_nodes import nodes_with_ids
from services.retriever.linking.suggestions import unknown_entity
from shared.errors import InvalidInputError

_ENTITY, _NEIGHBOUR, _RELATIONSHIP = "entity", "neighbour", "relationship"
_MAX_PROPERTIES, _MAX_NAMESAKES = 100, 10


async def neighbours(store: GraphStore, request: NeighboursRequest) -> NeighboursResponse:
    """Return an entity with its properties and neighbours.

    Of several entities with the requested name, the one with the most facts is described, and the others are listed.

    Raises:
        UnknownEntityError: The graph does not have the entity.
        InvalidInputError: The graph does not have a requested relationship type.
        DependencyError: The graph store does not respond.
    """
    _check_relations(await store.schema(), request.relations)
    ids = [request.id] if request.id is not None else await _ids(store, request.entity or "")
    found = await nodes_with_ids(store, ids)
    entity, *namesakes = [found[id_] for id_ in ids]
    properties, outgoing, incoming = await asyncio.gather(
        _properties(store, entity),
        _connected(store, entity, request, is_incoming=False),
        _connected(store, entity, request, is_incoming=True),
    )
    limit = request.max_neighbours
    return NeighboursResponse(
        entity=_described(entity),
        namesakes=list(map(_described, namesakes)),
        properties=properties,
        neighbours=[*outgoing[:limit], *incoming[:limit]],
        truncated=max(len(outgoing), len(incoming)) > limit,
        graph_version=await store.version(),
    )


def _check_relations(schema: GraphSchema, relations: Sequence[str]) -> None:
    """Name an unknown relation by its place in the request, which has none of the plans that find the neighbours."""
    for number, relation in enumerate(relations):
        if relation not in schema.relationships:
            raise InvalidInputError(f"relations.{number}: {unknown('relation', relation, schema.relationships)}")


async def _ids(store: GraphStore, name: str) -> list[str]:
    [matches] = await store.entities_named([name])
    if not matches:
        raise await unknown_entity(store, name, "check the spelling")
    return list(dict.fromkeys(match.entity.id for match in matches))[: _MAX_NAMESAKES + 1]


async def _properties(store: GraphStore, entity: NodeRef) -> dict[str, Any]:
    keys = _keys(await store.schema(), entity)
    if not keys:
        return {}
    columns = tuple(Column(key, Property(_ENTITY, key)) for key in keys)
    plan = Plan((Match((NodePattern(_ENTITY, entity.kinds, ids=(entity.id,)),)), Project(columns)))
    rows = (await store.run(plan)).rows
    values = zip(keys, rows[0], strict=True) if rows else ()
    return {key: to_json(value) for key, value in values if value is not None}


def _keys(schema: GraphSchema, entity: NodeRef) -> list[str]:
    kinds = [schema.kinds[kind] for kind in entity.kinds or ("",) if kind in schema.kinds]
    return sorted({key for kind in kinds for key in kind.properties})[:_MAX_PROPERTIES]


async def _connected(
    store: GraphStore, entity: NodeRef, request: NeighboursRequest, *, is_incoming: bool
) -> list[Neighbour]:
    """Return the neighbours in one direction, one more than requested if there are more."""
    source, target = (_NEIGHBOUR, _ENTITY) if is_incoming else (_ENTITY, _NEIGHBOUR)
    relationship = RelationshipPattern(source, target, request.relations, "out", _RELATIONSHIP)
    columns = Column("relation", RelationshipType(_RELATIONSHIP)), Column(_NEIGHBOUR, Variable(_NEIGHBOUR))
    plan = Plan(
        (
            Match((NodePattern(_ENTITY, ids=(entity.id,)), NodePattern(_NEIGHBOUR)), (relationship,)),
            Project(columns, distinct=True),
            Order((SortKey(Variable("relation")),)),
            Slice(request.max_neighbours + 1),
        )
    )
    return [
        Neighbour(relation=relation, is_incoming=is_incoming, node=_described(node))
        for relation, node in (await store.run(plan)).rows
    ]


def _described(node: NodeRef) -> Node:
    return Node(id=node.id, name=node.name, kinds=list(node.kinds))
