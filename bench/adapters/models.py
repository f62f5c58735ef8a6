"""Measure the rewriter and the answerer on MetaQA's 2-hop questions, and train the models that this requires.

python -m bench.adapters.models DATA --home DIR                  # everything; hours on two cores; resumes if repeated
python -m bench.adapters.models DATA --home DIR --only unknown   # one part; the other figures stay on the page

DATA contains the folder `metaqa` as published. DIR stores the graph, the questions, and the trained models.
"""

import argparse
import json
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

import httpx

from bench.adapters.harmful import harmful_texts, write_harmful
from bench.command import evaluate
from bench.results import ROOT, Section, head, keep
from evaluation.error_analysis import FormatError
from evaluation.metrics import percentile
from evaluation.report import FormatsReport
from question_sets.records import draw_sample, read_questions
from question_sets.unanswerable_graph import write_unanswerable_graph
from tests.support.command_line import kgqa_up, run_kgqa

_GRAPH = "metaqa"
_FORMATS = "none,triples,template,yaml,text"
_SAMPLE, _OFF_THE_SHELF, _UNKNOWN, _ASKED = 2000, 200, 200, 100
_ORDER = 21
_TRAINING_NOTE = (
    "SmolLM2-135M. The answerer's adapter is the project's own, trained further on MetaQA's graph, its 2-hop dev "
    "questions, and generated graphs. The rewriter's adapter is the project's own, which was not trained on MetaQA."
)
_FORMATS_NOTE = (
    "A sample of the MetaQA 2-hop test questions, drawn with seed 0; topics given, hops predicted. `hit@1`: the QA "
    "model's text contains a gold answer as whole words. `vs none`, `vs triples`: questions that are answered with "
    "this format but not with the other one (helpful, +), and the reverse (harmful, -). `by template`: texts that were "
    "unfaithful to their facts, so that a template replaced them; `covered`: texts that name every entity of their "
    "facts. `off-the-shelf`: unchecked text from the base model without an adapter. [harmful.md](harmful.md) lists "
    "every harmful text. The times come from two comparisons that ran side by side on two cores; *time of each step* "
    "has the times of one that ran alone."
)
_UNKNOWN_NOTE = "200 test questions, drawn with seed 0; the last facts of their paths were removed from the graph."
_ASK_NOTE = "100 MetaQA 2-hop test questions, drawn with seed 0, sent one at a time over HTTP; `text`, topics linked."


class ModelsHome:
    """Prepare a KGQA_HOME with MetaQA's graph, questions, and models; reuse existing files."""

    def __init__(self, folder: Path, data: Path) -> None:
        self.commit = head()
        self.folder = folder
        self.metaqa = folder / "metaqa"
        self.models = folder / "models" / _GRAPH
        self.train, self.test = self.metaqa / "2-hop-dev.jsonl", self.metaqa / "2-hop-test.jsonl"
        if not self.test.is_file():
            run_kgqa(folder, "convert", "metaqa", str(data / "metaqa"), "--out", str(self.metaqa))
        if not (folder / "graphs" / f"{_GRAPH}.sqlite").is_file():
            run_kgqa(folder, "import", str(self.metaqa / "graph.tsv"), "--graph", _GRAPH)
        self._train("retriever", "manifest.json", "--force")
        self._train("answerer", "training.json")

    def format_errors(self, size: int) -> Path:
        """Return the path of the errors file for the format comparison on a sample of this size."""
        return self.folder / f"formats-{size}.errors.jsonl"

    def _train(self, part: str, result: str, *words: str) -> None:
        if not (self.models / part / result).is_file():
            run_kgqa(self.folder, "train", part, "--graph", _GRAPH, "--questions", str(self.train), *words)


def measure_training(home: ModelsHome) -> None:
    """Report how the answerer's adapter was trained."""
    record = json.loads((home.models / "answerer" / "training.json").read_text(encoding="utf-8"))
    figures = {
        "preset": record["preset"],
        "pairs": str(record["pairs"]),
        "held-out loss, nats per token": str(record["loss"]),
        "training, s": f"{record['seconds']:.0f}",
    }
    _save(home, "training", "adapters", 0, _TRAINING_NOTE, {"answerer": figures})


