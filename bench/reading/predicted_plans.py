"""Measure plans predicted for people's questions.

    python -m bench.reading.predicted_plans DATA NEO4J SCORER [--only PART...]

DATA is the folder of the data sets, with `property_graphs` and `metaqa`. NEO4J is a program that loads a dump with
`NEO4J load HOME DUMP`, and starts and stops a server with `NEO4J start HOME PORT PASSWORD` and `NEO4J stop HOME`.
SCORER scores a running service on gold results with `SCORER GOLD URL --out FILE`. The parts are:

gold            the questions of text2cypher over Movies, Northwind, and StackOverflow, without training
trained         the same after `kgqa train retriever` from the graph alone
demo            questions with conditions over the demo graph
company         everyday questions over the graph of an invented company, without training, from the graph alone, and
                with 150 questions
metaqa          generated questions in held-out wordings over the graph of MetaQA
unanswerable    questions of `gold` about properties that are hidden
mixed           the confidence over the questions of all parts, with 20 % unanswerable ones
speed           milliseconds from question to plan, and requests per second
"""

import argparse
import asyncio
import json
import lzma
import os
import random
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import Any

from pydantic import BaseModel

from bench.cypher.gold_plans import import_dump
from bench.reading.asking import ask, generated_questions, time_questions
from bench.reading.figures import share
from bench.reading.judged_replies import Measured, remember, remembered
from bench.results import ROOT, Section, head, keep
from bench.serving.load import put_load
from evaluation.confidence_metrics import Judged
from evaluation.metrics import percentile
from question_sets.records import QuestionRecord, read_questions
from services.launcher import server_process, wait_until_ready
from shared.paths import graph_file
from shared.processes import free_port
from tests.support.command_line import WORLD, run_kgqa

GRAPHS = {"movies": "movies", "northwind": "northwind", "stackoverflow": "stackoverflow2"}
_HIDDEN = {
    "movies": ("Movie.released", "Person.born", "Movie.tagline"),
    "northwind": ("Product.unitPrice", "Order.orderDate", "Customer.country"),
    "stackoverflow": ("Question.view_count", "Question.title", "User.display_name"),
}
"""Properties that questions need; without them, the graph cannot answer these questions."""
_COMPANY, _DEMO = ROOT / "bench" / "questions" / "company", ROOT / "bench" / "questions" / "demo_conditions"
_SEED = 1
_MIXED_PER_SET = 200
_UNANSWERABLE_SHARE = 0.2
_PER_HIDDEN = 20
_NOTE = (
    "A reply is right if its answer set, or a column of its table, is the gold result. Intervals of 95 % over the "
    "questions are in parentheses. "
)
_MODELS = {
    "demo": "The packaged base model learnt from made-up questions about this graph too, and has seen none of these.",
}
_BASE_MODEL = (
    "The packaged base model has not seen these graphs. It has read other graphs of two of their domains, films "
    "(`recommendations`, `neoflix`) and a site of questions (`buzzoverflow`), and among their questions nearly the "
    "words of 16 questions about Movies and of 8 about StackOverflow. Later training leaves these out."
)


class _Reply(BaseModel, extra="ignore"):
    """Hold one line of the scorer's output."""

    question: str
    hit: bool
    got: list[Any]
    confidence: float | None
    cypher: str

    @property
    def follows_two(self) -> bool:
        """Return whether the gold query follows two relationships."""
        return self.cypher.count("]-") >= 2


