"""Measure the retriever on every data set, train included, and write the table of docs/benchmarks.md.

python -m bench.retriever DATA                  # all of it, about two hours on two cores
python -m bench.retriever DATA --only zjqa      # one part; the table keeps the others' last figures

DATA holds the folders metaqa, zjqa, pathquestion, webqsp and webquestions as they were published.
"""

import argparse
import csv
import json
import shutil
import tempfile
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from statistics import mean

from bench.command import kgqa, report, shown
from bench.film_questions import write_film_questions
from bench.load import serve_and_load
from bench.results import ROOT, Section, head, keep, read_rows, write_rows
from bench.scale import measure as scale
from bench.small_graph import write_small_graph
from evaluation.report import Report
from question_sets.records import read_questions
from shared.graph.store import INVERSE

_FREE = ROOT / "bench" / "questions"
_SEEDS = range(5)
_SUMMARY = "retriever"


class Part:
    """One part of the measurements: its folder to work in, what it found, and the rows it adds to the summary."""

    def __init__(self, home: Path, data: Path) -> None:
        self.home = home
        self.data = data
        self.columns: dict[str, dict[str, str]] = {}
        self.summary: dict[str, tuple[str, str]] = {}

    def converted(self, name: str, *graphs: str) -> Path:
        """Convert a data set and import its graphs, which have the files' names without `.tsv`."""
        out = self.home / name
        kgqa(self.home, "convert", name, str(self.data / name), "--out", str(out))
        for graph in graphs:
            kgqa(self.home, "import", str(out / f"{graph}.tsv"), "--graph", f"{name}-{graph}")
        return out

    def trained(self, name: str, graph: str, questions: Path | None, valid: Path | None = None) -> Path:
        """Train with default settings; the model folder. A second call of one name does not train again."""
        model = self.home / "models" / name
        if not model.is_dir():
            words = ["train", "retriever", "--graph", graph, "--out", str(model)]
            words += ["--questions", str(questions)] if questions else []
            words += ["--valid", str(valid)] if valid else []
            self.columns[name] = {"training, s": f"{kgqa(self.home, *words):.0f}"}
        return model

    def tested(self, name: str, graph: str, model: Path, questions: Path, topic: str, *options: str) -> Report:
        """Evaluate retrieval alone; the figures go into the part's table."""
        words = ("--graph", graph, "--retriever", str(model), "--questions", str(questions), "--topic", topic)
        figures = report(self.home, *words, "--no-answerer", *options)
        known = self.columns.get(model.name, {})
        self.columns[name] = shown(figures) | known
        if model.name != name:
            self.columns.pop(model.name, None)
        return figures


def measure_metaqa(part: Part) -> None:
    """The vanilla questions, trained on dev and tested on test."""
    folder = part.converted("metaqa", "graph")
    for hop, given, linked in ((1, "99.5", "98"), (2, "100", "99"), (3, "100", "99")):
        model = part.trained(f"{hop}-hop", "metaqa-graph", folder / f"{hop}-hop-dev.jsonl")
        test = folder / f"{hop}-hop-test.jsonl"
        for topic, target in (("given", given), ("linked", linked)):
            figures = part.tested(f"{hop}-hop, {topic}", "metaqa-graph", model, test, topic)
            wanted = f"strict ≥ {target}" + (", F1 ≥ .995" if topic == "given" else "")
            part.summary[f"MetaQA {hop}-hop, topic {topic}"] = wanted, _strict(figures) + f", F1 {figures.set_f1:.4f}"
    strict, f1 = graph_ceiling(folder / "graph.tsv", folder / "1-hop-test.jsonl")
    part.summary["MetaQA 1-hop, gold paths walked, answers in any order"] = "–", f"strict {_share(strict)}, F1 {f1:.4f}"


def graph_ceiling(graph: Path, questions: Path) -> tuple[float, float]:
    """What gold topics and gold relations give: how likely an answer taken blindly is a gold one, and mean F1.

    MetaQA's graph has one node for all films of a name, and its answers are those of one of them.
    """
    reached: dict[tuple[str, str], set[str]] = defaultdict(set)
    for subject, relation, object_ in csv.reader(graph.open(encoding="utf-8"), delimiter="\t", quoting=csv.QUOTE_NONE):
        reached[subject, relation].add(object_)
        reached[object_, INVERSE + relation].add(subject)
    records = read_questions(questions)
    pairs = [(reached[r.topic or "", (r.path or ("",))[0]], set(r.answers)) for r in records]
    right = [len(found & gold) / max(1, len(found)) for found, gold in pairs]
    f1 = [2 * len(found & gold) / (len(found) + len(gold)) for found, gold in pairs]
    return mean(right), mean(f1)


