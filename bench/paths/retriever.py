"""Measure the retriever on every data set, including training.

python -m bench.paths.retriever DATA                  # everything, about two hours on two cores
python -m bench.paths.retriever DATA --only zjqa      # one part; the other figures stay on the page

DATA contains the folders `metaqa`, `zjqa`, `pathquestion`, `webqsp`, and `webquestions` as published.
"""

import argparse
import csv
import json
import tempfile
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from statistics import mean

from bench.command import as_column, evaluate, train_paths
from bench.paths.small_graph import write_small_graph
from bench.questions.film_questions import write_film_questions
from bench.results import ROOT, Section, head, keep, read_rows, write_rows
from bench.serving.load import serve_and_load
from bench.stores.scale import measure as measure_large_graph
from evaluation.report import Report
from graph.store import INVERSE
from question_sets.records import read_questions
from tests.support.command_line import run_kgqa

_FREE = ROOT / "bench" / "questions"
_SEEDS = range(5)
_SUMMARY = "retriever"
_FIRST_ORDER = 11
_SUMMARY_NOTE = (
    "Percentages, with 95 % confidence intervals over the questions in parentheses. The paths are trained with default "
    "settings on two cores, beside the packaged plan model, tuned on dev questions only, and measured on the whole "
    "test sets. The details follow."
)


class Part:
    """Represent one part of the measurements: its folder, its table, and its rows in the summary."""

    def __init__(self, home: Path, data: Path) -> None:
        self.home = home
        self.data = data
        self.columns: dict[str, dict[str, str]] = {}
        self.summary: dict[str, tuple[str, str]] = {}

    def convert(self, name: str, *graphs: str) -> Path:
        """Convert a data set, import the given graphs, and return the folder with the converted files."""
        out = self.home / name
        run_kgqa(self.home, "convert", name, str(self.data / name), "--out", str(out))
        for graph in graphs:
            run_kgqa(self.home, "import", str(out / f"{graph}.tsv"), "--graph", f"{name}-{graph}")
        return out

    def train(self, name: str, graph: str, questions: Path | None, valid: Path | None = None) -> Path:
        """Train paths with default settings unless a model with this name exists; return the model folder."""
        model = self.home / "models" / name
        if not model.is_dir():
            files = [file for file in (questions, valid) if file]
            self.columns[name] = {"training, s": f"{train_paths(self.home, graph, model, *files):.0f}"}
        return model

    def test(self, name: str, graph: str, model: Path, questions: Path, topic: str, *options: str) -> Report:
        """Evaluate retrieval without the answerer, and add the figures to the table."""
        words = ("--graph", graph, "--retriever", str(model), "--questions", str(questions), "--topic", topic)
        report = evaluate(self.home, *words, "--no-answerer", *options)
        training = self.columns.get(model.name, {})
        self.columns[name] = as_column(report) | training
        if model.name != name:
            self.columns.pop(model.name, None)
        return report


def measure_metaqa(part: Part) -> None:
    """Train on the dev set and test on the test set, for each number of hops."""
    folder = part.convert("metaqa", "graph")
    for hop, given, linked in ((1, "99.5", "98"), (2, "100", "99"), (3, "100", "99")):
        model = part.train(f"{hop}-hop", "metaqa-graph", folder / f"{hop}-hop-dev.jsonl")
        test = folder / f"{hop}-hop-test.jsonl"
        for topic, target in (("given", given), ("linked", linked)):
            report = part.test(f"{hop}-hop, {topic}", "metaqa-graph", model, test, topic)
            wanted = f"strict ≥ {target}" + (", F1 ≥ .995" if topic == "given" else "")
            part.summary[f"MetaQA {hop}-hop, topic {topic}"] = wanted, _strict(report) + f", F1 {report.set_f1:.4f}"
    strict, f1 = gold_path_scores(folder / "graph.tsv", folder / "1-hop-test.jsonl")
    part.summary["MetaQA 1-hop, gold paths walked, answers in any order"] = "–", f"strict {_share(strict)}, F1 {f1:.4f}"


