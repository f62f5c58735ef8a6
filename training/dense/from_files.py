"""Train the encoder of the strategy dense on a named graph and question files."""

import importlib.util
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from graph.opening import is_file_graph, open_graph
from question_sets.records import read_questions
from shared.errors import DependencyError, InvalidInputError

if TYPE_CHECKING:
    from training.dense.train import DenseReport
    from training.retriever.training_loop import ProgressCallback

_QUERY_TIMEOUT_S = 120.0


async def train_dense_from_files(
    graph: str, questions: Path, valid: Path | None, seed: int, progress: "ProgressCallback"
) -> "DenseReport":
    """Train the encoder of a graph file, or resume an interrupted run.

    Args:
        graph: The name of the graph.
        questions: The training questions, with relation paths.
        valid: The validation questions; if None, hold out a tenth of `questions`.
        seed: The seed for all random choices.
        progress: Called after every batch.

    Raises:
        DependencyError: The packages of the `train` extra are not installed.
        InvalidInputError: The graph is a database, or the questions are unusable for training.
        NotFoundError: The graph, a question file, or the pretrained encoder is missing.
    """
    if importlib.util.find_spec("torch") is None:
        raise DependencyError("training needs more packages than serving; run `make install-train` first")
    if not is_file_graph():
        raise InvalidInputError(
            "the strategy dense searches graph files only, and KGQA_NEO4J_URL is set; unset it, "
            "and copy the database into a graph file with: kgqa import URL --graph NAME"
        )
    from training.dense.train import OPTIONS, DenseJob, train_dense  # torch takes seconds to load

    records, held_out = read_questions(questions), read_questions(valid) if valid else None
    store = open_graph(graph, _QUERY_TIMEOUT_S)
    try:
        await store.check()
        return await train_dense(DenseJob(store, graph, records, held_out, replace(OPTIONS, seed=seed)), progress)
    finally:
        await store.close()
