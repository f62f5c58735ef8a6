"""Measure the rewriter and the answerer on MetaQA's 2-hop questions, adapters trained here included.

python -m bench.models DATA --home DIR                  # all of it, some hours on two cores; goes on where it stopped
python -m bench.models DATA --home DIR --only unknown   # one part; the page keeps the others' last figures

DATA holds the folder metaqa as it was published; DIR keeps what is trained, for as long as it is there.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median

import httpx

from bench.command import kgqa, report
from bench.harmful import harmful_texts, write_harmful
from bench.removed import write_without
from bench.results import ROOT, Section, head, keep
from evaluation.format_errors import Loss
from evaluation.formats import sampled
from evaluation.formats_report import COST_HEAD, HITS_HEAD, FormsReport, cost_rows, hits_rows
from evaluation.metrics import percentile
from question_sets.records import read_questions

_GRAPH = "metaqa"
_FORMS = "none,triples,template,yaml,text"
_SAMPLE, _OFF_THE_SHELF, _UNKNOWN, _ASKED = 2000, 200, 200, 100
_ORDER = 20


class Home:
    """The folder with the graph, the models and the files of questions; what is missing is made."""

    def __init__(self, folder: Path, data: Path) -> None:
        self.commit = head()
        self.folder = folder
        self.metaqa = folder / "metaqa"
        self.models = folder / "models" / _GRAPH
        self.train, self.test = self.metaqa / "2-hop-dev.jsonl", self.metaqa / "2-hop-test.jsonl"
        if not self.test.is_file():
            kgqa(folder, "convert", "metaqa", str(data / "metaqa"), "--out", str(self.metaqa))
        if not (folder / "graphs" / f"{_GRAPH}.sqlite").is_file():
            kgqa(folder, "import", str(self.metaqa / "graph.tsv"), "--graph", _GRAPH)
        self._trained("retriever", "manifest.json")
        self._trained("answerer", "training.json")

    def errors(self, size: int) -> Path:
        """Where the comparison of so many questions keeps what went wrong."""
        return self.folder / f"formats-{size}.errors.jsonl"

    def _trained(self, part: str, mark: str) -> None:
        if not (self.models / part / mark).is_file():
            kgqa(self.folder, "train", part, "--graph", _GRAPH, "--questions", str(self.train))


def measure_training(home: Home) -> None:
    """How the answerer's adapter was trained, as its record tells."""
    record = json.loads((home.models / "answerer" / "training.json").read_text(encoding="utf-8"))
    columns = {
        "answerer": {
            "preset": record["preset"],
            "pairs": str(record["pairs"]),
            "held-out loss, nats a token": str(record["loss"]),
            "training, s": f"{record['seconds']:.0f}",
        }
    }
    note = (
        "SmolLM2-135M: the answerer's adapter goes on from the project's own with MetaQA's graph, its 2-hop dev "
        "questions and invented graphs; the rewriter's is the one that comes with the project, which never saw MetaQA."
    )
    _keep(home, "training", "adapters", 0, note, columns)


def measure_formats(home: Home) -> None:
    """RRA's tables 2 and 3: the QA model's text from each form of knowledge."""
    columns = {}
    for forms, size in ((_FORMS, _SAMPLE), (f"{_FORMS},off-the-shelf", _OFF_THE_SHELF)):
        file = home.folder / f"formats-{size}.json"
        words = ("evaluate", "--graph", _GRAPH, "--questions", str(home.test), "--report", str(file))
        errors = home.errors(size)
        kgqa(home.folder, *words, "--formats", forms, "--sample", str(size), "--seed", "0", "--errors", str(errors))
        figures = FormsReport.model_validate_json(file.read_text(encoding="utf-8"))
        for hits, cost in zip(hits_rows(figures), cost_rows(figures), strict=True):
            if size == _SAMPLE or hits[0] == "off-the-shelf":
                measures = (*HITS_HEAD[1:], *COST_HEAD[1:])
                columns[hits[0]] = dict(zip(measures, (*hits[1:], *cost[1:]), strict=True))
    note = (
        "MetaQA 2-hop test, drawn by seed 0; topic given, hops predicted. `hit@1`: a gold answer occurs in the QA "
        "model's text, as whole words. `vs none`, `vs triples`: questions that the form answers and the other does not "
        "(helpful, +), and the reverse (harmful, -). `by template`: texts that were not faithful to their facts; "
        "`covered`: texts given that name every entity of their facts. "
        "`off-the-shelf`: text by the base model, without adapter and unchecked. Every harmful text is shown in "
        "[harmful.md](harmful.md). Times are of two comparisons side by side on two cores; of one alone they are under "
        "*time of each step*."
    )
    _keep(home, "formats", "forms of knowledge", 1, note, columns)


