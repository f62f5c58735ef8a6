"""Which steps lead on from where a relation path ends, in an embedded graph."""

import json
import sqlite3
from collections.abc import Collection, Iterable, Mapping, Sequence

from shared.graph.store import INVERSE, Entity, RelationPath, step_relation

_TOPICS = "SELECT asked.key, entities.id FROM json_each(?) AS asked CROSS JOIN entities ON entities.key = asked.value"
_FORWARDS = "SELECT DISTINCT triples.o FROM json_each(?) AS here CROSS JOIN triples ON s = here.value AND r = ? LIMIT ?"
_BACKWARDS = (
    "SELECT DISTINCT triples.s FROM json_each(?) AS here "
    "CROSS JOIN triples_backwards AS triples ON o = here.value AND r = ? LIMIT ?"
)
_KINDS = "SELECT DISTINCT entities.kind FROM json_each(?) AS here CROSS JOIN entities ON entities.id = here.value"
_STEPS = "SELECT kinds.id, steps FROM json_each(?) AS asked CROSS JOIN kinds ON kinds.id = asked.value"
# Multiplying by a large odd number scatters the row ids.
_OF_EACH_KIND = """
    SELECT key, name FROM (
        SELECT id, key, name, row_number() OVER (PARTITION BY kind ORDER BY (id * 2654435761) % 4294967296) AS turn
        FROM entities
    ) ORDER BY turn, id LIMIT ?
"""
_MOST_ENDS = 10_000


class Kinds:
    """Remembers the steps of every kind that it was asked about; safe for concurrent use."""

    def __init__(self, relations: Mapping[str, int]) -> None:
        """`relations`: the row id of each relation name."""
        self._relations = relations
        self._names = {row: name for name, row in relations.items()}
        self._steps: dict[int, frozenset[str]] = {}

    def steps_after(
        self, connection: sqlite3.Connection, starts: Sequence[tuple[Entity, RelationPath]]
    ) -> list[frozenset[str]]:
        """For each pair of entity and path the steps that lead on from its end."""
        keys = [topic.id for topic, _ in starts]
        topics: dict[int, int] = dict(connection.execute(_TOPICS, (json.dumps(keys),)).fetchall())
        ends: dict[tuple[int, RelationPath], list[int]] = {}
        found = []
        for place, (_, path) in enumerate(starts):
            here = self._ends(connection, topics[place], path, ends) if place in topics else []
            found.append(self._steps_of(connection, here))
        return found

    def _ends(
        self,
        connection: sqlite3.Connection,
        topic: int,
        path: RelationPath,
        known: dict[tuple[int, RelationPath], list[int]],
    ) -> list[int]:
        """The row ids of the entities at the end of a path; `known` keeps those of its beginnings."""
        if not path:
            return [topic]
        if (topic, path) not in known:
            before = self._ends(connection, topic, path[:-1], known)
            relation, inverse = step_relation(path[-1])
            row = self._relations.get(relation)
            query = _BACKWARDS if inverse else _FORWARDS
            rows = connection.execute(query, (json.dumps(before), row, _MOST_ENDS)) if row is not None else ()
            known[topic, path] = [end for (end,) in rows]
        return known[topic, path]

    def _steps_of(self, connection: sqlite3.Connection, entities: Collection[int]) -> frozenset[str]:
        kinds = {kind for (kind,) in connection.execute(_KINDS, (json.dumps(list(entities)),))}
        missing = [kind for kind in kinds if kind not in self._steps]
        if missing:
            for kind, steps in connection.execute(_STEPS, (json.dumps(missing),)):
                self._steps[kind] = frozenset(self._named(json.loads(steps)))
        return frozenset().union(*(self._steps[kind] for kind in kinds))

    def _named(self, steps: Iterable[int]) -> Iterable[str]:
        return (self._names[step] if step > 0 else INVERSE + self._names[-step] for step in steps)


def of_each_kind(connection: sqlite3.Connection, most: int) -> list[Entity]:
    """Some entities of every kind, in turns."""
    return [Entity(key, name) for key, name in connection.execute(_OF_EACH_KIND, (most,))]
