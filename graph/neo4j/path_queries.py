"""Build Cypher queries that follow all relation paths of a question in one round trip.

The query text depends only on the number of hops, because Neo4j takes tens to hundreds of milliseconds to plan
a new text. Relation types are therefore parameters, and a query reads every relationship of the nodes along the way. If
a hub makes this too slow, each path gets a query of its own, whose text contains the path's relation types.

Partial walks that end at the same node and can continue in the same ways are merged, as in `graph.sqlite.walk`.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from graph.neo4j.copies import PLACE
from graph.neo4j.cypher_text import quote
from graph.neo4j.naming import name_of
from graph.store import INVERSE, Entity, PathEnd, PathStart, PathWalk, RelationPath, WalkRule, split_step

Row = Mapping[str, Any]

# The position of a relationship in the imported files, or a stable order if it was not imported.
_POSITION = f"coalesce(r.{PLACE}, elementId(r))"
_ANY = "-[r]-"
_MAX_ENDS = 10_000
# If a node has more relationships, test for each type instead: Neo4j stores counts per type and reads no relationships.
_HUB_DEGREE = 1_000


@cache
def walk_query(hops: int) -> str:
    """Build the query for walks of up to `hops` hops."""
    return "\nUNION ALL\n".join(_walk_query([_ANY] * number) for number in range(1, hops + 1))


def typed_walk_query(path: RelationPath) -> str:
    """Build the query for walks along one relation path, which is faster if the path passes through a hub."""
    steps = map(split_step, path)
    return _walk_query([f"<-[r:{quote(r)}]-" if inverse else f"-[r:{quote(r)}]->" for r, inverse in steps])


def _walk_query(patterns: Sequence[str]) -> str:
    lines = [
        f"UNWIND $starts[{len(patterns)}] AS start",
        "MATCH (n0) WHERE elementId(n0) = start.topic",
        "WITH start, n0 AS topic, n0, [] AS used, [] AS trace",
    ]
    for hop, pattern in enumerate(patterns):
        here, there = f"n{hop}", f"n{hop + 1}"
        lines.append(f"MATCH ({here}){pattern}({there}) WHERE NOT r IN used")
        if pattern == _ANY:
            lines.append(f"AND {_follows_step(hop)}")
        lines += [
            f"WITH start, topic, {there}, [u IN used + [r] WHERE type(u) IN start.later[{hop}]] AS used,",
            f"min(trace + [{_POSITION}, {there}]) AS trace",
        ]
    end = f"n{len(patterns)}"
    lines += [
        f"WHERE NOT ($exclude_topic AND {end} = topic)",
        f"WITH start, {end}, min(trace) AS trace ORDER BY trace",
        "WITH start, [t IN collect(trace)[..$most] | [i IN range(1, size(t) - 1, 2) | t[i]]] AS traces",
        "RETURN start.number AS number, [t IN traces | [n IN t | elementId(n)]] AS ids,",
        f"[t IN traces | [n IN t | toStringOrNull({name_of('n')})]] AS names",
    ]
    return "\n".join(lines)


def walk_parameters(starts: Sequence[PathStart], rule: WalkRule, limit: int) -> dict[str, Any]:
    """Build the parameters of `walk_query` and `typed_walk_query`."""
    by_hops = _starts_by_hops(starts)
    for start in (start for same_length in by_hops for start in same_length):
        types = start["types"]
        # Only hops with the same type can use the same relationship, so other relationships need not be kept.
        start["later"] = [types[hop + 1 :] if rule.mode == "trail" else [] for hop in range(len(types))]
    return {"starts": by_hops, "exclude_topic": rule.exclude_topic, "most": limit + 1}


def parse_walks(starts: Sequence[PathStart], rows: Sequence[Row], limit: int) -> list[PathWalk]:
    """Convert result rows to one walk per start. A start without a row reaches nothing."""
    found = {row["number"]: row for row in rows}
    walks = []
    for number, (topic, path) in enumerate(starts):
        row = found.get(number, {"ids": [], "names": []})
        reached = tuple(_reached(topic, path, ids, names) for ids, names in zip(row["ids"], row["names"], strict=True))
        walks.append(PathWalk(topic, path, reached[:limit], truncated=len(reached) > limit))
    return walks


@cache
def next_steps_query(hops: int, types: tuple[str, ...]) -> str:
    """Build the query for the steps that can follow paths of up to `hops` hops; `types` are all relationship types."""
    ends = "\nUNION ALL\n".join(_ends_query(number) for number in range(hops + 1))
    exists = [f"EXISTS {{ (n)-[:{quote(type_)}]->() }}" for type_ in types]
    exists += [f"EXISTS {{ (n)<-[:{quote(type_)}]-() }}" for type_ in types]
    return f"""CALL () {{
{ends}
}}
CALL (n) {{
WITH n WHERE COUNT {{ (n)--() }} <= {_HUB_DEGREE} MATCH (n)-[r]->() RETURN DISTINCT type(r) AS step
UNION
WITH n WHERE COUNT {{ (n)--() }} <= {_HUB_DEGREE} MATCH (n)<-[r]-() RETURN DISTINCT '{INVERSE}' + type(r) AS step
UNION
WITH n WHERE COUNT {{ (n)--() }} > {_HUB_DEGREE} WITH [{", ".join(exists)}] AS has
UNWIND range(0, size(has) - 1) AS place WITH place WHERE has[place] RETURN $steps[place] AS step
}}
RETURN number, collect(DISTINCT step) AS steps"""


def _ends_query(hops: int) -> str:
    lines = [f"UNWIND $starts[{hops}] AS start", "MATCH (n0) WHERE elementId(n0) = start.topic"]
    for hop in range(hops):
        here, there = f"n{hop}", f"n{hop + 1}"
        lines += [
            f"MATCH ({here})-[r]-({there}) WHERE {_follows_step(hop)}",
            f"WITH start, collect(DISTINCT {there})[..{_MAX_ENDS}] AS ends UNWIND ends AS {there}",
        ]
    return "\n".join([*lines, f"RETURN start.number AS number, n{hops} AS n"])


def next_steps_parameters(starts: Sequence[PathStart], types: Sequence[str]) -> dict[str, Any]:
    """Build the parameters of `next_steps_query`."""
    return {"starts": _starts_by_hops(starts), "steps": [*types, *(INVERSE + type_ for type_ in types)]}


def parse_next_steps(starts: Sequence[PathStart], rows: Sequence[Row]) -> list[frozenset[str]]:
    """Convert result rows to one set of steps per start."""
    found = {row["number"]: frozenset(row["steps"]) for row in rows}
    return [found.get(number, frozenset()) for number in range(len(starts))]


def _starts_by_hops(starts: Sequence[PathStart]) -> list[list[dict[str, Any]]]:
    """Group the starts by number of hops; `number` is the position of each start in the input."""
    by_hops: list[list[dict[str, Any]]] = [[] for _ in range(max((len(path) for _, path in starts), default=0) + 1)]
    for number, (topic, path) in enumerate(starts):
        types, forwards = [split_step(step)[0] for step in path], [not split_step(step)[1] for step in path]
        by_hops[len(path)].append({"number": number, "topic": topic.id, "types": types, "forwards": forwards})
    return by_hops


def _follows_step(hop: int) -> str:
    """Build the condition that the relationship `r` from node `n<hop>` has the step's type and direction."""
    return (
        f"type(r) = start.types[{hop}] AND "
        f"CASE WHEN start.forwards[{hop}] THEN startNode(r) ELSE endNode(r) END = n{hop}"
    )


def _reached(topic: Entity, path: RelationPath, ids: Sequence[str], names: Sequence[str | None]) -> PathEnd:
    shown = [topic.name, *(name or id_ for name, id_ in zip(names, ids, strict=True))]
    return PathEnd.of_walk(Entity(ids[-1], shown[-1]), path, shown)