def measure_unseen(part: Part) -> None:
    """Test questions whose templates training never saw, and the paraphrased 1-hop questions."""
    folder = part.converted("metaqa", "graph")
    for name, train, test, target in (
        ("1-hop unseen templates", "1-hop-unseen-train", "1-hop-unseen-test", "95"),
        ("2-hop unseen templates", "2-hop-unseen-train", "2-hop-unseen-test", "95"),
        ("3-hop unseen templates", "3-hop-unseen-train", "3-hop-unseen-test", "90"),
        ("1-hop NTM", "1-hop-ntm-dev", "1-hop-ntm-test", "98"),
    ):
        model = part.trained(name, "metaqa-graph", folder / f"{train}.jsonl")
        figures = part.tested(name, "metaqa-graph", model, folder / f"{test}.jsonl", "given")
        part.summary[f"MetaQA {name}"] = (
            f"strict ≥ {target}",
            _strict(figures) + f", paths {_share(figures.path_accuracy)}",
        )


def measure_little(part: Part) -> None:
    """MetaQA 2-hop from answers alone, and from nothing but the graph."""
    folder = part.converted("metaqa", "graph")
    told = [json.loads(line) for line in (folder / "2-hop-dev.jsonl").open(encoding="utf-8")]
    untold = part.home / "answers.jsonl"
    untold.write_text("".join(json.dumps({**line, "path": None}) + "\n" for line in told), encoding="utf-8")
    for name, questions, target in (("answers alone", untold, "99"), ("the graph alone", None, "80")):
        model = part.trained(name, "metaqa-graph", questions)
        figures = part.tested(name, "metaqa-graph", model, folder / "2-hop-test.jsonl", "given")
        part.summary[f"MetaQA 2-hop, trained from {name}"] = f"strict ≥ {target}", _strict(figures)


def measure_free(part: Part) -> None:
    """Free questions in wordings of no template, topic linked."""
    folder = part.converted("metaqa", "graph")
    films = part.home / "films.jsonl"
    write_film_questions(part.home / "graphs" / "metaqa-graph.sqlite", films)
    together = part.home / "films-and-dev.jsonl"
    files = [films, _FREE / "metaqa-free-dev.jsonl", *(folder / f"{hop}-hop-dev.jsonl" for hop in (1, 2, 3))]
    together.write_text("".join(file.read_text(encoding="utf-8") for file in files), encoding="utf-8")
    model = part.trained("free", "metaqa-graph", together)
    figures = part.tested("free questions", "metaqa-graph", model, _FREE / "metaqa-free-test.jsonl", "linked")
    part.summary["free natural questions over MetaQA, linked"] = "strict ≥ 90", _strict(figures)


def measure_zjqa(part: Part) -> None:
    """ZJQA, in Chinese, with an encoder of its own."""
    folder = part.converted("zjqa", "graph")
    model = part.trained("zjqa", "zjqa-graph", folder / "train.jsonl")
    for topic in ("given", "linked"):
        figures = part.tested(f"valid, {topic}", "zjqa-graph", model, folder / "valid.jsonl", topic)
        wanted = "lenient ≥ 97" if topic == "given" else "–"
        part.summary[f"ZJQA valid, topic {topic}"] = wanted, f"lenient {_share(figures.lenient_hits1)}"


def measure_pathquestion(part: Part) -> None:
    """PathQuestion, five splits each."""
    folder = part.converted("pathquestion", "2-hop-graph", "3-hop-graph")
    for hop, target in ((2, "99"), (3, "98")):
        found = []
        for seed in _SEEDS:
            name, graph = f"PQ-{hop}H seed {seed}", f"pathquestion-{hop}-hop-graph"
            files = [folder / f"{hop}-hop-seed{seed}-{split}.jsonl" for split in ("train", "valid", "test")]
            model = part.trained(name, graph, files[0], files[1])
            found.append(part.tested(name, graph, model, files[2], "given").strict_hits1)
        spread = f"{_share(mean(found))} ({_share(min(found))} to {_share(max(found))})"
        part.summary[f"PQ-{hop}H, mean of five splits"] = f"strict ≥ {target}", f"strict {spread}"


def measure_small(part: Part) -> None:
    """400 relations, half of them the inverse ones, and 1,500 made-up questions along 300 chains, 80/10/10."""
    folder = part.home / "small"
    write_small_graph(part.converted("webqsp") / "graph.tsv", folder, seed=1)
    kgqa(part.home, "import", str(folder / "graph.tsv"), "--graph", "small")
    model = part.trained("small", "small", folder / "train.jsonl", folder / "valid.jsonl")
    for topic in ("given", "linked"):
        figures = part.tested(f"test, {topic}", "small", model, folder / "test.jsonl", topic)
        wanted = "strict ≥ 95, training ≤ 900 s" if topic == "given" else "–"
        part.summary[f"400 relations, 1,200 questions, topic {topic}"] = wanted, _strict(figures)


def measure_webqsp(part: Part) -> None:
    """WebQSP over the union of the test subgraphs, as served, and without abstaining, also with K = 10 and M = 20."""
    folder = part.converted("webqsp", "graph")
    model = part.trained("webqsp", "webqsp-graph", folder / "train.jsonl", folder / "valid.jsonl")
    for name, wanted, options in (
        ("as served", "–", ()),
        ("never abstaining", "–", ("--threshold", "0")),
        ("never abstaining, K = 10, M = 20", "≥ 92", ("--threshold", "0", "--beam", "10", "--max-paths", "20")),
    ):
        figures = part.tested(f"test, {name}", "webqsp-graph", model, folder / "test.jsonl", "given", *options)
        found = f"{_share(figures.evidence_recall)}, strict {_share(figures.strict_hits1)}"
        part.summary[f"WebQSP test, an answer in the evidence, {name}"] = wanted, found


