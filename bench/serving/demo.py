"""Measure the demo through its command line.

python -m bench.serving.demo world                # retrieval, and the QA model's answers
python -m bench.serving.demo start                # seconds until `kgqa up` is ready
"""

import argparse
import tempfile
import time
from pathlib import Path

from bench.command import as_column, evaluate
from bench.results import Section, head, keep
from tests.support.command_line import WORLD, kgqa_up, run_kgqa


def measure_world(home: Path) -> None:
    """Evaluate the demo's retriever and adapters on its test questions."""
    run_kgqa(home, "import", str(WORLD / "graph.tsv.xz"), "--graph", "world")
    common = ("--graph", "world", "--retriever", str(WORLD / "retriever"), "--topic", "linked", "--questions")
    files = {name: str(WORLD / "questions" / f"{name}.jsonl") for name in ("test", "typed", "unanswerable-test")}
    commit = head()
    columns = {name: as_column(evaluate(home, *common, file)) for name, file in files.items()}
    columns["test, retrieval alone"] = as_column(evaluate(home, *common, files["test"], "--no-answerer"))
    note = (
        "Topics are linked in the question; format `text`; SmolLM2-135M with this project's adapters, on one thread. "
        "`test`: wordings that do not occur in training; `typed`: 30 questions typed by hand before any model was "
        "trained; `unanswerable-test`: questions that the graph cannot answer, so that abstaining is correct."
    )
    command = "python -m bench.serving.demo world"
    keep("world", Section(order=1, title="World", note=note, command=command, columns=columns, commit=commit))


def measure_start(home: Path) -> None:
    """Measure the first start, which imports the graph, and five later starts."""
    commit = head()
    first, *later = (_seconds_to_ready(home) for _ in range(6))
    later.sort()
    figures = {
        "first start, s": f"{first:.1f}",
        "later starts, s (median)": f"{later[2]:.1f}",
        "later starts, s (slowest of 5)": f"{later[-1]:.1f}",
    }
    note = "From `kgqa up` to its ready line; the first start has an empty KGQA_HOME."
    command, columns = "python -m bench.serving.demo start", {"kgqa up": figures}
    keep("start", Section(order=3, title="Start", note=note, command=command, columns=columns, commit=commit))


def _seconds_to_ready(home: Path) -> float:
    started = time.perf_counter()
    with kgqa_up(home):
        return time.perf_counter() - started


def main() -> None:
    """Run one measurement with a temporary KGQA_HOME."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    measurements = {"world": measure_world, "start": measure_start}
    parser.add_argument("measurement", choices=measurements)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="kgqa-bench-") as home:
        measurements[arguments.measurement](Path(home))


if __name__ == "__main__":
    main()
