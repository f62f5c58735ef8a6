"""Describe nodes: their kinds, and what tells apart nodes with the same name."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import combinations
from typing import Any

from contracts.answers import ReplyWarning
from graph.plan.algebra import (
    Aggregate,
    AggregateFunction,
    Call,
    Column,
    Comparison,
    Constant,
    Expression,
    Filter,
    Function,
    Group,
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
from graph.plan.schema import GraphSchema
from graph.plan.value_text import value_text
from graph.plan.values import NodeRef, ValueType
from graph.store import Entity, GraphStore
from shared.text import readable

_MAX_ROWS = 10_000
_MAX_NAMESAKES = 50
_MAX_PROPERTIES = 12
_FACTS_PER_NODE = 5
_MAX_LENGTH = 60
_MAX_SEARCHED = 20
"""Maximum number of names whose nodes are told apart by a search through all of their facts."""
_FACT: dict[str, Expression] = {"n": Variable("n"), "type": RelationshipType("r"), "other": Variable("m")}


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

    A property with different values comes first, then a fact or a value that none of the others has.
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
    for ids in [ids for ids in groups if any(id_ not in details for id_ in ids)][:_MAX_SEARCHED]:
        details = _own_facts(ids, await _unshared_facts(store, ids)) | details
    for ids in groups:
        details = _own_facts(ids, {id_: _property_texts(properties.get(id_, {})) for id_ in ids}) | details
    return details


def namesake_warnings(entities: Iterable[Entity], details: Collection[str]) -> list[ReplyWarning]:
    """Warn of entities with the same name that no fact tells apart; `details` has the ids of those that have one."""
    numbers = Counter(entity.name for entity in entities if entity.id not in details)
    return [
        ReplyWarning(
            kind="namesakes", text=f"{number} of the answers have the name {name}, and no fact tells them apart."
        )
        for name, number in numbers.items()
        if number > 1
    ]


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
    """Describe the nodes of one name by the first property, or two, that all of them have, with different values."""
    common = [key for key in properties.get(ids[0], {}) if all(key in properties.get(id_, {}) for id_ in ids)]
    for keys in (*((key,) for key in common), *combinations(common, 2)):
        texts = {id_: ", ".join(f"{readable(key)} {properties[id_][key]}" for key in keys) for id_ in ids}
        if len(set(texts.values())) == len(ids):
            return texts
    return {}


def _property_texts(properties: Mapping[str, str]) -> list[str]:
    return [f"{readable(key)} {text}" for key, text in properties.items()]


async def _facts(store: GraphStore, ids: Sequence[str]) -> dict[str, list[str]]:
    """Return some facts of each node, without its name, keyed by store id."""
    facts: dict[str, list[str]] = defaultdict(list)
    for is_inverse in (False, True):
        project = Project(tuple(Column(name, value) for name, value in _FACT.items()))
        plan = Plan((_relationships_of(ids, is_inverse), project, Slice(_FACTS_PER_NODE, per=("n",))))
        _add(await _rows(store, plan), is_inverse, facts)
    return facts


async def _unshared_facts(store: GraphStore, ids: Sequence[str]) -> dict[str, list[str]]:
    """Return some facts of each node that none of the others has, keyed by store id."""
    facts: dict[str, list[str]] = defaultdict(list)
    keys = tuple(Column(name, value) for name, value in _FACT.items() if name != "n")
    nodes, number = (
        Aggregate("nodes", AggregateFunction.COLLECT, Variable("n"), distinct=True),
        Aggregate("number", AggregateFunction.COUNT, Variable("n"), distinct=True),
    )
    owner = Column("n", Call(Function.FIRST, (Variable("nodes"),)))
    for is_inverse in (False, True):
        plan = Plan(
            (
                _relationships_of(ids, is_inverse),
                Group(keys, (nodes, number)),
                Filter(Comparison("=", Variable("number"), Constant(1))),
                Project((owner, *(Column(key.name, Variable(key.name)) for key in keys))),
                Slice(_FACTS_PER_NODE, per=("n",)),
            )
        )
        _add(await _rows(store, plan), is_inverse, facts)
    return facts


def _relationships_of(ids: Sequence[str], is_inverse: bool) -> Match:
    """Match the relationships that lead from some nodes, or to them."""
    source, target = ("m", "n") if is_inverse else ("n", "m")
    nodes = (NodePattern("n", ids=tuple(ids)), NodePattern("m"))
    return Match(nodes, (RelationshipPattern(source, target, variable="r"),))


def _add(rows: Sequence[tuple[Any, ...]], is_inverse: bool, facts: Mapping[str, list[str]]) -> None:
    for node, type_, other in rows:
        relation = readable(f"^{type_}" if is_inverse else type_)
        facts[node.id].append(f"{relation} {value_text(other)}")


async def _rows(store: GraphStore, plan: Plan) -> Sequence[tuple[Any, ...]]:
    return (await store.run(plan, _MAX_ROWS)).rows


def _own_facts(ids: Sequence[str], facts: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """Describe each node by the first of its facts that no other node has."""
    uses = Counter(fact for id_ in ids for fact in set(facts.get(id_, ())))
    own = {id_: next((fact for fact in facts.get(id_, ()) if uses[fact] == 1), None) for id_ in ids}
    return {id_: fact for id_, fact in own.items() if fact is not None}
