"""Measure the project through its own command line, and write docs/benchmarks.md.

python -m bench.run world                # the demo graph: retrieval, and the QA model's text
python -m bench.run metaqa DIR           # MetaQA from its folder: convert, import, train, evaluate
python -m bench.run start                # how long `kgqa up` takes to answer
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bench.results import ROOT, Section, keep
from evaluation.report import Report, table_rows

WORLD = ROOT / "examples" / "world"
_LEFT_OUT = {"graph", "retriever", "questions_file", "topic", "format"}


def kgqa(home: Path, *words: str) -> float:
    """Run one command with `home` as KGQA_HOME; its seconds. Ends the benchmark when it fails."""
    environment = {**os.environ, "KGQA_HOME": str(home)}
    started = time.perf_counter()
    subprocess.run([sys.executable, "-m", "kgqa", *words], env=environment, check=True)
    return time.perf_counter() - started


def evaluate(home: Path, *words: str) -> dict[str, str]:
    """`kgqa evaluate` with these words; its figures as text."""
    report = home / "report.json"
    kgqa(home, "evaluate", *words, "--report", str(report))
    figures = Report.model_validate_json(report.read_text(encoding="utf-8"))
    return {measure: value for measure, value in table_rows(figures) if measure not in _LEFT_OUT}


def measure_world(home: Path) -> None:
    """The demo graph's shipped retriever and adapters on its test questions."""
    kgqa(home, "import", str(WORLD / "graph.tsv.xz"), "--graph", "world")
    common = ("--graph", "world", "--retriever", str(WORLD / "retriever"), "--topic", "linked")
    columns = {}
    for name in ("test", "typed", "unanswerable-test"):
        questions = str(WORLD / "questions" / f"{name}.jsonl")
        columns[name] = evaluate(home, *common, "--questions", questions)
    retrieval = evaluate(home, *common, "--questions", str(WORLD / "questions" / "test.jsonl"), "--no-answerer")
    columns["test, retrieval alone"] = retrieval
    note = (
        "Topic linked from free text, format `text`, SmolLM2-135M with this project's adapters on one thread. `test`: "
        "wordings that training does not have; `typed`: 30 questions typed by hand before any model was trained; "
        "`unanswerable-test`: questions that the graph cannot answer, where silence is right."
    )
    keep("world", Section(order=1, title="World", note=note, command="python -m bench.run world", columns=columns))


def measure_metaqa(home: Path, source: Path) -> None:
    """MetaQA, one retriever a hop set, trained on dev (train is not public in this form) and tested on test."""
    kgqa(home, "convert", "metaqa", str(source), "--out", str(home / "metaqa"))
    import_seconds = kgqa(home, "import", str(home / "metaqa" / "graph.tsv"), "--graph", "metaqa")
    columns = {}
    for hop in (1, 2, 3):
        questions, model = home / "metaqa" / f"{hop}-hop-dev.jsonl", home / f"metaqa-{hop}"
        seconds = kgqa(
            home, "train", "retriever", "--graph", "metaqa", "--questions", str(questions), "--out", str(model)
        )
        test = str(home / "metaqa" / f"{hop}-hop-test.jsonl")
        common = ("--graph", "metaqa", "--retriever", str(model), "--no-answerer", "--questions", test)
        times = {"training, s": f"{seconds:.0f}", "import, s": f"{import_seconds:.0f}"}
        columns[f"{hop}-hop, topic given"] = evaluate(home, *common, "--topic", "given") | times
        columns[f"{hop}-hop, topic linked"] = evaluate(home, *common, "--topic", "linked")
    note = (
        "Trained on the dev questions and tested on the test questions, all of them; brackets around the topic entity "
        "are removed from the questions. Retrieval alone. The vanilla questions repeat their templates between dev and "
        "test, so path and hop accuracy show that the pipeline is sound, not that it generalises."
    )
    command = "python -m bench.run metaqa DIR"
    keep("metaqa", Section(order=2, title="MetaQA", note=note, command=command, columns=columns))


def measure_start(home: Path) -> None:
    """Seconds from `kgqa up` to its ready line: the first time (imports the graph), and five times after."""
    seconds = [_seconds_to_ready(home) for _ in range(6)]
    later = sorted(seconds[1:])
    figures = {
        "first start, s": f"{seconds[0]:.1f}",
        "later starts, s (median)": f"{later[2]:.1f}",
        "later starts, s (slowest of 5)": f"{later[-1]:.1f}",
    }
    note = "From `kgqa up` to the line that says that it answers, in an empty KGQA_HOME at first."
    command = "python -m bench.run start"
    keep("start", Section(order=3, title="Start", note=note, command=command, columns={"kgqa up": figures}))


def _seconds_to_ready(home: Path) -> float:
    environment = {**os.environ, "KGQA_HOME": str(home)}
    started = time.perf_counter()
    command = [sys.executable, "-u", "-m", "kgqa", "up"]
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        line = process.stdout.readline()
        seconds = time.perf_counter() - started
        process.terminate()
        process.stdout.read()
    if not line.startswith("ready"):
        sys.exit(f"kgqa up did not start: {line}")
    return seconds


def main() -> None:
    """Run one measurement."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    what = parser.add_subparsers(dest="what", required=True)
    what.add_parser("world")
    what.add_parser("start")
    what.add_parser("metaqa").add_argument("folder", type=Path)
    arguments = parser.parse_args()
    home = Path(tempfile.mkdtemp(prefix="kgqa-bench-"))
    try:
        if arguments.what == "world":
            measure_world(home)
        elif arguments.what == "start":
            measure_start(home)
        else:
            measure_metaqa(home, arguments.folder)
    finally:
        shutil.rmtree(home)


if __name__ == "__main__":
    main()
