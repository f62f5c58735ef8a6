"""Run random plans on SQLite, on Neo4j, and with the reference evaluator: `python -m bench.random_plans`.

KGQA_TEST_NEO4J_URL and KGQA_TEST_NEO4J_PASSWORD give the URL and the password of an empty Neo4j server.
"""

import argparse
import asyncio
import os
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import neo4j
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from pydantic import SecretStr

from bench.results import Section, head, keep
from shared.errors import InvalidInputError, KGQAError
from shared.graph.neo4j.settings import Neo4jSettings
from shared.graph.neo4j.store import Neo4jGraphStore
from shared.graph.sqlite.store import SqliteGraphStore
from shared.graph.store import GraphStore
from shared.plan.algebra import Plan
from shared.plan.result import PlanLimitError
from tests.support.plan_results import comparable
from tests.support.property_graphs import GRAPHS, Neo4jCopy, fill_neo4j, write_graph_file
from tests.support.random_plans import random_plans
from tests.support.reference_evaluator import evaluate

_PLANS = 5_000
_MAX_ROWS = 3_000
_SECONDS_ALLOWED = 20
_NOTE = (
    "Random plans on three small graphs: `messy` has missing values, mixed types, and odd names; `shop` keeps numbers "
    "and dates as strings; `films` has clean types. The rows of each store are compared with those of a reference "
    "evaluator, in their order. Plans that the checks reject, or that return more than 3,000 rows, are not compared."
)


@dataclass(frozen=True)
class Stores:
    """Hold one graph in both stores, and the event loop in which they run."""

    copy: Neo4jCopy
    sqlite: SqliteGraphStore
    neo4j: Neo4jGraphStore
    runner: asyncio.Runner

    def rows(self, store: GraphStore, plan: Plan) -> list[tuple[Any, ...]]:
        """Run a plan, and return its rows in a form that all stores share."""
        result = self.runner.run(store.run(plan, _MAX_ROWS))
        return comparable(result.rows, self.copy.node_ids if store is self.neo4j else None)


@contextmanager
def loaded(graph: str, database: Neo4jSettings) -> Iterator[Stores]:
    """Load a graph into both stores, and remove it from Neo4j afterwards."""
    auth = ("neo4j", database.password.get_secret_value())
    with (
        tempfile.TemporaryDirectory() as folder,
        asyncio.Runner() as runner,
        neo4j.GraphDatabase.driver(database.checked_url(), auth=auth) as driver,
    ):
        if driver.execute_query("MATCH (n) RETURN count(n) AS others").records[0]["others"]:
            raise SystemExit("the database has nodes of others; use an empty one")
        try:
            copy = fill_neo4j(GRAPHS[graph](), driver)
            file = Path(folder) / "graph.sqlite"
            write_graph_file(copy.graph, file)
            stores = Stores(copy, SqliteGraphStore(file), Neo4jGraphStore(database), runner)
            yield stores
            runner.run(stores.sqlite.close())
            runner.run(stores.neo4j.close())
        finally:
            driver.execute_query("MATCH (n) DETACH DELETE n")


def compare(stores: Stores, plans: int) -> dict[str, str]:
    """Compare random plans, print those with different rows, and return the column of the graph."""
    schema = stores.runner.run(stores.sqlite.schema())
    counts: Counter[str] = Counter()

    # Generating is enough: a plan with different rows is printed as it is.
    @settings(
        max_examples=plans,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(data=st.data())
    def run(data: st.DataObject) -> None:
        counts[_compared(stores, data.draw(random_plans(stores.copy.graph, schema)))] += 1

    run()
    compared = counts["equal"] + counts["different"]
    return {
        "plans compared": f"{compared:,}",
        "equal three ways": f"{counts['equal']:,}",
        "not compared": f"{counts['']:,}",
    }


def _compared(stores: Stores, plan: Plan) -> str:
    try:
        in_sqlite = stores.rows(stores.sqlite, plan)
    except (InvalidInputError, PlanLimitError):
        return ""
    expected = comparable(evaluate(plan, stores.copy.graph).rows)
    try:
        in_neo4j = stores.rows(stores.neo4j, plan)
    except KGQAError as error:
        print(f"Neo4j fails: {error}\n  {plan}")
        return "different"
    if in_sqlite == expected == in_neo4j:
        return "equal"
    print(f"{plan}\n  SQLite:    {in_sqlite}\n  Neo4j:     {in_neo4j}\n  evaluator: {expected}")
    return "different"


def main() -> None:
    """Compare plans on all graphs, and save the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.parse_args()
    if "KGQA_TEST_NEO4J_URL" not in os.environ:
        raise SystemExit("set KGQA_TEST_NEO4J_URL and KGQA_TEST_NEO4J_PASSWORD for an empty Neo4j database")
    password = SecretStr(os.environ.get("KGQA_TEST_NEO4J_PASSWORD", ""))
    database = Neo4jSettings(url=os.environ["KGQA_TEST_NEO4J_URL"], password=password, seconds_allowed=_SECONDS_ALLOWED)
    commit, columns = head(), {}
    for number, graph in enumerate(GRAPHS):
        share = _PLANS // len(GRAPHS) + (number < _PLANS % len(GRAPHS))
        with loaded(graph, database) as stores:
            columns[graph] = compare(stores, share)
        print(f"{graph}: {columns[graph]}", flush=True)
    title, command = "Random plans on both stores", "python -m bench.random_plans"
    keep("random-plans", Section(order=35, title=title, note=_NOTE, command=command, columns=columns, commit=commit))


if __name__ == "__main__":
    main()
