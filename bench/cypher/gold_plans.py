"""Translate published Cypher queries to plans, and run them on both stores.

    python -m bench.cypher.gold_plans DATA NEO4J

DATA is the folder with the dumps and questions of `movies`, `northwind`, and `stackoverflow`. NEO4J is a program that
loads a dump with `NEO4J load HOME DUMP`, and starts and stops a server with `NEO4J start HOME PORT PASSWORD` and
`NEO4J stop HOME`.
"""

import argparse
import asyncio
import json
import lzma
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import median
from typing import Any

from pydantic import SecretStr

from bench.results import Section, head, keep
from graph.cypher.reader import read_cypher
from graph.cypher.unsupported import UnsupportedCypherError
from graph.neo4j.settings import Neo4jSettings
from graph.neo4j.store import Neo4jGraphStore
from graph.plan.algebra import Column, Order, Plan, Project, Slice, Variable
from graph.plan.scope import Scope
from graph.plan.values import NodeRef, RelationshipRef
from graph.sqlite.store import SqliteGraphStore
from graph.store import GraphStore
from ingestion.neo4j_snapshot import import_database
from shared.errors import KGQAError
from shared.paths import graph_file
from tests.support.production_stack import Neo4jServer

_GRAPHS = {"movies": "movies", "northwind": "northwind", "stackoverflow": "stackoverflow2"}
_SECONDS_ALLOWED = 30.0
_MAX_ROWS = 1_000_000
_NOTE = (
    "The gold Cypher of Neo4j's text2cypher questions is read as a plan, and the plan runs on Neo4j and on a graph "
    "file that `kgqa import bolt://...` made from it. A result is right if its rows are the gold rows. Where the gold "
    "query cuts sorted rows off, any of the rows with the same sort keys at the cut are right; where it cuts unsorted "
    "rows off, any rows are. Times include the check and the compilation of the plan. "
    "The list below the table has every query that fails."
)

_MAX_GOLD_ROWS = 5_000
# Queries whose gold result is one of several, with the reason.
_ARBITRARY = {
    "ORDER BY p.born DESC WITH m, collect(r)[0]": "the gold result is arbitrary, because no reviewer has `born`",
    "avg(date().year - d.born)": "the gold result is that of the year in which it was made",
    "WITH q, t ORDER BY q.view_count ASC LIMIT 3": (
        "the gold result is arbitrary, because the tags of one question have the same sort key"
    ),
}

Cell = str
Cells = tuple[Cell, ...]


@dataclass(slots=True)
class Tally:
    """Count the gold queries of a graph, and collect those that fail, with the reason."""

    queries: int = 0
    translated: int = 0
    right: Counter[str] = field(default_factory=Counter)
    failures: dict[str, dict[str, list[str]]] = field(default_factory=dict)
    seconds: dict[str, list[float]] = field(default_factory=lambda: {"SQLite": [], "Neo4j": []})

    def fail(self, query: str, reason: str, store: str = "") -> None:
        """Record that a query failed, on one store or on both."""
        self.failures.setdefault(query, {}).setdefault(reason, []).append(store)

    def remarks(self, graph: str) -> list[str]:
        """List the queries that fail, with the reasons."""
        lines = []
        for query, reasons in self.failures.items():
            for reason, stores in reasons.items():
                where = f"{graph}, {stores[0]}" if len(stores) == 1 and stores[0] else graph
                lines.append(f"{where}: {reason}: `` {' '.join(query.split())} ``")
        return lines

    def column(self) -> dict[str, str]:
        """Return the column of the table."""
        figures = {"queries": f"{self.queries:,}", "translated": _share(self.translated, self.queries)}
        for store, seconds in self.seconds.items():
            figures[f"right on {store}"] = _share(self.right[store], self.queries)
            figures[f"{store}, ms (p50 / p99)"] = (
                f"{1000 * median(seconds):.1f} / {1000 * sorted(seconds)[int(0.99 * len(seconds))]:.1f}"
            )
        return figures


@contextmanager
def neo4j_with(program: str, dump: Path) -> Iterator[Neo4jSettings]:
    """Run a Neo4j that holds a dump."""
    with tempfile.TemporaryDirectory() as folder:
        server = Neo4jServer(program, Path(folder))
        server.run("load", str(dump))
        server.start()
        try:
            yield Neo4jSettings(
                url=server.settings["KGQA_NEO4J_URL"],
                password=SecretStr(server.settings["KGQA_NEO4J_PASSWORD"]),
                seconds_allowed=_SECONDS_ALLOWED,
            )
        finally:
            server.run("stop")


def import_dump(program: str, dump: Path, graph: str, *hidden: str) -> None:
    """Import a dump as a graph of KGQA_HOME, without the properties that are to be hidden."""
    with neo4j_with(program, dump) as settings:
        graph_file(graph).parent.mkdir(parents=True, exist_ok=True)
        import_database(settings.model_copy(update={"hide": ",".join(hidden)}), graph_file(graph))


