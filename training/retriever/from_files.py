"""Train a retriever on a named graph and question files."""

import importlib.util
import shutil
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from question_sets.records import read_questions
from services.retriever.planning.plan_manifest import BASE_MODEL, PLANS_FOLDER
from shared.errors import DependencyError
from shared.graph.opening import open_graph

if TYPE_CHECKING:
    from training.planning.adapt import AdaptReport
    from training.retriever.train import TrainingReport
    from training.retriever.training_loop import ProgressCallback

# Training sends large queries, and no caller waits for a single reply.
_QUERY_TIMEOUT_S = 120.0


async def train_from_files(
    graph: str,
    folder: Path,
    progress: "ProgressCallback",
    questions: Path | None = None,
    valid: Path | None = None,
    seed: int = 1,
    mode: Literal["served", "paper"] = "served",
    encoder: str | None = None,
    descriptions: Path | None = None,
) -> "tuple[TrainingReport, AdaptReport | None]":
    """Train a retriever with its plan model, or resume an interrupted run; paper mode has no plan model.

    Without questions and descriptions, a graph with few facts keeps the packaged plan model, too.

    Args:
        graph: The name of the graph.
        folder: The model folder to write.
        progress: Called after every batch.
        questions: The training questions; if None, train on the graph alone (served mode only).
        valid: The validation questions; if None, hold out a tenth of `questions`.
        seed: The seed for all random choices.
        mode: `served`, or `paper` for the paper's classifiers.
        encoder: The name or folder of a Hugging Face encoder (paper mode only).
        descriptions: A file with other names of kinds, properties, and relations (served mode only).

    Returns:
        Reports on the training data and the validation scores of the paths, and of the plans.

    Raises:
        DependencyError: The packages of the `train` extra are not installed, or the graph store does not answer.
        InvalidInputError: A question file is invalid, or its questions are unusable for training.
        NotFoundError: The graph, a question file, or the encoder is missing.
    """
    if importlib.util.find_spec("torch") is None:
        raise DependencyError("training needs more packages than serving; run `make install-train` first")
    # Imported here, since torch takes seconds to load.
    from training.planning.adapt import AdaptOptions, adapt
    from training.retriever.train import TrainingJob, train_retriever
    from training.retriever.training_loop import PAPER, Hyperparameters
    from training.synthetic.plans.descriptions import read_descriptions
    from training.workload import count_facts, is_tiny

    every = read_questions(questions) if questions else []
    records = [record for record in every if not record.has_query]
    held_out = read_questions(valid) if valid else None
    names = questions.name if questions else "made from the graph", valid.name if valid else "held out"
    options = replace(PAPER if mode == "paper" else Hyperparameters(), seed=seed)
    store = open_graph(graph, _QUERY_TIMEOUT_S)
    try:
        await store.check()
        described = read_descriptions(descriptions, await store.schema()) if descriptions else {}
        job = TrainingJob(store, graph, records, held_out, folder, *names, options)
        if mode == "paper":
            from training.retriever.paper.train import train_paper_retriever

            return await train_paper_retriever(job, encoder, progress), None
        paths = await train_retriever(job, progress)
        if not every and not described and is_tiny(await count_facts(store)):
            shutil.rmtree(folder / PLANS_FOLDER, ignore_errors=True)  # of an earlier training
            return paths, None
        plans = await adapt(
            store, BASE_MODEL, folder / PLANS_FOLDER, progress, every, described, AdaptOptions(seed=seed)
        )
        return paths, plans
    finally:
        await store.close()
