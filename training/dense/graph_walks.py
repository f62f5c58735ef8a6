"""Walk relation paths through a graph in memory, and sample triples beside them as negatives."""

from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from graph.sqlite.connection import connect
from graph.store import RelationPath, split_step
from services.retriever.dense.index_file import triples_by_entity
from training.dense.triple_index import GraphTriples

STOP_ROW = -1
"""Stands for the text `STOP` among the triples."""
_TRIES = 8
_MOST_LOOKED_AT = 300

Step = tuple[int, bool]
"""The row id of a relation, and whether it is followed from subject to object."""


@dataclass(frozen=True, slots=True)
class Walk:
    """Hold one way along a relation path: the entity before each triple, the triples, and the entity reached."""

    entities: tuple[int, ...]
    rows: tuple[int, ...]
    end: int


class WalkedGraph:
    """Hold the triples of a graph file by entity."""

    def __init__(self, file: Path) -> None:
        """Read a graph file; raise as `GraphTriples` does."""
        self.triples = GraphTriples(file)
        self._starts, self._around = triples_by_entity(self.triples.ids)
        with closing(connect(file)) as connection:
            self.entities: dict[str, int] = dict(connection.execute("SELECT key, id FROM entities"))
            self._relations: dict[str, int] = dict(connection.execute("SELECT name, id FROM relations"))

    def relation(self, row: int) -> int:
        """Return the relation of a triple; -1 for `STOP_ROW`."""
        return int(self.triples.ids[row, 1]) if row != STOP_ROW else -1

    def steps(self, path: RelationPath) -> list[Step]:
        """Return the steps of a relation path, all of whose relations the graph must have."""
        split = (split_step(step) for step in path)
        return [(self._relations[relation], not is_inverse) for relation, is_inverse in split]

    def walk(self, entity: int, steps: list[Step], random: np.random.Generator) -> Walk | None:
        """Return a random walk along a relation path that uses no triple twice; None if there seems to be none."""
        for _ in range(_TRIES):
            at, entities, rows = entity, [], []
            for step in steps:
                choices = [row for row in self._rows(at) if self._step(row, at) == step and row not in rows]
                if not choices:
                    break
                entities.append(at)
                rows.append(choices[int(random.integers(len(choices)))])
                at = self._other_end(rows[-1], at)
            if len(rows) == len(steps):
                return Walk(tuple(entities), tuple(rows), at)
        return None

    def negatives(self, walk: Walk, hop: int, most: int, random: np.random.Generator) -> list[int]:
        """Return triples around the entity before a hop that take other steps than the walk, and the triple before.

        Those with the relation of the right triple are left out: with the topic masked, a query cannot tell them apart.

        Args:
            walk: The walk.
            hop: The hop, from 0; that after the last triple stands for the end of the walk.
            most: The number of steps to sample, with one triple of each.
            random: The source of chance.
        """
        at = walk.entities[hop] if hop < len(walk.rows) else walk.end
        before = list(walk.rows[hop - 1 : hop]) if hop else []
        right = self._step(walk.rows[hop], at) if hop < len(walk.rows) else None
        rows = self._rows(at)
        if len(rows) > _MOST_LOOKED_AT:
            rows = [rows[place] for place in random.integers(len(rows), size=_MOST_LOOKED_AT).tolist()]
        by_step: dict[Step, list[int]] = {}
        for row in rows:
            if row not in before and (step := self._step(row, at)) != right:
                by_step.setdefault(step, []).append(row)
        steps = list(by_step)
        chosen = [by_step[steps[place]] for place in random.permutation(len(steps))[:most].tolist()]
        sampled = [alike[int(random.integers(len(alike)))] for alike in chosen] + before
        return [row for row in sampled if right is None or self.relation(row) != right[0]]

    def _rows(self, entity: int) -> list[int]:
        if entity + 1 >= len(self._starts):
            return []
        found: list[int] = self._around[self._starts[entity] : self._starts[entity + 1]].tolist()
        return found

    def _step(self, row: int, start: int) -> Step:
        subject, relation, _ = self.triples.ids[row].tolist()
        return relation, subject == start

    def _other_end(self, row: int, start: int) -> int:
        subject, _, object_ = self.triples.ids[row].tolist()
        return int(object_ if subject == start else subject)
