"""Train a retriever on a named graph and on question files."""

import asyncio
import importlib.util
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from question_sets.records import read_questions
from shared.errors import DependencyError
from shared.graph.opening import open_graph

if TYPE_CHECKING:
    from training.retriever.train import TrainingReport
    from training.retriever.trainer import ProgressCallback

# Training sends large queries, and no caller waits for a single reply.
_QUERY_TIMEOUT_S = 120.0


@dataclass(frozen=True, slots=True)
class RetrieverTraining:
    """What to train on, and where to write the model.

    Attributes:
        graph: name of the graph.
        folder: folder of the trained model.
        questions: training questions; None for questions generated from the graph (served mode only).
        valid: held-out questions; None for a tenth of `questions`.
        seed: seed of everything random.
        mode: `served`, or `paper` for the classifiers of the paper.
        encoder: paper mode only: name or folder of a Hugging Face encoder.
    """

    graph: str
    folder: Path
    questions: Path | None = None
    valid: Path | None = None
    seed: int = 1
    mode: Literal["served", "paper"] = "served"
    encoder: str | None = None


def train_from_files(training: RetrieverTraining, advance: "ProgressCallback") -> "TrainingReport":
    """Train a retriever, resuming an interrupted training.

    Args:
        training: what to train on.
        advance: called with the units done, their total, and the current step.

    Raises:
        DependencyError: the packages of the `train` extra are missing, or the graph store does not answer.
        InvalidInputError: a question file is not valid.
    """
    if importlib.util.find_spec("torch") is None:
        raise DependencyError("training needs more packages than serving: run `make install-train` first")
    return asyncio.run(_train(training, advance))


async def _train(training: RetrieverTraining, advance: "ProgressCallback") -> "TrainingReport":
    # Imported here: torch takes seconds to load.
    from training.retriever.options import PAPER, FitOptions
    from training.retriever.paper.train import train_paper_retriever
    from training.retriever.train import TrainOptions, train_retriever

    records = read_questions(training.questions) if training.questions else []
    held_out = read_questions(training.valid) if training.valid else None
    options = TrainOptions(
        train_name=training.questions.name if training.questions else "made from the graph",
        valid_name=training.valid.name if training.valid else "held out",
        fit=replace(PAPER, seed=training.seed) if training.mode == "paper" else FitOptions(seed=training.seed),
    )
    store = open_graph(training.graph, _QUERY_TIMEOUT_S)
    try:
        await store.check()
        common = (store, training.graph, records, held_out, training.folder, options)
        if training.mode == "paper":
            return await train_paper_retriever(*common, training.encoder, advance)
        return await train_retriever(*common, advance)
    finally:
        await store.close()
