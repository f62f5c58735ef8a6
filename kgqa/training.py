"""`kgqa train`: reads what the command names, trains, and shows what came of it."""

import asyncio
import importlib.util
import signal
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from rich.markup import escape

from kgqa.console import err, interrupt, out, progress_bar, stoppable
from kgqa.tables import print_table
from question_sets.records import read_questions
from shared.errors import DependencyError
from shared.graph.opening import open_graph
from shared.paths import retriever_folder

# Training asks for much at a time, and nobody waits for a single answer.
_SECONDS_A_QUERY = 120.0

if TYPE_CHECKING:
    from training.retriever.train import TrainingReport


def train_retriever_on(
    graph: str,
    questions: Path | None,
    valid: Path | None,
    to: Path | None,
    seed: int,
    mode: Literal["served", "paper"],
    encoder: str | None,
) -> None:
    """Train on `questions`, or in served mode without any; `encoder` is for paper mode.

    Raises DependencyError when the train extra is missing.
    """
    if importlib.util.find_spec("torch") is None:
        raise DependencyError("training needs more packages than serving: run `make install-train` first")
    from training.retriever.options import PAPER, FitOptions
    from training.retriever.paper.train import train_paper_retriever
    from training.retriever.train import TrainOptions, train_retriever

    folder = to or retriever_folder(graph)
    records = read_questions(questions) if questions else []
    held_out = read_questions(valid) if valid else None
    store = open_graph(graph, _SECONDS_A_QUERY)

    options = TrainOptions(
        train_name=questions.name if questions else "made from the graph",
        valid_name=valid.name if valid else "held out",
        fit=replace(PAPER, seed=seed) if mode == "paper" else FitOptions(seed=seed),
    )

    async def run() -> "TrainingReport":
        try:
            await store.check()
            with progress_bar("training") as advance:
                if mode == "paper":
                    return await train_paper_retriever(
                        store, graph, records, held_out, folder, options, encoder, advance
                    )
                return await train_retriever(store, graph, records, held_out, folder, options, advance)
        finally:
            await store.close()

    # asyncio's own way of Ctrl-C waits until the training gives way, which is when it has ended.
    signal.signal(signal.SIGINT, interrupt)
    with stoppable(f"{folder} is as it was; the same command goes on from here"):
        report = asyncio.run(run())
    for warning in report.warnings:
        err.print(f"warning: {escape(warning)}")
    print_table(("measure", "value"), _rows(report))
    out.print(f"wrote {escape(str(folder))}")


def _rows(report: "TrainingReport") -> list[tuple[str, str]]:
    rule = f"{report.walk_rule.mode}, topic {'excluded' if report.walk_rule.exclude_topic else 'included'}"
    fit = f"answers' F1 {max(report.walk_rules.values()):.3f}" if report.walk_rules else "no answers to fit it to"
    return [
        ("learnt from", report.learnt_from),
        ("questions", f"{report.distinct_questions:,} distinct without their topic"),
        ("walk rule", f"{rule} ({fit})"),
        ("validation questions", f"{report.validation_questions:,}"),
        ("hop accuracy", f"{report.served.hops:.4f}"),
        ("path accuracy", f"{report.served.paths:.4f}"),
        ("served as trained", f"{report.agreement:.4f}"),
        ("seconds", f"{report.seconds:.0f}"),
    ]
