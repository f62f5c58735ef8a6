"""Train the relation paths of a retriever, and keep the packaged plan model.

`kgqa train retriever` adapts the plan model, too, which takes several times as long, and the chains of published data
sets need paths alone. Retriever benchmarks run this in a process of their own, as they run other commands.

python -m bench.paths.path_training GRAPH FOLDER [QUESTIONS] [VALID]      # with the graphs of KGQA_HOME
"""

import argparse
import asyncio
from collections.abc import Sequence
from pathlib import Path

from evaluation.model_comparison import PRESENT, comparable, compare, evidence_of
from graph.opening import open_graph
from question_sets.records import QuestionRecord, read_questions
from training.retriever.held_aside import keep_aside
from training.retriever.model_parts import ModelParts, record_evidence
from training.retriever.train import TrainingJob, train_retriever
from training.work_folder import open_work_folder

_QUERY_TIMEOUT_S = 120.0
_SEED = 1


async def train_paths(graph: str, folder: Path, questions: Path | None, valid: Path | None) -> None:
    """Train with default settings, on the graph alone if there are no questions, and write the model to a folder."""
    store = open_graph(graph, _QUERY_TIMEOUT_S)
    try:
        split = await keep_aside(store, read_questions(questions) if questions else [], _SEED)
        names = questions.name if questions else "made from the graph", valid.name if valid else "held out"
        held_out = read_questions(valid) if valid else None
        with open_work_folder(folder) as work:
            new, checkpoints = work.empty(), work.part("checkpoints")
            job = TrainingJob(store, graph, split.training, held_out, new, checkpoints, *names)
            await train_retriever(job, lambda *_: None)
            await _record_evidence(graph, new, split.aside)
            work.publish(new)
    finally:
        await store.close()


async def _record_evidence(graph: str, model: Path, aside: Sequence[QuestionRecord]) -> None:
    """Record whether the paths answer better than the packaged plan model, as `kgqa train retriever` does."""
    if aside:
        records = (await comparable(graph, aside)).records
        scores = await compare(graph, ModelParts(), ModelParts(paths=model), records, lambda *_: None)
        record_evidence(model, evidence_of(scores["new paths"], scores[PRESENT]))


def main() -> None:
    """Train as the command line says."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("graph", help="a graph of KGQA_HOME")
    parser.add_argument("folder", type=Path, help="the model folder to write")
    parser.add_argument("questions", type=Path, nargs="?", help="training questions; none to train on the graph alone")
    parser.add_argument("valid", type=Path, nargs="?", help="validation questions; none to hold out a tenth")
    given = parser.parse_args()
    asyncio.run(train_paths(given.graph, given.folder, given.questions, given.valid))


if __name__ == "__main__":
    main()
