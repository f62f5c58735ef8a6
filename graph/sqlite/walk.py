"""Follow relation paths through the tables of a graph file, extending all partial walks of a path hop by hop.

If several partial walks end at the same entity and can continue in the same ways, only the first of them in the graph's
order is extended. The cost of a path through a hub therefore grows with the number of triples that are read, not with
the number of walks.
"""

import json
import sqlite3
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice

from graph.store import INVERSE, Entity, PathEnd, PathStart, PathWalk, RelationPath, WalkRule, split_step

# CROSS JOIN makes SQLite visit the entities in the order given, and the primary key returns the triples of each entity
# by id. Rows therefore arrive in the order of the triple ids along the whole path.
_FORWARD = "FROM json_each(?) AS here CROSS JOIN triples ON s = here.value AND r = ?"
_BACKWARD = "FROM json_each(?) AS here CROSS JOIN triples INDEXED BY triples_backwards ON o = here.value AND r = ?"
_HOP = {False: f"SELECT here.key, triples.id, o {_FORWARD}", True: f"SELECT here.key, triples.id, s {_BACKWARD}"}
_ENDS = {False: f"SELECT DISTINCT o {_FORWARD} LIMIT ?", True: f"SELECT DISTINCT s {_BACKWARD} LIMIT ?"}
_ROW_IDS = (
    "SELECT entities.key, entities.id FROM json_each(?) AS asked CROSS JOIN entities ON entities.key = asked.value"
)
_ENTITIES = (
    "SELECT entities.id, entities.key, name FROM json_each(?) AS asked CROSS JOIN entities ON entities.id = asked.value"
)
_SETS = "SELECT DISTINCT entities.kind FROM json_each(?) AS here CROSS JOIN entities ON entities.id = here.value"
_STEPS = "SELECT kinds.id, steps FROM json_each(?) AS asked CROSS JOIN kinds ON kinds.id = asked.value"
# Multiplying by a large odd number scatters the row ids.
_SAMPLE = """
    SELECT key, name FROM (
        SELECT id, key, name, row_number() OVER (PARTITION BY kind ORDER BY (id * 2654435761) % 4294967296) AS turn
        FROM entities
    ) ORDER BY turn, id LIMIT ?
"""
_MAX_STATES = 1_000_000
_FIRST_BATCH = 1_000
_MAX_ENDS = 10_000

# A partial walk as row ids: entity, triple, entity, triple, ..., entity.
_Trace = tuple[int, ...]
# The row ids of the entities that a relation path reaches, by topic entity and path.
_Ends = dict[tuple[int, RelationPath], list[int]]


class _TooManyStatesError(Exception):
    """Signal that a relation path fans out to more than `_MAX_STATES` partial walks."""