def gold_path_scores(graph: Path, questions: Path) -> tuple[float, float]:
    """Return the upper bound for 1-hop questions, obtained by walking the gold relation from the gold topic.

    MetaQA's graph has one node for all films with the same name, but its gold answers belong to only one of them.

    Returns:
        The probability that a random answer is a gold answer, and the mean F1.
    """
    reached: dict[tuple[str, str], set[str]] = defaultdict(set)
    for subject, relation, object_ in csv.reader(graph.open(encoding="utf-8"), delimiter="\t", quoting=csv.QUOTE_NONE):
        reached[subject, relation].add(object_)
        reached[object_, INVERSE + relation].add(subject)
    records = read_questions(questions)
    pairs = [(reached[r.topic or "", (r.path or ("",))[0]], set(r.answers)) for r in records]
    strict = [len(found & gold) / max(1, len(found)) for found, gold in pairs]
    f1 = [2 * len(found & gold) / (len(found) + len(gold)) for found, gold in pairs]
    return mean(strict), mean(f1)


def measure_unseen(part: Part) -> None:
    """Test on templates that do not occur in training, and on paraphrases."""
    folder = part.convert("metaqa", "graph")
    for name, train, test, target in (
        ("1-hop unseen templates", "1-hop-unseen-train", "1-hop-unseen-test", "95"),
        ("2-hop unseen templates", "2-hop-unseen-train", "2-hop-unseen-test", "95"),
        ("3-hop unseen templates", "3-hop-unseen-train", "3-hop-unseen-test", "90"),
        ("1-hop NTM", "1-hop-ntm-dev", "1-hop-ntm-test", "98"),
    ):
        model = part.train(name, "metaqa-graph", folder / f"{train}.jsonl")
        report = part.test(name, "metaqa-graph", model, folder / f"{test}.jsonl", "given")
        found = _strict(report) + f", paths {_share(report.path_accuracy)}"
        part.summary[f"MetaQA {name}"] = f"strict ≥ {target}", found


def measure_little(part: Part) -> None:
    """Train on questions with answers but without paths, and on the graph without questions."""
    folder = part.convert("metaqa", "graph")
    records = [json.loads(line) for line in (folder / "2-hop-dev.jsonl").open(encoding="utf-8")]
    answers = part.home / "answers.jsonl"
    answers.write_text("".join(json.dumps({**line, "path": None}) + "\n" for line in records), encoding="utf-8")
    for name, questions, target in (("answers alone", answers, "99"), ("the graph alone", None, "80")):
        model = part.train(name, "metaqa-graph", questions)
        report = part.test(name, "metaqa-graph", model, folder / "2-hop-test.jsonl", "given")
        part.summary[f"MetaQA 2-hop, trained from {name}"] = f"strict ≥ {target}", _strict(report)


def measure_free(part: Part) -> None:
    """Test on questions that people wrote without using templates."""
    folder = part.convert("metaqa", "graph")
    films = part.home / "films.jsonl"
    write_film_questions(part.home / "graphs" / "metaqa-graph.sqlite", films)
    combined = part.home / "films-and-dev.jsonl"
    files = [films, _FREE / "metaqa-free-dev.jsonl", *(folder / f"{hop}-hop-dev.jsonl" for hop in (1, 2, 3))]
    combined.write_text("".join(file.read_text(encoding="utf-8") for file in files), encoding="utf-8")
    model = part.train("free", "metaqa-graph", combined)
    report = part.test("free questions", "metaqa-graph", model, _FREE / "metaqa-free-test.jsonl", "linked")
    part.summary["free natural questions over MetaQA, linked"] = "strict ≥ 90", _strict(report)


def measure_zjqa(part: Part) -> None:
    """Train and test on Chinese questions."""
    folder = part.convert("zjqa", "graph")
    model = part.train("zjqa", "zjqa-graph", folder / "train.jsonl")
    for topic in ("given", "linked"):
        report = part.test(f"valid, {topic}", "zjqa-graph", model, folder / "valid.jsonl", topic)
        wanted = "lenient ≥ 97" if topic == "given" else "–"
        part.summary[f"ZJQA valid, topic {topic}"] = wanted, f"lenient {_share(report.lenient_hits1)}"


