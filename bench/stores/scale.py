"""Measure import, entity linking, and walks on a graph with millions of triples, and walks on a small graph.

python -m bench.stores.scale SMALL.tsv          # prints the figures as JSON; SMALL.tsv contains the small graph
"""

import argparse
import asyncio
import json
import multiprocessing
import random
import resource
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import ParamSpec, TypeVar

from bench.stores.scale_graph import GraphSample, generate_graph, generate_question
from graph.sqlite.store import SqliteGraphStore
from graph.store import Entity, RelationPath, WalkRule
from ingestion.importer import import_files
from language.english.english import english
from services.retriever.linking.linker import EntityLinker
from services.retriever.linking.word_surprisal import WordSurprisal
from shared.text import normalise

TRIPLES = 5_700_000
SEED = 7
_QUESTIONS = 500
_WARM_UP = 100
_TOPICS = 400

Figures = dict[str, float]
_P = ParamSpec("_P")
_T = TypeVar("_T")


def measure(small: Path, folder: Path) -> Figures:
    """Run all measurements, and return the figures.

    Args:
        small: A TSV file with the facts of the small graph.
        folder: The folder to which the graphs are written.
    """
    large = folder / "large.tsv"
    started = time.perf_counter()
    sample = _in_new_process(generate_graph, large, TRIPLES, SEED)
    figures = {"generated, s": round(time.perf_counter() - started, 1)}
    figures |= _in_new_process(measure_import, large, folder / "large.sqlite")
    _in_new_process(measure_import, small, folder / "small.sqlite")
    with small.open(encoding="utf-8") as lines:
        subjects = sorted({line.split("\t")[0] for line in lines})
    figures |= _in_new_process(measure_serving, folder / "large.sqlite", sample)
    return figures | _in_new_process(measure_walks, folder / "small.sqlite", subjects, "small")


def measure_import(source: Path, graph: Path) -> Figures:
    """Measure the import of a graph; call this in a new process, because it reports the peak memory of the process."""
    report = import_files([source], graph)
    used = resource.getrusage(resource.RUSAGE_SELF)
    return {
        "triples": report.triples,
        "entities": report.entities,
        "import, s": round(report.seconds, 1),
        "import, CPU s": round(used.ru_utime + used.ru_stime, 1),
        "import, peak MB": _peak_megabytes(),
        "source, MB": round(source.stat().st_size / 1e6),
        "graph file, MB": round(graph.stat().st_size / 1e6),
    }


def measure_serving(graph: Path, sample: GraphSample) -> Figures:
    """Measure linking and walks; call this in a new process, because it reports the peak memory of the process."""
    figures = asyncio.run(_linking(graph, sample.names))
    figures |= measure_walks(graph, sample.names, "large") | measure_walks(graph, sample.hubs, "hubs")
    return figures | {"serving, peak MB": _peak_megabytes()}


def measure_walks(graph: Path, names: Sequence[str], kind: str) -> Figures:
    """Measure finding and walking the steps one and two hops from random entities, one request at a time."""
    return asyncio.run(_walks(graph, names, kind))


async def _linking(graph: Path, names: Sequence[str]) -> Figures:
    """Measure linking questions about entities in the graph, one question at a time."""
    linker = EntityLinker(store := SqliteGraphStore(graph), WordSurprisal())
    chance = random.Random(SEED)
    seconds: dict[str, list[float]] = {"right": [], "misspelt": [], "lower case": []}
    found = 0
    for number in range(_WARM_UP + _QUESTIONS):
        asked = generate_question(chance.choice(names), chance, number)
        started = time.perf_counter()
        topics = await linker.link(english(asked.question))
        if number >= _WARM_UP:
            seconds[asked.spelling].append(time.perf_counter() - started)
            found += any(normalise(topic.entity.name) == normalise(asked.name) for topic in topics)
    await store.close()
    figures = _milliseconds("link", [one for spent in seconds.values() for one in spent])
    for spelling, spent in seconds.items():
        figures |= _milliseconds(f"link, {spelling}", spent)
    return figures | {"link, found": found / _QUESTIONS}


async def _walks(graph: Path, names: Sequence[str], kind: str) -> Figures:
    store = SqliteGraphStore(graph)
    chance = random.Random(SEED)
    steps: list[float] = []
    walks: list[float] = []
    for _ in range(_TOPICS):
        name = chance.choice(names)
        path: RelationPath = ()
        for _ in range(2):
            started = time.perf_counter()
            [after] = await store.steps_after([(Entity(name, name), path)])
            steps.append(time.perf_counter() - started)
            path = (*path, chance.choice(sorted(after)))
            started = time.perf_counter()
            await store.walk([(Entity(name, name), path)], WalkRule())
            walks.append(time.perf_counter() - started)
    await store.close()
    return _milliseconds(f"steps, {kind}", steps) | _milliseconds(f"walk, {kind}", walks)


def _in_new_process(function: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs) -> _T:
    """Call a function in a new process, so that it can measure its own peak memory."""
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as process:
        return process.submit(function, *args, **kwargs).result()


def _peak_megabytes() -> int:
    return round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6)


def _milliseconds(label: str, seconds: Sequence[float]) -> Figures:
    ranked = sorted(seconds)
    median, high = ranked[len(ranked) // 2], ranked[int(len(ranked) * 0.99)]
    return {f"{label}, p50 ms": round(1000 * median, 2), f"{label}, p99 ms": round(1000 * high, 2)}


def main() -> None:
    """Run all measurements, and print the figures as JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("small", type=Path, help="TSV file with the facts of a small graph, for comparing walks")
    small: Path = parser.parse_args().small
    with tempfile.TemporaryDirectory(prefix="kgqa-scale-") as folder:
        sys.stdout.write(json.dumps(measure(small, Path(folder)), indent=2) + "\n")


if __name__ == "__main__":
    main()