class Bench:
    """Measure one part after another in one KGQA_HOME."""

    def __init__(self, home: Path, data: Path, neo4j: str, scorer: str) -> None:
        self._home = home
        self._data = data
        self._neo4j = neo4j
        self._scorer = scorer
        self._none = home / "models" / "none"

    def gold(self) -> dict[str, dict[str, str]]:
        """Score the base model on the gold questions."""
        return {graph: self._scored(graph, graph, self._none).column() for graph in self._databases()}

    def trained(self) -> dict[str, dict[str, str]]:
        """Train on each graph alone, and score the gold questions."""
        columns = {}
        for graph in self._databases():
            model, seconds = self._train(graph, graph)
            columns[graph] = {**self._scored(f"{graph}, trained", graph, model).column(), "training, s": seconds}
        return columns

    def demo(self) -> dict[str, dict[str, str]]:
        """Ask the demo's questions with conditions."""
        self._import("world", WORLD / "graph.tsv.xz")
        records = read_questions(_DEMO / "questions.jsonl")
        measured = self._asked("demo", "world", WORLD / "retriever", records)
        kinds = sorted({one.kind or "" for one in records})
        by_kind = {
            f"right: {kind}": share(
                [
                    float(judged.is_right)
                    for one, judged in zip(records, measured.judged, strict=True)
                    if one.kind == kind
                ]
            )
            for kind in kinds
        }
        self._asked(
            "demo, unanswerable", "world", WORLD / "retriever",
            read_questions(WORLD / "questions" / "unanswerable-test.jsonl"),
        )  # fmt: skip
        return {"demo": {**measured.column(), **by_kind}}

    def company(self) -> dict[str, dict[str, str]]:
        """Ask the company's questions without training, and after training on the graph, or with 150 questions, too."""
        self._import("company", _COMPANY / "graph.tsv")
        records = read_questions(_COMPANY / "questions.jsonl")
        columns = {"no training": self._asked("company", "company", self._none, records).column()}
        unanswerable = read_questions(_COMPANY / "unanswerable.jsonl")
        self._asked("company, unanswerable", "company", self._none, unanswerable)
        model, seconds = self._train("company", "company-alone")
        measured = self._asked("company, trained", "company", model, records)
        columns["from the graph alone"] = {**measured.column(), "training, s": seconds}
        for seed in (1, 2):
            words = ("--questions", str(_COMPANY / "train.jsonl"), "--seed", str(seed))
            model, seconds = self._train("company", f"company-{seed}", *words)
            measured = self._asked(f"company, seed {seed}", "company", model, records)
            columns[f"150 questions, seed {seed}"] = {**measured.column(), "training, s": seconds}
        return columns

    def metaqa(self) -> dict[str, dict[str, str]]:
        """Ask generated questions in held-out wordings over MetaQA, without training and after it."""
        out = self._home / "metaqa"
        run_kgqa(self._home, "convert", "metaqa", str(self._data / "metaqa"), "--out", str(out))
        self._import("metaqa", next(out.glob("*.tsv")))
        records = asyncio.run(generated_questions("metaqa"))
        columns = {"no training": self._asked("metaqa", "metaqa", self._none, records).column()}
        model, seconds = self._train("metaqa", "metaqa")
        measured = self._asked("metaqa, trained", "metaqa", model, records)
        return {**columns, "from the graph alone": {**measured.column(), "training, s": seconds}}

    def unanswerable(self) -> dict[str, dict[str, str]]:
        """Ask gold questions about graphs whose properties are hidden."""
        columns = {}
        for graph, hidden in _HIDDEN.items():
            whole = Measured()
            for key in hidden:
                self._snapshot(graph, f"{graph}-without", key)
                asked = [one["question"] for one in self._gold(graph) if f".{key.split('.')[1]}" in one["cypher"]]
                chosen = random.Random(_SEED).sample(asked, min(_PER_HIDDEN, len(asked)))
                records = [QuestionRecord(question=one, path=(), answers=()) for one in chosen]
                found = asyncio.run(ask(f"{graph}-without", self._none, records))
                whole.judged += found.judged
                whole.silent += found.silent
            remember(f"{graph}, unanswerable", whole.judged)
            columns[graph] = whole.column()
        return columns

    def mixed(self) -> dict[str, dict[str, str]]:
        """Judge the confidence over all sets that were measured, with a fifth of unanswerable questions."""
        sets: dict[str, list[Judged]] = remembered()
        rng = random.Random(_SEED)
        names = [*GRAPHS, "demo", "company, seed 1", "metaqa, trained"]
        answerable = [
            judged
            for name in names
            if name in sets
            for judged in rng.sample(sets[name], min(_MIXED_PER_SET, len(sets[name])))
        ]
        others = [one for name, judged in sorted(sets.items()) if "unanswerable" in name for one in judged]
        wanted = round(len(answerable) * _UNANSWERABLE_SHARE / (1 - _UNANSWERABLE_SHARE))
        chosen = rng.sample(others, min(wanted, len(others)))
        return {f"{len(chosen)} of them unanswerable": Measured([*answerable, *chosen]).column()}

    def speed(self) -> dict[str, dict[str, str]]:
        """Time plans in this process, and put load on a served retriever."""
        columns = {}
        for graph in self._databases():
            asked = [one["question"] for one in self._gold(graph)]
            took = asyncio.run(time_questions(graph, self._none, random.Random(_SEED).sample(asked, 150)))
            with self._served(graph, self._none) as url:
                load = asyncio.run(put_load(url, [json.dumps({"question": one}).encode() for one in asked], 8))
            columns[graph] = {
                "question to plan and result, ms (p50)": f"{1000 * median(took):.1f}",
                "question to plan and result, ms (p99)": f"{1000 * percentile(took, 0.99):.1f}",
                "requests per second, 8 clients": f"{load.per_second:.0f}",
            }
        return columns

    def _databases(self) -> Iterator[str]:
        for graph in GRAPHS:
            if not graph_file(graph).exists():
                self._snapshot(graph, graph)
            yield graph

    def _snapshot(self, graph: str, name: str, *hidden: str) -> None:
        """Import a published dump, without some properties."""
        import_dump(self._neo4j, self._data / "property_graphs" / f"{graph}.dump", name, *hidden)

    def _import(self, name: str, file: Path) -> None:
        if not graph_file(name).exists():
            run_kgqa(self._home, "import", str(file), "--graph", name)

    def _train(self, graph: str, name: str, *words: str) -> tuple[Path, str]:
        model = self._home / "models" / name
        seconds = run_kgqa(self._home, "train", "retriever", "--graph", graph, "--out", str(model), "--force", *words)
        return model, f"{seconds:.0f}"

    def _gold(self, graph: str) -> list[dict[str, Any]]:
        with lzma.open(self._gold_file(graph), "rt", encoding="utf-8") as lines:
            return [json.loads(line) for line in lines]

    def _gold_file(self, graph: str) -> Path:
        return self._data / "property_graphs" / f"{GRAPHS[graph]}.jsonl.xz"

    def _scored(self, name: str, graph: str, model: Path) -> Measured:
        """Score a served retriever with the scorer."""
        out = self._home / "scored.jsonl"
        with self._served(graph, model) as url:
            command = [sys.executable, self._scorer, str(self._gold_file(graph)), url, "--out", str(out)]
            subprocess.run(command, check=True)
        replies = [_Reply.model_validate_json(line) for line in out.read_text(encoding="utf-8").splitlines()]
        judged = [Judged(confidence=one.confidence or 0.0, is_right=one.hit) for one in replies]
        remember(name, judged)
        return Measured(judged, sum(not one.got for one in replies), [one.follows_two for one in replies])

    def _asked(self, name: str, graph: str, model: Path, records: Sequence[QuestionRecord]) -> Measured:
        measured = asyncio.run(ask(graph, model, records))
        remember(name, measured.judged)
        return measured

    @contextmanager
    def _served(self, graph: str, model: Path) -> Iterator[str]:
        """Serve a graph, and yield the URL to ask."""
        port = free_port()
        settings = {"GRAPH": graph, "MODEL": str(model), "PORT": str(port)}
        environment = {**os.environ, **{f"KGQA_RETRIEVER_{key}": value for key, value in settings.items()}}
        with server_process(
            "retriever", "services.retriever", environment=environment, log=Path(os.devnull)
        ) as service:
            wait_until_ready(f"http://127.0.0.1:{port}/readyz", [service])
            yield f"http://127.0.0.1:{port}/retrieve"


