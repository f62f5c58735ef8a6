"""Find the paths between random pairs of a graph file, and compare them with those of networkx.

Run `python -m bench.stores.shortest_paths FILE`. FILE is the graph file of the demo graph, such as
`~/.local/share/kgqa/graphs/world.sqlite`.
"""

import argparse
import asyncio
import random
import sqlite3
import statistics
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import networkx

from bench.results import Section, head, keep
from graph.plan.algebra import Match, NodePattern, Plan, ShortestPaths
from graph.plan.result import PlanResult
from graph.sqlite.store import SqliteGraphStore

_PAIRS, _SEED = 200, 1
_STEP = ShortestPaths("a", "b")
_SECONDS_ALLOWED = 60.0
_NOTE = (
    "Shortest paths of at most 4 relationships between random pairs of the demo graph's entities with two or more "
    "facts: the three through the nodes with the fewest relationships. networkx lists all shortest paths, of which the "
    "same ones are to come first, or finds none."
)
_Path = tuple[int, ...]


class _Asked(NamedTuple):
    """Hold the paths between two nodes, and the milliseconds that finding them took."""

    paths: list[_Path]
    milliseconds: float


class _Reference:
    """Hold the graph in networkx; nodes are row ids."""

    def __init__(self, file: Path) -> None:
        with sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", uri=True) as connection:
            self.keys = dict(connection.execute("SELECT key, id FROM entities"))
            self.degrees = dict(connection.execute("SELECT id, degree FROM entities"))
            links = connection.execute("SELECT s, o FROM triples").fetchall()
        self._graph = networkx.Graph(links)
        self.choices = [key for key, row in self.keys.items() if self.degrees[row] > 1]

    def paths(self, first: str, second: str) -> list[_Path]:
        """Return the paths between two nodes as the store defines them."""
        ends = self.keys[first], self.keys[second]
        try:
            if networkx.shortest_path_length(self._graph, *ends) > _STEP.max_length:
                return []
            found = map(tuple, networkx.all_shortest_paths(self._graph, *ends))
        except networkx.NetworkXNoPath:
            return []
        return sorted(found, key=lambda path: (sum(map(self.degrees.__getitem__, path[1:-1])), path))[: _STEP.limit]


async def _ask(store: SqliteGraphStore, reference: _Reference, pair: Sequence[str]) -> _Asked:
    matches = (Match((NodePattern(name, ids=(key,)),)) for name, key in zip("ab", pair, strict=True))
    started = time.perf_counter()
    result = await store.run(Plan((*matches, _STEP)))
    milliseconds = (time.perf_counter() - started) * 1000
    return _Asked(_paths(result, reference), milliseconds)


def _paths(result: PlanResult, reference: _Reference) -> list[_Path]:
    place = result.columns.index(_STEP.nodes)
    return [tuple(reference.keys[node.id] for node in row[place]) for row in result.rows]


async def _measure(file: Path) -> dict[str, str]:
    reference, store = _Reference(file), SqliteGraphStore(file, _SECONDS_ALLOWED)
    rng = random.Random(_SEED)
    pairs = [rng.sample(reference.choices, 2) for _ in range(_PAIRS)]
    asked = [await _ask(store, reference, pair) for pair in pairs]
    await store.close()
    equal = sum(one.paths == reference.paths(*pair) for one, pair in zip(asked, pairs, strict=True))
    times = sorted(one.milliseconds for one in asked)
    lengths = [len(one.paths[0]) - 1 for one in asked if one.paths]
    return {
        "pairs": f"{_PAIRS}",
        "equal to networkx": f"{equal}",
        "connected within 4 steps": f"{len(lengths)}",
        "mean length": f"{statistics.fmean(lengths):.2f}" if lengths else "–",
        "ms, p50": f"{statistics.median(times):.1f}",
        "ms, p95": f"{times[int(0.95 * len(times))]:.1f}",
        "ms, worst": f"{times[-1]:.1f}",
    }


def main() -> None:
    """Measure, and save the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path)
    commit, file = head(), parser.parse_args().file
    figures = asyncio.run(_measure(file))
    print(figures)
    title, command = "Shortest paths", "python -m bench.stores.shortest_paths FILE"
    columns = {"SQLite": figures}
    keep("shortest-paths", Section(order=36, title=title, note=_NOTE, command=command, columns=columns, commit=commit))


if __name__ == "__main__":
    main()
