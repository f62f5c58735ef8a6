"""Describe nodes: their kinds, and what tells apart nodes with the same name."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from shared.graph.store import Entity, GraphStore
from shared.plan.algebra import (
    Column,
    Expression,
    Match,
    NodePattern,
    Plan,
    Project,
    Property,
    RelationshipPattern,
    RelationshipType,
    Slice,
    Variable,
)
from shared.plan.schema import GraphSchema
from shared.plan.values import NodeRef, ValueType
from shared.text import readable
from shared.verbalise.values import value_text

_MAX_ROWS = 10_000
_MAX_NAMESAKES = 50
_MAX_PROPERTIES = 12
_FACTS_PER_NODE = 5
_MAX_LENGTH = 60


async def kinds_of(store: GraphStore, ids: Collection[str]) -> dict[str, str]:
    """Return the rarest kind of each node, keyed by store id; nodes without a kind are left out.

    There is no query if the graph has no kinds.
    """
    schema = await store.schema()
    if not ids or not any(schema.kinds):
        return {}
    sizes = {kind: described.count for kind, described in schema.kinds.items()}
    result = await store.run(_nodes(ids, [Column("n", Variable("n"))]), _MAX_ROWS)
    nodes = [node for (node,) in result.rows if isinstance(node, NodeRef) and node.kinds]
    return {node.id: min(node.kinds, key=lambda kind: (sizes.get(kind, 0), kind)) for node in nodes}


async def details_of(store: GraphStore, entities: Iterable[Entity]) -> dict[str, str]:
    """Return what tells apart entities with the same name, keyed by store id: `born 1956`, or `directed by Ann Lee`.

    A property with different values comes first, then a fact that none of the others has.
    """
    by_name: dict[str, dict[str, None]] = defaultdict(dict)
    for entity in entities:
        by_name[entity.name][entity.id] = None
    groups = [list(ids)[:_MAX_NAMESAKES] for ids in by_name.values() if len(ids) > 1]
    if not groups:
        return {}
    every = [id_ for ids in groups for id_ in ids]
    properties = await _properties(store, every)
    details: dict[str, str] = {}
    for ids in groups:
        details |= _differing_property(ids, properties)
    if left := [id_ for id_ in every if id_ not in details]:
        facts = await _facts(store, left)
        for ids in groups:
            details |= _own_facts([id_ for id_ in ids if id_ in left], facts)
    return details


def _nodes(ids: Collection[str], columns: Sequence[Column]) -> Plan:
    return Plan((Match((NodePattern("n", ids=tuple(ids)),)), Project(tuple(columns))))


async def _properties(store: GraphStore, ids: Sequence[str]) -> dict[str, dict[str, str]]:
    """Return the short scalar properties of nodes, keyed by store id."""
    keys = _telling_keys(await store.schema())
    if not keys:
        return {}
    columns = [Column(f"p{place}", Property("n", key)) for place, key in enumerate(keys)]
    result = await store.run(_nodes(ids, [Column("n", Variable("n")), *columns]), _MAX_ROWS)
    found = {}
    for node, *values in result.rows:
        texts = {key: value_text(value) for key, value in zip(keys, values, strict=True) if value is not None}
        found[node.id] = {key: text for key, text in texts.items() if 0 < len(text) <= _MAX_LENGTH}
    return found


def _telling_keys(schema: GraphSchema) -> list[str]:
    """Return the keys that most nodes have: dates and numbers first, because they are the shortest."""
    counts: Counter[str] = Counter()
    is_short: dict[str, bool] = {}
    for kind in schema.kinds.values():
        for key, described in kind.properties.items():
            if key != kind.name_property and key != "name" and described.content not in (None, ValueType.LIST):
                counts[key] += described.count
                is_short[key] = described.content is not ValueType.STRING
    return sorted(counts, key=lambda key: (not is_short[key], -counts[key], key))[:_MAX_PROPERTIES]


def _differing_property(ids: Sequence[str], properties: Mapping[str, Mapping[str, str]]) -> dict[str, str]:
    """Describe the nodes of one name by the first property that all of them have, with different values."""
    common = [key for key in properties.get(ids[0], {}) if all(key in properties.get(id_, {}) for id_ in ids)]
    for key in common:
        values = [properties[id_][key] for id_ in ids]
        if len(set(values)) == len(values):
            return {id_: f"{readable(key)} {value}" for id_, value in zip(ids, values, strict=True)}
    return {}


async def _facts(store: GraphStore, ids: Sequence[str]) -> dict[str, list[str]]:
    """Return some facts of each node, without its name, keyed by store id."""
    facts: dict[str, list[str]] = defaultdict(list)
    for is_inverse in (False, True):
        link = (
            RelationshipPattern("m", "n", variable="r") if is_inverse else RelationshipPattern("n", "m", variable="r")
        )
        match = Match((NodePattern("n", ids=tuple(ids)), NodePattern("m")), (link,))
        columns: list[tuple[str, Expression]] = [
            ("n", Variable("n")),
            ("type", RelationshipType("r")),
            ("other", Variable("m")),
        ]
        project = Project(tuple(Column(name, value) for name, value in columns))
        for node, type_, other in await _rows(store, Plan((match, project, Slice(_FACTS_PER_NODE, per=("n",))))):
            relation = readable(f"^{type_}" if is_inverse else type_)
            facts[node.id].append(f"{relation} {value_text(other)}")
    return facts


async def _rows(store: GraphStore, plan: Plan) -> Sequence[tuple[Any, ...]]:
    return (await store.run(plan, _MAX_ROWS)).rows


def _own_facts(ids: Sequence[str], facts: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """Describe each node by the first of its facts that no other node has."""
    uses = Counter(fact for id_ in ids for fact in set(facts.get(id_, ())))
    own = {id_: next((fact for fact in facts.get(id_, ()) if uses[fact] == 1), None) for id_ in ids}
    return {id_: fact for id_, fact in own.items() if fact is not None}