_TITLES = {
    "gold": "Predicted plans: people's questions, no training",
    "trained": "Predicted plans: the same after training from the graph alone",
    "demo": "Predicted plans: the demo graph, questions with conditions",
    "company": "Predicted plans: a company's graph",
    "metaqa": "Predicted plans: MetaQA, held-out wordings",
    "unanswerable": "Predicted plans: gold questions about hidden properties",
    "mixed": "Predicted plans: one confidence over all sets",
    "speed": "Predicted plans: speed",
}


def main() -> None:
    """Measure the parts in order, and save their figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, metavar="DATA", help="folder of the data sets")
    parser.add_argument("neo4j", metavar="NEO4J", help="program that loads a dump and runs a Neo4j")
    parser.add_argument("scorer", metavar="SCORER", help="program that scores a running service")
    parser.add_argument("--only", nargs="+", choices=_TITLES, default=list(_TITLES), help="parts to measure")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="kgqa-bench-") as home:
        os.environ["KGQA_HOME"] = home
        bench = Bench(Path(home), given.data, given.neo4j, given.scorer)
        for order, part in enumerate(_TITLES, 40):
            if part in given.only:
                commit, measure = head(), getattr(bench, part)
                columns = measure()
                command = f"python -m bench.reading.predicted_plans DATA NEO4J SCORER --only {part}"
                section = Section(
                    order=order,
                    title=_TITLES[part],
                    note=_NOTE + _MODELS.get(part, _BASE_MODEL),
                    command=command,
                    columns=columns,
                )
                keep(f"predicted-{part}", section.model_copy(update={"commit": commit}))
                print(part, json.dumps(columns, indent=1), flush=True)


if __name__ == "__main__":
    main()
