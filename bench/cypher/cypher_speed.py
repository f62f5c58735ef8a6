"""Compare compiled plans with hand-written Cypher on Neo4j: `python -m bench.cypher.cypher_speed DATA NEO4J`.

DATA is the folder with the dumps and questions of `movies`, `northwind`, and `stackoverflow`. NEO4J is a program that
loads a dump, and starts and stops a server; see `bench.cypher.gold_plans`.
"""

import argparse
import asyncio
import json
import lzma
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from statistics import median
from typing import Any

import neo4j
from neo4j.exceptions import Neo4jError

from bench.cypher.gold_plans import neo4j_with
from bench.results import Section, head, keep
from graph.cypher.reader import read_cypher
from graph.cypher.unsupported import UnsupportedCypherError
from graph.neo4j.settings import Neo4jSettings
from graph.neo4j.store import Neo4jGraphStore
from shared.errors import KGQAError

_GRAPHS = {"movies": "movies", "northwind": "northwind", "stackoverflow": "stackoverflow2"}
_RUNS, _WARM_UP = 7, 2
_MAX_ROWS = 1_000_000
_SLOW = 3.0
_NOTE = (
    "The gold Cypher of Neo4j's text2cypher questions is read as a plan, which is compiled to Cypher again. Both "
    "queries run with the same driver, in turns, {runs} times each after a warm-up. A ratio is the median time of the "
    "compiled query divided by that of the gold query. Queries that fail or cannot be read are left out."
)

Query = tuple[str, Mapping[str, Any]]


def measure(questions: Path, settings: Neo4jSettings) -> dict[str, str]:
    """Return the column of one graph."""
    ratios, gold_times, compiled_times = [], [], []
    url, auth = settings.checked_url(), ("neo4j", settings.password.get_secret_value())
    with (
        neo4j.GraphDatabase.driver(url, auth=auth, notifications_min_severity="OFF") as driver,
        asyncio.Runner() as runner,
    ):
        store = Neo4jGraphStore(settings)
        for cypher in _gold_queries(questions):
            try:
                result = runner.run(store.run(read_cypher(cypher), _MAX_ROWS))
                gold, compiled = _median_seconds(driver, (cypher, {}), (result.query, result.parameters))
            except (UnsupportedCypherError, KGQAError, Neo4jError):
                continue
            gold_times.append(gold)
            compiled_times.append(compiled)
            ratios.append(compiled / gold)
            if ratios[-1] > _SLOW:
                print(f"{ratios[-1]:.1f} x {1000 * gold:.1f} ms: {cypher!r}\n  {result.query}")
        runner.run(store.close())
    return {
        "queries": f"{len(ratios):,}",
        "gold, ms (p50 / p90)": _shown([1000 * one for one in gold_times]),
        "compiled, ms (p50 / p90)": _shown([1000 * one for one in compiled_times]),
        "ratio (p50 / p90)": _shown(ratios),
        "ratio above 3": f"{sum(ratio > _SLOW for ratio in ratios):,}",
    }


def _gold_queries(questions: Path) -> Iterator[str]:
    with lzma.open(questions, "rt", encoding="utf-8") as lines:
        yield from dict.fromkeys(json.loads(line)["cypher"] for line in lines)


def _median_seconds(driver: neo4j.Driver, *queries: Query) -> list[float]:
    """Return the median time of each query; the queries take turns."""
    seconds: list[list[float]] = [[] for _ in queries]
    for run in range(_WARM_UP + _RUNS):
        for (text, parameters), spent in zip(queries, seconds, strict=True):
            started = time.perf_counter()
            driver.execute_query(neo4j.Query(text), dict(parameters), routing_="r")
            if run >= _WARM_UP:
                spent.append(time.perf_counter() - started)
    return list(map(median, seconds))


def _shown(values: list[float]) -> str:
    ordered = sorted(values)
    return f"{median(ordered):.2f} / {ordered[int(0.9 * len(ordered))]:.2f}"


def main() -> None:
    """Measure all graphs, print the slow queries, and save the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, metavar="DATA", help="folder with the dumps and the questions")
    parser.add_argument("neo4j", metavar="NEO4J", help="program that loads a dump and runs a Neo4j")
    given = parser.parse_args()
    commit, columns = head(), {}
    for graph, questions in _GRAPHS.items():
        with neo4j_with(given.neo4j, given.data / f"{graph}.dump") as settings:
            columns[graph] = measure(given.data / f"{questions}.jsonl.xz", settings)
        print(f"{graph}: {columns[graph]}", flush=True)
    note, command = _NOTE.format(runs=_RUNS), "python -m bench.cypher.cypher_speed DATA NEO4J"
    title = "Compiled plans and hand-written Cypher"
    keep("cypher-speed", Section(order=34, title=title, note=note, command=command, columns=columns, commit=commit))


if __name__ == "__main__":
    main()