def measure_speed(part: Part) -> None:
    """Milliseconds from a masked question to its relation paths, and a retriever over HTTP, on MetaQA's graph."""
    # Not at the top: torch would count as memory of what other parts measure in processes of their own.
    from bench import paper_speed

    times = paper_speed.measure(part.home)
    for hops, served in times[paper_speed.SERVED].items():
        beside = f"{served:.1f} ms; paper mode with BERT-base {times[paper_speed.PAPER][hops]:.1f} ms"
        part.summary[f"model time, {hops} hop{'s' * (hops > 1)} (p50)"] = "≤ 3 ms", beside
    part.columns |= paper_speed.columns(times)
    folder = part.converted("metaqa", "graph")
    model = part.trained("2-hop", "metaqa-graph", folder / "2-hop-dev.jsonl")
    one, many = serve_and_load(part.home, "metaqa-graph", model, folder / "2-hop-test.jsonl")
    part.columns |= {f"POST /retrieve, {load.clients} clients": load.shown() for load in (one, many)}
    part.summary["POST /retrieve, 1 client"] = "p50 ≤ 6 ms", f"p50 {one.p50_ms} ms, p99 {one.p99_ms} ms"
    part.summary["POST /retrieve, 32 clients"] = "≥ 300 requests/s", f"{many.per_second} requests/s"


def measure_scale(part: Part) -> None:
    """5.7 million generated triples, beside MetaQA's graph."""
    folder = part.converted("metaqa")
    figures = scale(folder / "graph.tsv", part.home)
    part.columns["5.7 M triples"] = {measure: f"{value:,}" for measure, value in figures.items()}
    peaks = f"{figures['import, peak MB']:,} MB at most, serving {figures['serving, peak MB']:,} MB"
    loaded = f"{figures['import, s']} s, {peaks}"
    part.summary["5.7 M triples, import"] = "≤ 60 s, ≤ 1.5 GB", loaded
    walked = f"{figures['walk, large, p50 ms']} ms, small graph {figures['walk, small, p50 ms']} ms"
    part.summary["5.7 M triples, walk (p50)"] = "≤ 2 x the small graph", walked
    linked = f"p99 {figures['link, p99 ms']} ms, {_share(figures['link, found'])} % found"
    part.summary["5.7 M triples, entity linking"] = "p99 ≤ 10 ms", linked


def _share(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.2f}"


def _strict(figures: Report) -> str:
    low, high = figures.intervals["strict_hits1"]
    return f"strict {_share(figures.strict_hits1)} ({100 * low:.1f} to {100 * high:.1f})"


PARTS: dict[str, Callable[[Part], None]] = {
    "metaqa": measure_metaqa,
    "unseen": measure_unseen,
    "little": measure_little,
    "free": measure_free,
    "zjqa": measure_zjqa,
    "pathquestion": measure_pathquestion,
    "small": measure_small,
    "webqsp": measure_webqsp,
    "speed": measure_speed,
    "scale": measure_scale,
}


def run(names: list[str], data: Path) -> None:
    """Measure these parts, each in a folder of its own, and write the page after each."""
    for order, (name, measure) in enumerate(PARTS.items()):
        if name not in names:
            continue
        commit, home = head(), Path(tempfile.mkdtemp(prefix="kgqa-bench-"))
        try:
            part = Part(home, data)
            measure(part)
        finally:
            shutil.rmtree(home)
        command = f"python -m bench.retriever DATA --only {name}"
        title, note = f"Retriever: {name}", (measure.__doc__ or "") + " Default settings, retrieval alone."
        keep(
            f"retriever-{name}",
            Section(order=11 + order, title=title, note=note, command=command, columns=part.columns, commit=commit),
        )
        summarise({name: dict(part.summary)})


def summarise(found: dict[str, dict[str, tuple[str, str]]]) -> None:
    """Write the rows of these parts into the summary, beside those of the others."""
    kept = read_rows(_SUMMARY) | found
    write_rows(_SUMMARY, kept)
    rows = {row: cells for name in PARTS for row, cells in kept.get(name, {}).items()}
    columns = {
        title: {row: cells[place] for row, cells in rows.items()} for place, title in enumerate(("wanted", "measured"))
    }
    note = (
        "Percentages; in brackets 95 % intervals over the questions. Trained with default settings on two "
        "cores, tuned on dev questions only, measured on the whole test sets. The details follow."
    )
    command = "python -m bench.retriever DATA"
    keep(_SUMMARY, Section(order=10, title="Retriever", note=note, command=command, columns=columns))


def main() -> None:
    """Run all measurements, or one."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--only", choices=PARTS)
    arguments = parser.parse_args()
    run([arguments.only] if arguments.only else list(PARTS), arguments.data)


if __name__ == "__main__":
    main()
