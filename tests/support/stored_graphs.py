"""Keep small graphs in memory and on SQLite, and draw random ones."""

import random
import sqlite3
from contextlib import closing
from datetime import date, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from graph.plan.algebra import Plan
from graph.plan.checks import check_plan
from graph.plan.result import PlanResult
from graph.plan.schema import GraphSchema
from graph.sqlite.connection import GraphConnection
from graph.sqlite.plan_execution import PlanExecutor
from tests.support.property_graphs import write_graph_file
from tests.support.reference_evaluator import Node, PropertyGraph, Relationship

_KINDS = ("Film", "Film2", "Count", "OrderLine", "film", "Odd `kind`")
_TYPES = ("IN", "HAS_PART", "link1", "Film", "wrote")
_VALUES: dict[str, tuple[Any, ...]] = {
    "name": ("Alma", "Bo", "O'Brien", "Ünal", "1999", ""),
    "film": ("Alma", "Heat", "Up"),
    "count": (0, 1, 7, 1999),
    "rating": (0.5, 2.0, 7.25),
    "day": (date(1999, 5, 1), date(2001, 3, 4), date(2020, 2, 29)),
    "created": (930_000_000, 1_000_000_000, 1_583_000_000),
    "shipped": (datetime(1999, 5, 1, 12), datetime(2001, 3, 4)),
    "active": (True, False),
    "tags": (("a", "Alma"), ("b",), ()),
    "mixed": (1, "a", True, 2.5),
    "max count": (3, 4),
}


class StoredGraph:
    """Hold a graph in memory, with its schema, and run plans over it on SQLite."""

    def __init__(self, graph: PropertyGraph) -> None:
        self.graph = graph
        self.connection = GraphConnection(":memory:")
        with TemporaryDirectory() as folder:
            write_graph_file(graph, Path(folder) / "graph.sqlite")
            with closing(sqlite3.connect(Path(folder) / "graph.sqlite")) as file:
                file.backup(self.connection)
        self.plans = PlanExecutor(self.connection)

    @property
    def schema(self) -> GraphSchema:
        return self.plans.schema

    def run(self, plan: Plan, max_rows: int = 100_000) -> PlanResult:
        check_plan(plan, self.schema)
        return self.plans.run(self.connection, plan, max_rows)


def random_graph(rng: random.Random) -> PropertyGraph:
    """Draw a small graph whose kinds, types, and keys have names that are easily confused."""
    kinds = rng.sample(_KINDS, rng.randint(1, 4))
    keys = {kind: rng.sample(sorted(_VALUES), rng.randint(0, 6)) for kind in kinds}
    nodes: list[Node] = []
    for kind in (*kinds, *rng.choices(kinds, k=6)):
        own = {key: rng.choice(_VALUES[key]) for key in keys[kind] if rng.random() < 0.8}
        others = {other for other in kinds if rng.random() < 0.1}
        nodes.append(Node(len(nodes), frozenset({kind, *others}) if rng.random() < 0.95 else frozenset(), own))
    links: list[Relationship] = []
    for type_ in rng.sample(_TYPES, rng.randint(0, 4)):
        type_keys = rng.sample(sorted(_VALUES), rng.choice((0, 0, 1, 2)))
        sources, targets = rng.sample(nodes, 3), rng.sample(nodes, 3)
        for _ in range(rng.randint(1, 6)):
            found = {key: rng.choice(_VALUES[key]) for key in type_keys}
            ends = rng.choice(sources).id, rng.choice(targets).id
            links.append(Relationship(len(links), type_, *ends, found))
    return PropertyGraph(tuple(nodes), tuple(links))
