"""Train the two models of a retriever on a named graph and question files."""

import importlib.util
import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from graph.store import GraphStore
from question_sets.records import QuestionRecord, read_questions
from services.retriever.plans.predictor.plan_manifest import BASE_MODEL
from services.retriever.scopes.described_store import open_described_graph
from shared.errors import DependencyError
from training.retriever.held_aside import SplitQuestions, keep_aside
from training.retriever.model_parts import ModelParts
from training.work_folder import WorkFolder

if TYPE_CHECKING:
    from training.planning.adapt import AdaptReport
    from training.retriever.train import TrainingReport
    from training.retriever.training_loop import ProgressCallback

# Training sends large queries, and no caller waits for a single reply.
_QUERY_TIMEOUT_S = 120.0
# A path model that learnt from fewer questions has seen too few wordings to read others.
_LEAST_PATH_QUESTIONS = 10


@dataclass(frozen=True, slots=True)
class TrainingInput:
    """Describe a training.

    Attributes:
        graph: The name of the graph.
        questions: The training questions; if None, train on the graph alone (served mode only).
        valid: The validation questions; if None, hold out a tenth of `questions`.
        seed: The seed for all random choices.
        mode: `served`, or `paper` for the paper's classifiers.
        encoder: The name or folder of a Hugging Face encoder (paper mode only).
    """

    graph: str
    questions: Path | None = None
    valid: Path | None = None
    seed: int = 1
    mode: Literal["served", "paper"] = "served"
    encoder: str | None = None


@dataclass(frozen=True, slots=True)
class TrainedRetriever:
    """Hold the models that a training made, with reports on what they learnt from.

    `parts` names their folders. `no_paths` says why no path model was trained, if so.
    """

    parts: ModelParts
    paths: "TrainingReport | None"
    plans: "AdaptReport | None"
    no_paths: str = ""


async def split_questions(given: TrainingInput) -> SplitQuestions:
    """Keep part of the training questions aside to compare models with; without any, `valid` serves for that.

    Raises:
        DependencyError: The graph store does not answer.
        InvalidInputError: A question file is invalid.
        NotFoundError: The graph or a question file is missing.
    """
    if given.questions is None:
        return SplitQuestions([], read_questions(given.valid) if given.valid else [])
    store = open_described_graph(given.graph, _QUERY_TIMEOUT_S)
    try:
        await store.check()
        return await keep_aside(store, read_questions(given.questions), given.seed)
    finally:
        await store.close()


async def train_from_files(
    given: TrainingInput, training: Sequence[QuestionRecord], work: WorkFolder, progress: "ProgressCallback"
) -> TrainedRetriever:
    """Train a path model and a plan model, or resume an interrupted run; paper mode has no plan model.

    Without questions, and without a word of its owner, a graph with few facts keeps the packaged plan model.

    Args:
        given: How to train.
        training: The questions to train on; see `split_questions`.
        work: The folder for checkpoints and for the models.
        progress: Called after every batch.

    Returns:
        The models, with reports on the training data and the validation scores.

    Raises:
        DependencyError: The packages of the `train` extra are not installed, or the graph store does not answer.
        InvalidInputError: A question file is invalid, or its questions are unusable for training.
        NotFoundError: The graph, a question file, or the encoder is missing.
    """
    if importlib.util.find_spec("torch") is None:
        raise DependencyError("training needs more packages than serving; run `make install-train` first")
    # Before torch is imported: threads that spin while they wait slow a busy machine down many times over.
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    store = open_described_graph(given.graph, _QUERY_TIMEOUT_S)
    try:
        await store.check()
        paths, no_paths = await _train_paths(given, store, training, work, progress)
        plans = None
        if given.mode == "served":
            plans = await _train_plans(store, training, given.seed, work, progress)
        parts = ModelParts(work.part("paths") if paths else None, work.part("plans") if plans else None)
        return TrainedRetriever(parts, paths, plans, no_paths)
    finally:
        await store.close()


async def _train_paths(
    given: TrainingInput,
    store: GraphStore,
    training: Sequence[QuestionRecord],
    work: WorkFolder,
    progress: "ProgressCallback",
) -> "tuple[TrainingReport | None, str]":
    """Train a path model; return its report, or why there is none."""
    # Imported here, since torch takes seconds to load.
    from training.retriever.dataset import TooFewQuestionsError
    from training.retriever.train import TrainingJob, train_retriever
    from training.retriever.training_loop import PAPER, Hyperparameters

    records = [record for record in training if not record.has_query]
    if training and not records:
        return None, "all questions have queries, from which plans learn"
    held_out = read_questions(given.valid) if given.valid else None
    train_name = given.questions.name if given.questions else "made from the graph"
    valid_name = given.valid.name if given.valid else "held out"
    options = replace(PAPER if given.mode == "paper" else Hyperparameters(), seed=given.seed)
    job = TrainingJob(
        store=store,
        graph=given.graph,
        train=records,
        valid=held_out,
        out=work.empty("paths"),
        checkpoints=work.part("path-checkpoints"),
        train_name=train_name,
        valid_name=valid_name,
        hyperparameters=options,
        least=_LEAST_PATH_QUESTIONS,
    )
    if given.mode == "paper":
        from training.retriever.paper.train import train_paper_retriever

        return await train_paper_retriever(job, given.encoder, progress), ""
    try:
        return await train_retriever(job, lambda done, total, text: progress(done, total, f"paths: {text}")), ""
    except TooFewQuestionsError as error:
        return None, error.detail


async def _train_plans(
    store: GraphStore,
    training: Sequence[QuestionRecord],
    seed: int,
    work: WorkFolder,
    progress: "ProgressCallback",
) -> "AdaptReport | None":
    """Train a plan model, unless the packaged one serves a graph with few facts as it is."""
    from training.planning.adapt import AdaptOptions, adapt
    from training.workload import count_facts, is_tiny

    if not training and not (await store.schema()).meanings and is_tiny(await count_facts(store)):
        return None
    return await adapt(
        store,
        BASE_MODEL,
        work.empty("plans"),
        work.part("plan-checkpoints"),
        lambda done, total, text: progress(done, total, f"plans: {text}"),
        training,
        AdaptOptions(seed=seed),
    )
