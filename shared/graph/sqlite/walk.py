"""Walking relation paths over the tables of an embedded graph.

A path is walked one step at a time for all its partial paths at once. Partial paths that end in the same entity and
have the same future are one state, of which the first in the graph's order is kept: a walk through a hub then costs as
much as the triples it touches, not as the number of ways through it.
"""

import json
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice

from shared.graph.store import Entity, PathWalk, Reached, RelationPath, WalkRule, step_relation
from shared.triple import Triple

# CROSS JOIN makes SQLite visit the entities in the order given, and the primary key gives each one's triples by id: so
# rows come in the order of the triples' ids along the whole path.
_FORWARDS = """
    SELECT here.key, triples.id, triples.o FROM json_each(?) AS here
    CROSS JOIN triples ON triples.s = here.value AND triples.r = ?
"""
_BACKWARDS = """
    SELECT here.key, triples.id, triples.s FROM json_each(?) AS here
    CROSS JOIN triples_backwards AS triples ON triples.o = here.value AND triples.r = ?
"""
_MOST_STATES = 1_000_000
_FIRST_PORTION = 1_000


class _TooManyStatesError(Exception):
    """A relation path fans out to more than `_MOST_STATES` partial paths."""


# What was walked: entity, triple, entity, triple, ..., entity (all row ids).
_Trace = tuple[int, ...]


def walk_all(
    connection: sqlite3.Connection,
    relations: Mapping[str, int],
    starts: Sequence[tuple[Entity, RelationPath]],
    rule: WalkRule,
    limit: int,
) -> list[PathWalk]:
    """Walk each relation path from its topic entity; `relations` gives the row id of each relation name."""
    topics = _row_ids(connection, [topic for topic, _ in starts])
    traces = [
        _unless_cut_off(partial(_ends, connection, relations, topics[topic.id], path, rule, limit))
        if topic.id in topics
        else []
        for topic, path in starts
    ]
    # What is left to do is small; the time limit may be over by now, but what was found is not thrown away.
    connection.set_progress_handler(None, 0)
    rows = {row for found in traces for trace in (found or [])[:limit] for row in trace[::2]}
    entities = _entities(connection, rows)
    return [
        PathWalk(
            topic=topic,
            relation_path=path,
            reached=tuple(_reached(trace, path, entities) for trace in (found or [])[:limit]),
            truncated=len(found or []) > limit,
            unfinished=found is None,
        )
        for (topic, path), found in zip(starts, traces, strict=True)
    ]


def _unless_cut_off(walk: Callable[[], list[_Trace]]) -> list[_Trace] | None:
    """What a walk finds, or None where time or the number of partial paths ran out."""
    try:
        return walk()
    except _TooManyStatesError:
        return None
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode == sqlite3.SQLITE_INTERRUPT:
            return None
        raise


def _ends(
    connection: sqlite3.Connection,
    relations: Mapping[str, int],
    topic: int,
    path: RelationPath,
    rule: WalkRule,
    limit: int,
) -> list[_Trace]:
    """The first trace to each distinct end, at most `limit` and one more if there is one."""
    steps = [step_relation(step) for step in path]
    names = [relation for relation, _ in steps]
    if any(relation not in relations for relation in names):
        return []
    traces: Iterator[_Trace] = iter([(topic,)])
    for index, (relation, inverse) in enumerate(steps):
        used: list[int] = []
        needed: list[int] = []
        if rule.mode == "trail":
            # Only steps of one relation can meet the same triple, so only those triples need remembering.
            used = [2 * i + 1 for i in range(index) if names[i] == relation]
            needed = [2 * i + 1 for i in range(index + 1) if names[i] in names[index + 1 :]]
        extended = _extended(connection, traces, relations[relation], inverse, used)
        traces = _first_of_each_state(extended, needed)
    if rule.exclude_topic:
        traces = (trace for trace in traces if trace[-1] != topic)
    return list(islice(traces, limit + 1))


def _extended(
    connection: sqlite3.Connection, traces: Iterator[_Trace], relation: int, inverse: bool, used: list[int]
) -> Iterator[_Trace]:
    """Every trace with every triple that continues it; `used`: where in a trace that triple must not stand."""
    query = _BACKWARDS if inverse else _FORWARDS
    for some in _portions(traces):
        here = json.dumps([trace[-1] for trace in some])
        for index, triple, end in connection.execute(query, (here, relation)):
            trace = some[index]
            if not any(trace[place] == triple for place in used):
                yield (*trace, triple, end)


def _first_of_each_state(traces: Iterator[_Trace], needed: list[int]) -> Iterator[_Trace]:
    """The first trace for each end and set of triples that a later step might meet again (at the `needed` places)."""
    seen: set[_Trace] = set()
    for trace in traces:
        state = (trace[-1], *(trace[place] for place in needed))
        if state not in seen:
            seen.add(state)
            yield trace


def _portions(traces: Iterator[_Trace]) -> Iterator[list[_Trace]]:
    """The traces in lists that grow: of a hub's hundred thousand triples the first thousands are often enough."""
    size, taken = _FIRST_PORTION, 0
    while some := list(islice(traces, size)):
        taken += len(some)
        if taken > _MOST_STATES:
            raise _TooManyStatesError
        yield some
        size *= 2


def _row_ids(connection: sqlite3.Connection, entities: Sequence[Entity]) -> dict[str, int]:
    keys = json.dumps([entity.id for entity in entities])
    return dict(
        connection.execute(
            "SELECT entities.key, entities.id FROM json_each(?) AS asked "
            "CROSS JOIN entities ON entities.key = asked.value",
            (keys,),
        )
    )


def _entities(connection: sqlite3.Connection, rows: set[int]) -> dict[int, Entity]:
    found = connection.execute(
        "SELECT entities.id, entities.key, name FROM json_each(?) AS asked "
        "CROSS JOIN entities ON entities.id = asked.value",
        (json.dumps(list(rows)),),
    )
    return {row: Entity(key, name) for row, key, name in found}


def _reached(trace: _Trace, path: RelationPath, entities: Mapping[int, Entity]) -> Reached:
    return Reached(
        entity=entities[trace[-1]],
        reasoning_path=tuple(
            _triple(entities[start].name, step, entities[end].name)
            for start, step, end in zip(trace[::2], path, trace[2::2], strict=False)
        ),
    )


def _triple(start: str, step: str, end: str) -> Triple:
    relation, inverse = step_relation(step)
    return Triple(end, relation, start) if inverse else Triple(start, relation, end)
