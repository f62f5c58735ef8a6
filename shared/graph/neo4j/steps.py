"""Which steps lead on from where relation paths end, in Neo4j: for all paths of a question in one round trip."""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from shared.graph.neo4j.cypher import identifier, is_step, starts_by_hops
from shared.graph.store import INVERSE, Entity, RelationPath

Row = Mapping[str, Any]

_MOST_ENDS = 10_000
# A node with more relationships is asked for each type: it keeps count of them, so that none needs to be looked at.
_HUB = 1_000


@cache
def steps_text(hops: int, types: tuple[str, ...]) -> str:
    """Cypher for paths of up to `hops` steps; `types`: all relationship types, of which it asks hubs one by one."""
    ends = "\nUNION ALL\n".join(_ends(number) for number in range(hops + 1))
    counted = [f"EXISTS {{ (n)-[:{identifier(type_)}]->() }}" for type_ in types]
    counted += [f"EXISTS {{ (n)<-[:{identifier(type_)}]-() }}" for type_ in types]
    return f"""CALL () {{
{ends}
}}
CALL (n) {{
WITH n WHERE COUNT {{ (n)--() }} <= {_HUB} MATCH (n)-[r]->() RETURN DISTINCT type(r) AS step
UNION
WITH n WHERE COUNT {{ (n)--() }} <= {_HUB} MATCH (n)<-[r]-() RETURN DISTINCT '{INVERSE}' + type(r) AS step
UNION
WITH n WHERE COUNT {{ (n)--() }} > {_HUB} WITH [{", ".join(counted)}] AS has
UNWIND range(0, size(has) - 1) AS place WITH place WHERE has[place] RETURN $steps[place] AS step
}}
RETURN number, collect(DISTINCT step) AS steps"""


def _ends(hops: int) -> str:
    lines = [f"UNWIND $starts[{hops}] AS start", "MATCH (n0) WHERE elementId(n0) = start.topic"]
    for hop in range(hops):
        here, there = f"n{hop}", f"n{hop + 1}"
        lines += [
            f"MATCH ({here})-[r]-({there}) WHERE {is_step(hop)}",
            f"WITH start, collect(DISTINCT {there})[..{_MOST_ENDS}] AS ends UNWIND ends AS {there}",
        ]
    return "\n".join([*lines, f"RETURN start.number AS number, n{hops} AS n"])


def parameters(starts: Sequence[tuple[Entity, RelationPath]], types: Sequence[str]) -> dict[str, Any]:
    """What `steps_text` asks for: the starts by their number of hops, and the steps that a hub may have."""
    return {"starts": starts_by_hops(starts), "steps": [*types, *(INVERSE + type_ for type_ in types)]}


def found_steps(starts: Sequence[tuple[Entity, RelationPath]], rows: Sequence[Row]) -> list[frozenset[str]]:
    """What the database said, for each start."""
    found = {row["number"]: frozenset(row["steps"]) for row in rows}
    return [found.get(number, frozenset()) for number in range(len(starts))]
