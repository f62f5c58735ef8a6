"""Load one graph into a graph file and into Neo4j."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from neo4j import Driver, GraphDatabase

from graph.neo4j.settings import Neo4jSettings
from graph.neo4j.store import Neo4jGraphStore
from graph.plan.algebra import Plan
from graph.sqlite.store import SqliteGraphStore
from graph.store import GraphStore
from tests.support.plan_results import comparable
from tests.support.property_graphs import Neo4jCopy, fill_neo4j, write_graph_file
from tests.support.reference_evaluator import PropertyGraph

MAX_ROWS = 3_000


@dataclass(frozen=True)
class BothStores:
    """Hold one graph in both stores, a driver of the database, and the event loop in which the stores run."""

    copy: Neo4jCopy
    sqlite: SqliteGraphStore
    neo4j: Neo4jGraphStore
    driver: Driver
    runner: asyncio.Runner

    def rows(self, store: GraphStore, plan: Plan) -> list[tuple[Any, ...]]:
        """Run a plan, and return its rows in a form that all stores share."""
        result = self.runner.run(store.run(plan, MAX_ROWS))
        return comparable(result.rows, self.copy.node_ids if store is self.neo4j else None)


@contextmanager
def both_stores(graph: PropertyGraph, file: Path, database: Neo4jSettings) -> Iterator[BothStores]:
    """Write a graph to a file and to an empty database, and remove all nodes from the database afterwards."""
    auth = (database.user, database.password.get_secret_value())
    with asyncio.Runner() as runner, GraphDatabase.driver(database.checked_url(), auth=auth) as driver:
        try:
            copy = fill_neo4j(graph, driver)
            write_graph_file(copy.graph, file)
            stores = BothStores(copy, SqliteGraphStore(file), Neo4jGraphStore(database), driver, runner)
            yield stores
            runner.run(stores.sqlite.close())
            runner.run(stores.neo4j.close())
        finally:
            driver.execute_query("MATCH (n) DETACH DELETE n")