class PathWalker:
    """Follow relation paths, and cache the steps of each characteristic set. Safe for concurrent use."""

    def __init__(self, relations: Mapping[str, int]) -> None:
        """Create a walker; `relations` maps each relation to its row id."""
        self._relations = relations
        self._names = {row: name for name, row in relations.items()}
        self._names |= {-row: INVERSE + name for name, row in relations.items()}
        self._steps: dict[int, frozenset[str]] = {}

    def walk(
        self, connection: sqlite3.Connection, starts: Sequence[PathStart], rule: WalkRule, limit: int
    ) -> list[PathWalk]:
        """Follow each relation path from its topic entity."""
        topics = _row_ids(connection, starts)
        traces = [
            self._traces(connection, topics[topic.id], path, rule, limit) if topic.id in topics else []
            for topic, path in starts
        ]
        # The rest is cheap. Finish it even if the time limit has passed, instead of discarding the results.
        connection.set_progress_handler(None, 0)
        rows = {row for found in traces for trace in (found or [])[:limit] for row in trace[::2]}
        entities = {row: Entity(key, name) for row, key, name in connection.execute(_ENTITIES, (_json(rows),))}
        walks = []
        for (topic, path), found in zip(starts, traces, strict=True):
            visited = [[entities[row] for row in trace[::2]] for trace in (found or [])[:limit]]
            reached = tuple(PathEnd.of_walk(some[-1], path, [entity.name for entity in some]) for some in visited)
            walks.append(PathWalk(topic, path, reached, len(found or []) > limit, unfinished=found is None))
        return walks

    def steps_after(self, connection: sqlite3.Connection, starts: Sequence[PathStart]) -> list[frozenset[str]]:
        """Find the relation steps that can extend each path."""
        topics = _row_ids(connection, starts)
        known: _Ends = {}
        return [
            self._steps_of(connection, self._ends(connection, topics[topic.id], path, known))
            if topic.id in topics
            else frozenset()
            for topic, path in starts
        ]

    def _traces(
        self, connection: sqlite3.Connection, topic: int, path: RelationPath, rule: WalkRule, limit: int
    ) -> list[_Trace] | None:
        """Return up to `limit` + 1 traces, the first to each distinct end entity; None if time or memory runs out."""
        steps, is_trail = [split_step(step) for step in path], rule.mode == "trail"
        names = [relation for relation, _ in steps]
        if any(relation not in self._relations for relation in names):
            return []
        traces: Iterator[_Trace] = iter([(topic,)])
        for hop, (relation, is_inverse) in enumerate(steps):
            # Only steps with the same relation can use the same triple, so other triples need not be compared.
            used = [2 * i + 1 for i in range(hop) if is_trail and names[i] == relation]
            needed = [2 * i + 1 for i in range(hop + 1) if is_trail and names[i] in names[hop + 1 :]]
            longer = _extended(connection, _HOP[is_inverse], traces, self._relations[relation], used)
            traces = _first_per_state(longer, needed)
        if rule.exclude_topic:
            traces = (trace for trace in traces if trace[-1] != topic)
        try:
            return list(islice(traces, limit + 1))
        except _TooManyStatesError:
            return None
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode == sqlite3.SQLITE_INTERRUPT:
                return None
            raise

    def _ends(self, connection: sqlite3.Connection, topic: int, path: RelationPath, known: _Ends) -> list[int]:
        """Return the row ids of the entities at the end of a path; `known` caches the ends of shorter paths."""
        if not path:
            return [topic]
        if (topic, path) not in known:
            before = self._ends(connection, topic, path[:-1], known)
            relation, is_inverse = split_step(path[-1])
            row = self._relations.get(relation)
            rows = connection.execute(_ENDS[is_inverse], (_json(before), row, _MAX_ENDS)) if row is not None else ()
            known[topic, path] = [end for (end,) in rows]
        return known[topic, path]

    def _steps_of(self, connection: sqlite3.Connection, entities: Collection[int]) -> frozenset[str]:
        sets = {set_id for (set_id,) in connection.execute(_SETS, (_json(entities),))}
        if missing := [set_id for set_id in sets if set_id not in self._steps]:
            for set_id, steps in connection.execute(_STEPS, (_json(missing),)):
                self._steps[set_id] = frozenset(self._names[step] for step in json.loads(steps))
        return frozenset().union(*(self._steps[set_id] for set_id in sets))


def sample_entities(connection: sqlite3.Connection, limit: int) -> list[Entity]:
    """Return one entity per characteristic set, then a second one per set, and so on, up to `limit` entities."""
    return [Entity(key, name) for key, name in connection.execute(_SAMPLE, (limit,))]


def _extended(
    connection: sqlite3.Connection, query: str, traces: Iterator[_Trace], relation: int, used: list[int]
) -> Iterator[_Trace]:
    """Extend each trace by each triple of the relation, unless the trace contains that triple at a `used` index."""
    for batch in _batches(traces):
        for index, triple, end in connection.execute(query, (_json(trace[-1] for trace in batch), relation)):
            trace = batch[index]
            if not any(trace[place] == triple for place in used):
                yield (*trace, triple, end)


def _first_per_state(traces: Iterator[_Trace], needed: list[int]) -> Iterator[_Trace]:
    """Keep the first trace per combination of end entity and `needed` triples, which later hops must not reuse."""
    seen: set[_Trace] = set()
    for trace in traces:
        state = (trace[-1], *(trace[place] for place in needed))
        if state not in seen:
            seen.add(state)
            yield trace


def _batches(traces: Iterator[_Trace]) -> Iterator[list[_Trace]]:
    """Split the traces into batches of growing size, because the first few thousand triples of a hub often suffice."""
    size, taken = _FIRST_BATCH, 0
    while batch := list(islice(traces, size)):
        taken += len(batch)
        if taken > _MAX_STATES:
            raise _TooManyStatesError
        yield batch
        size *= 2


def _row_ids(connection: sqlite3.Connection, starts: Sequence[PathStart]) -> dict[str, int]:
    return dict(connection.execute(_ROW_IDS, (_json(topic.id for topic, _ in starts),)))


def _json(values: Iterable[int | str]) -> str:
    return json.dumps(list(values))
