"""Walking relation paths in Neo4j: all those of a question in one round trip.

The text depends on the number of hops alone. Neo4j plans a text that it has not seen for tens to hundreds of
milliseconds, so relation types are parameters and every relationship on the way is looked at. Where that takes too
long, because a hub lies on the way, a path is walked by itself with a text that names its types.

Partial walks that end in the same node, and remember the same relationships for later, are one from then on: the first
in the graph's order, as in `shared.graph.sqlite.walk`.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from shared.graph.neo4j.cypher import identifier, is_step, name_of, starts_by_hops
from shared.graph.store import Entity, PathWalk, Reached, RelationPath, WalkRule, step_relation
from shared.triple import Triple

Row = Mapping[str, Any]

# The place of a relationship in the files that it was imported from, else an order that stays the same.
_PLACE = "coalesce(r.kgqa_place, elementId(r))"


@cache
def walks_text(hops: int) -> str:
    """Cypher for walks of up to `hops` steps each."""
    return "\nUNION ALL\n".join(_text([_ANY] * number) for number in range(1, hops + 1))


def typed_text(path: RelationPath) -> str:
    """Cypher for walks along one relation path, faster than the other where hubs lie on the way."""
    steps = [step_relation(step) for step in path]
    patterns = [f"<-[r:{identifier(name)}]-" if inverse else f"-[r:{identifier(name)}]->" for name, inverse in steps]
    return _text(patterns)


_ANY = "-[r]-"


def _text(patterns: Sequence[str]) -> str:
    lines = [
        f"UNWIND $starts[{len(patterns)}] AS start",
        "MATCH (n0) WHERE elementId(n0) = start.topic",
        "WITH start, n0 AS topic, n0, [] AS used, [] AS trace",
    ]
    for hop, pattern in enumerate(patterns):
        here, there = f"n{hop}", f"n{hop + 1}"
        lines.append(f"MATCH ({here}){pattern}({there}) WHERE NOT r IN used")
        if pattern == _ANY:
            lines.append(f"AND {is_step(hop)}")
        lines += [
            f"WITH start, topic, {there}, [u IN used + [r] WHERE type(u) IN start.later[{hop}]] AS used,",
            f"min(trace + [{_PLACE}, {there}]) AS trace",
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


def parameters(starts: Sequence[tuple[Entity, RelationPath]], rule: WalkRule, limit: int) -> dict[str, Any]:
    """What `walks_text` asks for: the starts by their number of hops, `number` telling which is which."""
    by_hops = starts_by_hops(starts)
    for start in (start for same_length in by_hops for start in same_length):
        types = start["types"]
        # Only steps of one type can meet the same relationship, so only those need remembering.
        start["later"] = [types[hop + 1 :] if rule.mode == "trail" else [] for hop in range(len(types))]
    return {"starts": by_hops, "exclude_topic": rule.exclude_topic, "most": limit + 1}


def walked(starts: Sequence[tuple[Entity, RelationPath]], rows: Sequence[Row], limit: int) -> list[PathWalk]:
    """What the database said, for each start; one of which it said nothing reaches nothing."""
    found = {row["number"]: row for row in rows}
    walks = []
    for number, (topic, path) in enumerate(starts):
        row = found.get(number, {"ids": [], "names": []})
        reached = tuple(_reached(topic, path, ids, names) for ids, names in zip(row["ids"], row["names"], strict=True))
        walks.append(PathWalk(topic, path, reached[:limit], truncated=len(reached) > limit))
    return walks


def _reached(topic: Entity, path: RelationPath, ids: Sequence[str], names: Sequence[str | None]) -> Reached:
    shown = [topic.name, *(name or id_ for name, id_ in zip(names, ids, strict=True))]
    facts = tuple(_fact(start, step, end) for start, step, end in zip(shown, path, shown[1:], strict=False))
    return Reached(Entity(ids[-1], shown[-1]), facts)


def _fact(start: str, step: str, end: str) -> Triple:
    relation, inverse = step_relation(step)
    return Triple(end, relation, start) if inverse else Triple(start, relation, end)