def measure_unknown(home: Home) -> None:
    """Questions whose facts were taken from the graph."""
    records = [record for _, record in sampled(read_questions(home.test), _UNKNOWN, 0)]
    facts, unknown = write_without(home.metaqa / "graph.tsv", records, home.folder)
    kgqa(home.folder, "import", str(facts), "--graph", "without")
    words = ("--graph", "without", "--retriever", str(home.models / "retriever"), "--questions", str(unknown))
    columns = {}
    for topic in ("given", "linked"):
        figures = report(home.folder, *words, "--topic", topic, "--no-answerer")
        share = 100 * figures.abstained_rightly / figures.questions
        columns[f"topic {topic}"] = {"questions": str(figures.questions), "abstained, %": f"{share:.1f}"}
    note = "200 test questions, drawn by seed 0; the last facts of their paths are taken from the graph."
    _keep(home, "unknown", "what the graph does not know", 2, note, columns)


def explain_harmful(home: Home) -> None:
    """The page of questions that text loses and triples do not, with what `/ask` answers to them."""
    lines = home.errors(_SAMPLE).read_text(encoding="utf-8").split("\n")[:-1]
    harmful = harmful_texts([Loss.model_validate_json(line) for line in lines])
    with _served(home) as url, httpx.Client(base_url=url, timeout=60, trust_env=False) as client:
        replies = [client.post("/ask", json={"question": loss.question}).raise_for_status() for loss in harmful]
    served = {loss.question: reply.json()["answer"] for loss, reply in zip(harmful, replies, strict=True)}
    write_harmful(harmful, served, ROOT / "docs" / "harmful.md")


def measure_ask(home: Home) -> None:
    """The time of each step of `POST /ask`, with an empty cache and again with a full one."""
    records = [record for _, record in sampled(read_questions(home.test), _ASKED, 0)]
    with _served(home) as url:
        columns = {cache: _asked(url, [r.question for r in records]) for cache in ("empty cache", "full cache")}
    note = "100 questions of MetaQA 2-hop test, drawn by seed 0, one at a time over HTTP; `text`, topic linked."
    _keep(home, "ask", "time of each step", 3, note, columns)


@contextmanager
def _served(home: Home) -> Iterator[str]:
    """The answerer's URL, for as long as `kgqa up` runs."""
    environment = {**os.environ, "KGQA_HOME": str(home.folder)}
    command = [sys.executable, "-u", "-m", "kgqa", "up", "--graph", _GRAPH]
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            said = process.stdout.readline()
            if "POST " not in said:
                raise SystemExit("kgqa up did not start: see what it said above")
            yield said.split("POST ")[1].split("/ask")[0]
        finally:
            process.terminate()
            process.stdout.read()


def _asked(url: str, questions: list[str]) -> dict[str, str]:
    taken: dict[str, list[float]] = {}
    with httpx.Client(base_url=url, timeout=60, trust_env=False) as client:
        for question in questions:
            started = time.perf_counter()
            reply = client.post("/ask", json={"question": question})
            taken.setdefault("whole request", []).append((time.perf_counter() - started) * 1000)
            for step, milliseconds in reply.raise_for_status().json()["timings_ms"].items():
                taken.setdefault(step, []).append(milliseconds)
    return {f"{step}, ms (p50, p99)": f"{median(ms):.1f}, {percentile(ms, 0.99):.1f}" for step, ms in taken.items()}


def _keep(home: Home, part: str, title: str, order: int, note: str, columns: dict[str, dict[str, str]]) -> None:
    keep(
        f"models-{part}",
        Section(
            order=_ORDER + order,
            title=f"Models: {title}",
            note=note,
            command=f"python -m bench.models DATA --home DIR --only {part}",
            columns=columns,
            commit=home.commit,
        ),
    )


PARTS: dict[str, Callable[[Home], None]] = {
    "training": measure_training,
    "formats": measure_formats,
    "harmful": explain_harmful,
    "unknown": measure_unknown,
    "ask": measure_ask,
}


def main() -> None:
    """Measure some parts, or all."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--home", type=Path, required=True)
    parser.add_argument("--only", choices=PARTS)
    arguments = parser.parse_args()
    home = Home(arguments.home.resolve(), arguments.data)
    for part in [arguments.only] if arguments.only else list(PARTS):
        print(f"== {part}", flush=True)
        PARTS[part](home)


if __name__ == "__main__":
    main()
