"""Run random Cypher queries on Neo4j, and their plans on both stores: `python -m bench.cypher.random_cypher`.

KGQA_TEST_NEO4J_URL and KGQA_TEST_NEO4J_PASSWORD give the URL and the password of an empty Neo4j server.
"""

import argparse
import re
from collections import Counter

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from bench.results import Section, head, keep
from bench.stores.random_plans import loaded_graphs
from tests.support.both_stores import BothStores
from tests.support.cypher_agreement import Outcome, compare
from tests.support.random_cypher import random_cypher
from tests.support.seeds import SEED

_QUERIES = 5_000
_REASONS_SHOWN = 5
_NOTE = (
    "Random Cypher queries over the grammar that question files may use, on the three graphs of the random plans. Each "
    "query runs on Neo4j as it is, and as the plan that the reader makes of it, on a graph file and on Neo4j. Rows are "
    "compared as a multiset, or in order where the query sorts by all columns. `refused`: by the reader, or by the "
    "checks of plans. `fails on Neo4j`: the query itself, such as for a sum of strings, or a limit of plans."
)


def measure(stores: BothStores, queries: int) -> tuple[dict[str, str], list[str]]:
    """Compare random queries, print those with different rows, and return the column of the graph, and the refusals."""
    schema = stores.runner.run(stores.sqlite.schema())
    counts: Counter[Outcome] = Counter()
    refused: Counter[str] = Counter()

    # Generating is enough: a query with different rows is printed as it is.
    @seed(SEED)
    @settings(
        max_examples=queries,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(data=st.data())
    def run(data: st.DataObject) -> None:
        found = compare(data.draw(random_cypher(stores.copy.graph, schema)), stores)
        counts[found.outcome] += 1
        if found.outcome is Outcome.DIFFERENT:
            print(found.detail, flush=True)
        elif found.outcome is Outcome.REFUSED:
            refused[re.sub(r"^[a-z]+\.[\w.]*: |'[^']*'", "", found.detail).strip()] += 1

    run()
    compared = counts[Outcome.EQUAL] + counts[Outcome.DIFFERENT]
    column = {
        "queries compared": f"{compared:,}",
        "equal three ways": f"{counts[Outcome.EQUAL]:,}",
        "refused": f"{counts[Outcome.REFUSED] / max(1, counts.total()):.1%}",
        "fails on Neo4j": f"{counts[Outcome.FAILED] / max(1, counts.total()):.1%}",
    }
    return column, [f"{reason} ({count})" for reason, count in refused.most_common(_REASONS_SHOWN)]


def main() -> None:
    """Compare queries on all graphs, and save the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.parse_args()
    commit, columns, remarks = head(), {}, []
    for graph, stores, share in loaded_graphs(_QUERIES):
        columns[graph], refused = measure(stores, share)
        remarks += [f"{graph}: refused: {reason}" for reason in refused]
        print(f"{graph}: {columns[graph]}", flush=True)
    keep(
        "random-cypher",
        Section(
            order=36,
            title="Random Cypher queries as plans",
            note=_NOTE,
            command="python -m bench.cypher.random_cypher",
            columns=columns,
            commit=commit,
            remarks=remarks,
        ),
    )


if __name__ == "__main__":
    main()