def measure_formats(home: ModelsHome) -> None:
    """Compare the QA model's answers from each knowledge format (RRA, tables 2 and 3)."""
    columns = {}
    for formats, size in ((_FORMATS, _SAMPLE), (f"{_FORMATS},off-the-shelf", _OFF_THE_SHELF)):
        file = home.folder / f"formats-{size}.json"
        words = ["evaluate", "--graph", _GRAPH, "--questions", str(home.test), "--report", str(file)]
        words += ["--formats", formats, "--sample", str(size), "--seed", "0"]
        run_kgqa(home.folder, *words, "--errors", str(home.format_errors(size)))
        report = FormatsReport.model_validate_json(file.read_text(encoding="utf-8"))
        (hits_head, hits), (costs_head, costs) = report.tables()
        for (name, *hit_cells), (_, *cost_cells) in zip(hits, costs, strict=True):
            if size == _SAMPLE or name == "off-the-shelf":
                measures = (*hits_head[1:], *costs_head[1:])
                columns[name] = dict(zip(measures, (*hit_cells, *cost_cells), strict=True))
    _save(home, "formats", "formats of knowledge", 1, _FORMATS_NOTE, columns)


def measure_unknown(home: ModelsHome) -> None:
    """Measure abstention on questions whose facts were removed from the graph."""
    records = [record for _, record in draw_sample(read_questions(home.test), _UNKNOWN, 0)]
    facts, unknown = write_unanswerable_graph(home.metaqa / "graph.tsv", records, home.folder)
    run_kgqa(home.folder, "import", str(facts), "--graph", "without")
    words = ("--graph", "without", "--retriever", str(home.models / "retriever"), "--questions", str(unknown))
    columns = {}
    for topic in ("given", "linked"):
        report = evaluate(home.folder, *words, "--topic", topic, "--no-answerer")
        share = 100 * report.abstained_rightly / report.questions
        columns[f"topic {topic}"] = {"questions": str(report.questions), "abstained, %": f"{share:.1f}"}
    _save(home, "unknown", "unanswerable questions", 2, _UNKNOWN_NOTE, columns)


def explain_harmful(home: ModelsHome) -> None:
    """List the questions answered correctly from triples but not from text, with the answers of `/ask`."""
    lines = home.format_errors(_SAMPLE).read_text(encoding="utf-8").split("\n")[:-1]
    harmful = harmful_texts([FormatError.model_validate_json(line) for line in lines])
    with kgqa_up(home.folder, "--graph", _GRAPH) as running, _client(running.urls["answerer"]) as client:
        replies = [client.post("/ask", json={"question": error.question}).raise_for_status() for error in harmful]
    served = {error.question: reply.json()["answer"] for error, reply in zip(harmful, replies, strict=True)}
    write_harmful(harmful, served, ROOT / "docs" / "harmful.md")


def measure_ask(home: ModelsHome) -> None:
    """Measure each step of `POST /ask`, first with an empty cache and then with a full one."""
    questions = [record.question for _, record in draw_sample(read_questions(home.test), _ASKED, 0)]
    with kgqa_up(home.folder, "--graph", _GRAPH) as running, _client(running.urls["answerer"]) as client:
        columns = {cache: _time_steps(client, questions) for cache in ("empty cache", "full cache")}
    _save(home, "ask", "time of each step", 3, _ASK_NOTE, columns)


def _client(url: str) -> httpx.Client:
    return httpx.Client(base_url=url, timeout=60, trust_env=False)


def _time_steps(client: httpx.Client, questions: list[str]) -> dict[str, str]:
    taken: dict[str, list[float]] = {}
    for question in questions:
        started = time.perf_counter()
        reply = client.post("/ask", json={"question": question})
        taken.setdefault("whole request", []).append((time.perf_counter() - started) * 1000)
        for step, milliseconds in reply.raise_for_status().json()["timings_ms"].items():
            taken.setdefault(step, []).append(milliseconds)
    return {f"{step}, ms (p50, p99)": f"{median(ms):.1f}, {percentile(ms, 0.99):.1f}" for step, ms in taken.items()}


def _save(home: ModelsHome, part: str, title: str, order: int, note: str, columns: dict[str, dict[str, str]]) -> None:
    section = Section(
        order=_ORDER + order,
        title=f"Models: {title}",
        note=note,
        command=f"python -m bench.adapters.models DATA --home DIR --only {part}",
        columns=columns,
        commit=home.commit,
    )
    keep(f"models-{part}", section)


PARTS: dict[str, Callable[[ModelsHome], None]] = {
    "training": measure_training,
    "formats": measure_formats,
    "harmful": explain_harmful,
    "unknown": measure_unknown,
    "ask": measure_ask,
}


def main() -> None:
    """Run one part of the measurements, or all parts."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, help="folder that contains the folder metaqa as published")
    parser.add_argument("--home", type=Path, required=True, help="folder for the graph, questions, and models")
    parser.add_argument("--only", choices=PARTS, help="measure only this part")
    arguments = parser.parse_args()
    home = ModelsHome(arguments.home.resolve(), arguments.data)
    for part in [arguments.only] if arguments.only else list(PARTS):
        print(f"== {part}", flush=True)
        PARTS[part](home)


if __name__ == "__main__":
    main()