def measure_pathquestion(part: Part) -> None:
    """Train and test on five random splits."""
    folder = part.convert("pathquestion", "2-hop-graph", "3-hop-graph")
    for hop, target in ((2, "99"), (3, "98")):
        found = []
        for seed in _SEEDS:
            name, graph = f"PQ-{hop}H seed {seed}", f"pathquestion-{hop}-hop-graph"
            files = [folder / f"{hop}-hop-seed{seed}-{split}.jsonl" for split in ("train", "valid", "test")]
            model = part.train(name, graph, files[0], files[1])
            found.append(part.test(name, graph, model, files[2], "given").strict_hits1)
        spread = f"{_share(mean(found))} ({_share(min(found))} to {_share(max(found))})"
        part.summary[f"PQ-{hop}H, mean of five splits"] = f"strict ≥ {target}", f"strict {spread}"


def measure_small(part: Part) -> None:
    """Train on few questions about a graph with many relations."""
    folder = part.home / "small"
    write_small_graph(part.convert("webqsp") / "graph.tsv", folder, seed=1)
    run_kgqa(part.home, "import", str(folder / "graph.tsv"), "--graph", "small")
    model = part.train("small", "small", folder / "train.jsonl", folder / "valid.jsonl")
    for topic in ("given", "linked"):
        report = part.test(f"test, {topic}", "small", model, folder / "test.jsonl", topic)
        wanted = "strict ≥ 95, training ≤ 900 s" if topic == "given" else "–"
        part.summary[f"400 relations, 1,200 questions, topic {topic}"] = wanted, _strict(report)


def measure_webqsp(part: Part) -> None:
    """Test with and without abstention, and with a wider beam."""
    folder = part.convert("webqsp", "graph")
    model = part.train("webqsp", "webqsp-graph", folder / "train.jsonl", folder / "valid.jsonl")
    for name, wanted, options in (
        ("as served", "–", ()),
        ("never abstaining", "–", ("--threshold", "0")),
        ("never abstaining, K = 10, M = 20", "≥ 92", ("--threshold", "0", "--beam", "10", "--max-paths", "20")),
    ):
        report = part.test(f"test, {name}", "webqsp-graph", model, folder / "test.jsonl", "given", *options)
        found = f"{_share(report.evidence_recall)}, strict {_share(report.strict_hits1)}"
        part.summary[f"WebQSP test, an answer in the evidence, {name}"] = wanted, found


def measure_speed(part: Part) -> None:
    """Time path prediction, and requests to a retriever over HTTP."""
    # Imported late, because torch would add to the memory that other parts measure in child processes.
    from bench.paths import paper_speed

    times = paper_speed.measure(part.home)
    for hops, served in times[paper_speed.SERVED].items():
        found = f"{served:.1f} ms; paper mode with BERT-base {times[paper_speed.PAPER][hops]:.1f} ms"
        part.summary[f"model time, {hops} hop{'s' * (hops > 1)} (p50)"] = "≤ 3 ms", found
    part.columns |= paper_speed.columns(times)
    folder = part.convert("metaqa", "graph")
    model = part.train("2-hop", "metaqa-graph", folder / "2-hop-dev.jsonl")
    one, many = serve_and_load(part.home, "metaqa-graph", model, folder / "2-hop-test.jsonl")
    for load in (one, many):
        part.columns[f"POST /retrieve, {load.clients} client{'s' * (load.clients > 1)}"] = load.as_column()
    part.summary["POST /retrieve, 1 client"] = "p50 ≤ 6 ms", f"p50 {one.p50_ms} ms, p99 {one.p99_ms} ms"
    part.summary["POST /retrieve, 32 clients"] = "≥ 300 requests/s", f"{many.per_second} requests/s"


