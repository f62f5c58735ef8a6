"""Count what patterns match, many patterns in one query."""

from collections.abc import Sequence

from graph.neo4j.connection import Connection

MAX_TOGETHER = 50
"""Labels or types that are read or counted together."""


async def count_matches(connection: Connection, patterns: Sequence[str], seconds: float | None = None) -> list[int]:
    """Return how often each pattern matches; for all nodes of a label or all edges of a type, the database knows it.

    `seconds` limits each query, as in `Connection.query`, and its errors are raised.
    """
    counts: list[int] = []
    for start in range(0, len(patterns), MAX_TOGETHER):
        some = patterns[start : start + MAX_TOGETHER]
        columns = ", ".join(f"COUNT {{ {pattern} }} AS c{place}" for place, pattern in enumerate(some))
        [row] = await connection.query(f"RETURN {columns}", {}, seconds)
        counts += row.values()
    return counts
