"""`kgqa train`: reads what the command names, trains, and shows what came of it."""

import asyncio
import importlib.util
from pathlib import Path

from rich.markup import escape

from kgqa.console import err, out, progress_bar
from shared.errors import DependencyError
from shared.graph.sqlite import SqliteGraphStore
from shared.home import graph_file, retriever_folder
from shared.questions import read_questions


def train_retriever_on(graph: str, questions: Path, valid: Path | None, to: Path | None, seed: int) -> None:
    """Train on `questions` and write the model folder; raises DependencyError when the train extra is missing."""
    if importlib.util.find_spec("torch") is None:
        raise DependencyError("training needs more packages than serving: run `make install-train` first")
    from services.retriever.training.train import TrainOptions, train_retriever

    folder = to or retriever_folder(graph)
    records, held_out = read_questions(questions), read_questions(valid) if valid else None
    store = SqliteGraphStore(graph_file(graph))

    async def run() -> None:
        try:
            with progress_bar("training") as advance:
                report = await train_retriever(
                    store, graph, records, held_out, folder, TrainOptions(seed=seed), advance
                )
        finally:
            await store.close()
        for warning in report.warnings:
            err.print(f"warning: {escape(warning)}")
        out.print(escape(report.summary()))

    asyncio.run(run())
    out.print(f"wrote {escape(str(folder))}")
