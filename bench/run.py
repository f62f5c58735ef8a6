"""Measure the project through its own command line, and write docs/benchmarks.md.

python -m bench.run world                # the demo graph: retrieval, and the QA model's text
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

from bench.command import evaluate, kgqa
from bench.results import ROOT, Section, head, keep

WORLD = ROOT / "examples" / "world"


def measure_world(home: Path) -> None:
    """The demo graph's shipped retriever and adapters on its test questions."""
    kgqa(home, "import", str(WORLD / "graph.tsv.xz"), "--graph", "world")
    common = ("--graph", "world", "--retriever", str(WORLD / "retriever"), "--topic", "linked")
    columns, commit = {}, head()
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
    command = "python -m bench.run world"
    keep("world", Section(order=1, title="World", note=note, command=command, columns=columns, commit=commit))


def measure_start(home: Path) -> None:
    """Seconds from `kgqa up` to its ready line: the first time (imports the graph), and five times after."""
    commit = head()
    seconds = [_seconds_to_ready(home) for _ in range(6)]
    later = sorted(seconds[1:])
    figures = {
        "first start, s": f"{seconds[0]:.1f}",
        "later starts, s (median)": f"{later[2]:.1f}",
        "later starts, s (slowest of 5)": f"{later[-1]:.1f}",
    }
    note = "From `kgqa up` to the line that says that it answers, in an empty KGQA_HOME at first."
    command = "python -m bench.run start"
    columns = {"kgqa up": figures}
    keep("start", Section(order=3, title="Start", note=note, command=command, columns=columns, commit=commit))


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
    arguments = parser.parse_args()
    home = Path(tempfile.mkdtemp(prefix="kgqa-bench-"))
    try:
        if arguments.what == "world":
            measure_world(home)
        else:
            measure_start(home)
    finally:
        shutil.rmtree(home)


if __name__ == "__main__":
    main()