async def measure(questions: Path, settings: Neo4jSettings, file: Path) -> Tally:
    """Run the gold queries of one graph on both stores."""
    stores: dict[str, GraphStore] = {
        "SQLite": SqliteGraphStore(file, _SECONDS_ALLOWED),
        "Neo4j": Neo4jGraphStore(settings),
    }
    tally = Tally()
    with lzma.open(questions, "rt", encoding="utf-8") as lines:
        for gold in map(json.loads, lines):
            tally.queries += 1
            try:
                plan = read_cypher(gold["cypher"])
            except (UnsupportedCypherError, KGQAError) as error:
                tally.fail(gold["cypher"], f"not translated: {error}")
                continue
            tally.translated += 1
            for name, store in stores.items():
                started = time.perf_counter()
                try:
                    rows = [row_cells(row) for row in (await store.run(plan, _MAX_ROWS)).rows]
                except KGQAError as error:
                    tally.fail(gold["cypher"], f"rejected: {error}", name)
                    continue
                tally.seconds[name].append(time.perf_counter() - started)
                wanted = [row_cells(row) for row in gold["rows"]]
                if await is_right(store, plan, rows, wanted):
                    tally.right[name] += 1
                else:
                    tally.fail(gold["cypher"], _difference(gold["cypher"], rows, wanted), name)
    for store in stores.values():
        await store.close()
    return tally


def _difference(query: str, rows: Sequence[Cells], gold: Sequence[Cells]) -> str:
    """Say why the rows of a query are not the gold rows."""
    if len(gold) == _MAX_GOLD_ROWS and not Counter(gold) - Counter(rows):
        return f"the gold result has only the first {_MAX_GOLD_ROWS:,} of {len(rows):,} rows"
    return next((reason for part, reason in _ARBITRARY.items() if part in " ".join(query.split())), "other rows")


async def is_right(store: GraphStore, plan: Plan, rows: Sequence[Cells], gold: Sequence[Cells]) -> bool:
    """Return whether rows are the gold rows, apart from ties at the last cut of the plan."""
    if Counter(rows) == Counter(gold):
        return True
    cuts = [place for place, step in enumerate(plan.steps) if isinstance(step, Slice)]
    if not cuts or len(rows) != len(gold):
        return False
    keyed = await store.run(_with_sort_keys(plan, cuts[-1]), _MAX_ROWS)
    width = len(keyed.columns) - sum(name.startswith(_KEY) for name in keyed.columns)
    everything = [(row_cells(row[:width]), row_cells(row[width:])) for row in keyed.rows]
    if len(everything) < len(gold):
        return False
    at_cut = everything[len(gold) - 1][1] if gold else ()
    certain = Counter(cells for cells, key in everything[: len(gold)] if key != at_cut)
    tied = Counter(cells for cells, key in everything if key == at_cut)
    rest = Counter(gold) - certain
    return not certain - Counter(gold) and not rest - tied


_KEY = "sort key "


def _with_sort_keys(plan: Plan, cut: int) -> Plan:
    """Return the plan without a cut, and with the keys of the preceding sort as additional columns."""
    before, after = plan.steps[:cut], plan.steps[cut + 1 :]
    keys = before[-1].keys if isinstance(before[-1], Order) else ()
    columns = tuple(Column(f"{_KEY}{number}", key.value) for number, key in enumerate(keys))
    if len(after) == 1 and isinstance(after[0], Project):
        return Plan((*before, replace(after[0], columns=(*after[0].columns, *columns))))
    if after or not columns:
        return Plan((*before, *after))
    kept = (Column(name, Variable(name)) for name in Scope(None).after_all(Plan(before)).variables)
    return Plan((*before, Project((*kept, *columns))))


def row_cells(row: Sequence[Any]) -> Cells:
    """Return a row in a form in which equal rows are equal; see `_cell`."""
    return tuple(map(_cell, row))


def _cell(value: Any) -> Cell:
    """Return a form in which equal cells are equal: gold nodes are names, and lists have no order."""
    match value:
        case NodeRef():
            return _cell(value.name)
        case RelationshipRef():
            return value.type
        case list() | tuple():
            return json.dumps(sorted(map(_cell, value)))
        case bool() | None:
            return json.dumps(value)
        case int() | float():
            return f"{float(value):.10g}"
    text = " ".join(str(value).split())
    try:
        return f"{float(text):.10g}"  # the name of a node may be a number
    except ValueError:
        return text


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f} % ({part:,})"


def main() -> None:
    """Measure all graphs, print the failures, and save the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, metavar="DATA", help="folder with the dumps and the questions")
    parser.add_argument("neo4j", metavar="NEO4J", help="program that loads a dump and runs a Neo4j")
    given = parser.parse_args()
    commit, columns, remarks = head(), {}, []
    for graph, questions in _GRAPHS.items():
        with neo4j_with(given.neo4j, given.data / f"{graph}.dump") as settings, tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / f"{graph}.sqlite"
            import_database(settings, file)
            tally = asyncio.run(measure(given.data / f"{questions}.jsonl.xz", settings, file))
        print(f"{graph}: {tally.column()}", *tally.remarks(graph), sep="\n  ")
        remarks += tally.remarks(graph)
        columns[graph] = tally.column()
    command = "python -m bench.cypher.gold_plans DATA NEO4J"
    title = "Gold queries as plans"
    section = Section(order=28, title=title, note=_NOTE, command=command, columns=columns, commit=commit)
    keep("gold_plans", section.model_copy(update={"remarks": remarks}))


if __name__ == "__main__":
    main()