def measure_scale(part: Part) -> None:
    """Measure import, linking, and walks on a large generated graph."""
    folder = part.convert("metaqa")
    figures = measure_large_graph(folder / "graph.tsv", part.home)
    part.columns["5.7 M triples"] = {measure: f"{value:,}" for measure, value in figures.items()}
    peaks = f"{figures['import, peak MB']:,} MB at most, serving {figures['serving, peak MB']:,} MB"
    part.summary["5.7 M triples, import"] = "≤ 60 s, ≤ 1.5 GB", f"{figures['import, s']} s, {peaks}"
    walked = f"{figures['walk, large, p50 ms']} ms, small graph {figures['walk, small, p50 ms']} ms"
    part.summary["5.7 M triples, walk (p50)"] = "≤ 2 x the small graph", walked
    linked = f"p99 {figures['link, p99 ms']} ms, {_share(figures['link, found'])} % found"
    part.summary["5.7 M triples, entity linking"] = "p99 ≤ 10 ms", linked


def _share(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.2f}"


def _strict(report: Report) -> str:
    low, high = report.intervals["strict_hits1"]
    return f"strict {_share(report.strict_hits1)} ({100 * low:.1f} to {100 * high:.1f})"


PARTS: dict[str, tuple[Callable[[Part], None], str]] = {
    "metaqa": (measure_metaqa, "The vanilla questions of MetaQA, trained on dev and tested on test."),
    "unseen": (
        measure_unseen,
        "Test questions whose templates do not occur in training, and the paraphrased 1-hop questions.",
    ),
    "little": (measure_little, "MetaQA 2-hop, trained from answers without paths, and from the graph alone."),
    "free": (measure_free, "Free questions that follow no template; topics linked."),
    "zjqa": (measure_zjqa, "ZJQA, in Chinese, with an encoder trained from scratch."),
    "pathquestion": (measure_pathquestion, "PathQuestion, five random splits for each number of hops."),
    "small": (
        measure_small,
        "400 relations, half of them inverses of the others, and 1,500 made-up questions along 300 chains, split "
        "80/10/10.",
    ),
    "webqsp": (
        measure_webqsp,
        "WebQSP over the union of the test subgraphs: as served, without abstention, and with K = 10 and M = 20.",
    ),
    "speed": (
        measure_speed,
        "Milliseconds from a masked question to its relation paths, and a retriever over HTTP; both on MetaQA's graph.",
    ),
    "scale": (measure_scale, "5.7 million generated triples, compared with MetaQA's graph."),
}


def run(names: list[str], data: Path) -> None:
    """Run these parts, each in its own KGQA_HOME, and render the page after each one."""
    for order, (name, (measure, note)) in enumerate(PARTS.items(), _FIRST_ORDER):
        if name not in names:
            continue
        commit = head()
        with tempfile.TemporaryDirectory(prefix="kgqa-bench-") as home:
            part = Part(Path(home), data)
            measure(part)
        section = Section(
            order=order,
            title=f"Retriever: {name}",
            note=f"{note} Default settings, retrieval alone.",
            command=f"python -m bench.paths.retriever DATA --only {name}",
            columns=part.columns,
            commit=commit,
        )
        keep(f"retriever-{name}", section)
        save_summary({name: dict(part.summary)})


def save_summary(measured: dict[str, dict[str, tuple[str, str]]]) -> None:
    """Update the rows of these parts in the summary, and keep the rows of all other parts."""
    rows_by_part = read_rows(_SUMMARY) | measured
    write_rows(_SUMMARY, rows_by_part)
    rows = {row: cells for name in PARTS for row, cells in rows_by_part.get(name, {}).items()}
    columns = {
        title: {row: cells[place] for row, cells in rows.items()} for place, title in enumerate(("wanted", "measured"))
    }
    command = "python -m bench.paths.retriever DATA"
    keep(_SUMMARY, Section(order=10, title="Retriever", note=_SUMMARY_NOTE, command=command, columns=columns))


def main() -> None:
    """Run one part of the measurements, or all parts."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, help="folder that contains the data sets as published")
    parser.add_argument("--only", choices=PARTS, help="measure only this part")
    arguments = parser.parse_args()
    run([arguments.only] if arguments.only else list(PARTS), arguments.data)


if __name__ == "__main__":
    main()
