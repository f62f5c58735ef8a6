"""Time query plans on graph files, operator by operator: `python -m bench.stores.plan_speed METAQA.tsv`.

METAQA.tsv contains MetaQA's triples, as `kgqa convert metaqa` writes them. The large graph is generated.
"""

import argparse
import asyncio
import random
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from bench.results import Section, head, keep
from bench.stores.film_graph import read_triples, write_film_graph
from bench.stores.film_patterns import ACTORS, DIRECTOR, FilmNames
from bench.stores.film_plans import FilmPlans
from bench.stores.scale import SEED, TRIPLES
from bench.stores.scale_graph import generate_graph
from bench.stores.scored_graph import KINDS, SCORE, write_scored_graph
from graph.plan.algebra import (
    Aggregate,
    AggregateFunction,
    Column,
    Comparison,
    Constant,
    Group,
    Match,
    NodePattern,
    Order,
    Plan,
    Project,
    Property,
    Slice,
    SortKey,
)
from graph.sqlite.store import SqliteGraphStore
from ingestion.importer import import_files

_RUNS, _RUNS_ON_LARGE, _WARM_UP = 200, 50, 5
_SECONDS_ALLOWED = 60.0
_MAX_ROWS = 10_000
_NOTE = (
    "Milliseconds, p50 / p99, of {runs} runs with random parameters through `SqliteGraphStore.run`, one at a time, "
    "with check and compilation. `triples`: MetaQA as published, {triples:,} triples. "
    "`property graph`: the same facts, with kinds, typed properties, and a property of each relationship. Filters, and "
    "rows with `all films`, are about all films; in the graph of triples, they are about all entities."
)
_LARGE_NOTE = (
    "{triples:,} generated triples between {entities:,} entities, each with one of {kinds} kinds and a score. "
    "Milliseconds, p50 / p99, of {runs} runs with random kinds, over all entities of the kind."
)

Maker = Callable[[], Plan]


def measure_films(source: Path, folder: Path) -> tuple[dict[str, dict[str, str]], int]:
    """Time all operators on both forms of MetaQA; return the columns of the table, and the number of triples."""
    triples = read_triples(source)
    import_files([source], folder / "triples.sqlite")
    write_film_graph(triples, folder / "films.sqlite")
    people = {object_ for _, relation, object_ in triples if relation in {ACTORS, DIRECTOR}}
    names = FilmNames(sorted({subject for subject, _, _ in triples}), sorted(people))
    columns = {}
    for label, file, has_kinds in (("triples", "triples", False), ("property graph", "films", True)):
        plans = FilmPlans(names, has_kinds, random.Random(SEED))
        columns[label] = asyncio.run(_times(folder / f"{file}.sqlite", plans.operators(), _RUNS))
    return columns, len(triples)


def measure_large(folder: Path) -> tuple[dict[str, dict[str, str]], int]:
    """Time plans over all entities of a kind; return the columns of the table, and the number of entities."""
    generate_graph(folder / "large.tsv", TRIPLES, SEED)
    entities = write_scored_graph(folder / "large.tsv", folder / "large.sqlite", SEED)
    times = asyncio.run(_times(folder / "large.sqlite", _large_plans(random.Random(SEED)), _RUNS_ON_LARGE))
    return {"large graph": times}, entities


async def _times(file: Path, makers: dict[str, Maker], runs: int) -> dict[str, str]:
    store = SqliteGraphStore(file, _SECONDS_ALLOWED)
    try:
        return {label: await _time(store, make, runs) for label, make in makers.items()}
    finally:
        await store.close()


async def _time(store: SqliteGraphStore, make: Maker, runs: int) -> str:
    seconds = []
    for run in range(_WARM_UP + runs):
        plan = make()
        started = time.perf_counter()
        await store.run(plan, _MAX_ROWS)
        if run >= _WARM_UP:
            seconds.append(time.perf_counter() - started)
    seconds.sort()
    return f"{1000 * seconds[runs // 2]:.2f} / {1000 * seconds[int(0.99 * runs)]:.2f}"


def _large_plans(rng: random.Random) -> dict[str, Maker]:
    score = Property("x", SCORE)

    def of_kind(where: Comparison | None = None) -> Match:
        return Match((NodePattern("x", (rng.choice(KINDS),)),), where=where)

    def top(**order: bool) -> Plan:
        columns = Column("name", Property("x", "name")), Column("score", score)
        return Plan((of_kind(), Order((SortKey(score, **order),)), Slice(rng.randint(1, 20)), Project(columns)))

    def total(function: AggregateFunction, where: Comparison | None = None) -> Plan:
        return Plan((of_kind(where), Group((), (Aggregate("n", function, score),))))

    return {
        "top, highest first": lambda: top(descending=True),
        "top, lowest first": lambda: top(),
        "maximum": lambda: total(AggregateFunction.MAX),
        "count above a score": lambda: total(AggregateFunction.COUNT, Comparison(">", score, Constant(rng.random()))),
        "average": lambda: total(AggregateFunction.AVERAGE),
    }


def main() -> None:
    """Measure both graphs, and save the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", type=Path, metavar="METAQA.tsv", help="TSV file with MetaQA's triples")
    source: Path = parser.parse_args().source
    commit, command = head(), "python -m bench.stores.plan_speed METAQA.tsv"
    with tempfile.TemporaryDirectory(prefix="kgqa-bench-") as name:
        films, triples = measure_films(source, Path(name))
        large, entities = measure_large(Path(name))
    note = _NOTE.format(runs=_RUNS, triples=triples)
    title = "Plans on SQLite: time of each operator"
    keep("plans", Section(order=32, title=title, note=note, command=command, columns=films, commit=commit))
    note = _LARGE_NOTE.format(triples=TRIPLES, entities=entities, kinds=len(KINDS), runs=_RUNS_ON_LARGE)
    title = "Plans on SQLite: a large graph"
    keep("plans-large", Section(order=33, title=title, note=note, command=command, columns=large, commit=commit))


if __name__ == "__main__":
    main()
