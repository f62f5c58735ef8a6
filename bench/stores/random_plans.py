"""Run random plans on SQLite, on Neo4j, and with the reference evaluator: `python -m bench.stores.random_plans`.

KGQA_TEST_NEO4J_URL and KGQA_TEST_NEO4J_PASSWORD give the URL and the password of an empty Neo4j server.
"""

import argparse
import os
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import neo4j
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from pydantic import SecretStr

from bench.results import Section, head, keep
from graph.neo4j.settings import Neo4jSettings
from graph.plan.algebra import Plan
from shared.errors import InvalidInputError, KGQAError, PlanLimitError
from tests.support.both_stores import BothStores, both_stores
from tests.support.plan_results import comparable
from tests.support.property_graphs import GRAPHS
from tests.support.random_plans import random_plans
from tests.support.reference_evaluator import evaluate

_PLANS = 5_000
_SECONDS_ALLOWED = 20
_NOTE = (
    "Random plans on three small graphs: `messy` has missing values, mixed types, and odd names; `shop` keeps numbers "
    "and dates as strings; `films` has clean types. The rows of each store are compared with those of a reference "
    "evaluator, in their order. Plans that the checks reject, or that return more than 3,000 rows, are not compared."
)


def loaded_graphs(total: int) -> Iterator[tuple[str, BothStores, int]]:
    """Load one graph after the other into both stores; yield its name, and its share of `total` examples."""
    if "KGQA_TEST_NEO4J_URL" not in os.environ:
        raise SystemExit("set KGQA_TEST_NEO4J_URL and KGQA_TEST_NEO4J_PASSWORD for an empty Neo4j database")
    password = SecretStr(os.environ.get("KGQA_TEST_NEO4J_PASSWORD", ""))
    database = Neo4jSettings(url=os.environ["KGQA_TEST_NEO4J_URL"], password=password, seconds_allowed=_SECONDS_ALLOWED)
    for number, graph in enumerate(GRAPHS):
        with _loaded(graph, database) as stores:
            yield graph, stores, total // len(GRAPHS) + (number < total % len(GRAPHS))


@contextmanager
def _loaded(graph: str, database: Neo4jSettings) -> Iterator[BothStores]:
    """Load a graph into both stores, and remove it from Neo4j afterwards."""
    auth = (database.user, database.password.get_secret_value())
    with neo4j.GraphDatabase.driver(database.checked_url(), auth=auth) as driver:
        if driver.execute_query("MATCH (n) RETURN count(n) AS others").records[0]["others"]:
            raise SystemExit("the database has nodes of others; use an empty one")
    with (
        tempfile.TemporaryDirectory() as folder,
        both_stores(GRAPHS[graph](), Path(folder) / "graph.sqlite", database) as stores,
    ):
        yield stores


def compare(stores: BothStores, plans: int) -> dict[str, str]:
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


def _compared(stores: BothStores, plan: Plan) -> str:
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
    commit, columns = head(), {}
    for graph, stores, share in loaded_graphs(_PLANS):
        columns[graph] = compare(stores, share)
        print(f"{graph}: {columns[graph]}", flush=True)
    title, command = "Random plans on both stores", "python -m bench.stores.random_plans"
    keep("random-plans", Section(order=35, title=title, note=_NOTE, command=command, columns=columns, commit=commit))


if __name__ == "__main__":
    main()
