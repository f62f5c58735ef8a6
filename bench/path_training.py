"""Train the relation paths of a retriever, and keep the packaged plan model.

`kgqa train retriever` adapts the plan model, too, which takes several times as long, and the chains of published data
sets need paths alone. Retriever benchmarks run this in a process of their own, as they run other commands.

python -m bench.path_training GRAPH FOLDER [QUESTIONS] [VALID]      # with the graphs of KGQA_HOME
"""

import argparse
import asyncio
from pathlib import Path

from question_sets.records import read_questions
from shared.graph.opening import open_graph
from training.retriever.train import TrainingJob, train_retriever

_QUERY_TIMEOUT_S = 120.0


async def train_paths(graph: str, folder: Path, questions: Path | None, valid: Path | None) -> None:
    """Train with default settings, on the graph alone if there are no questions, and write the model to a folder."""
    store = open_graph(graph, _QUERY_TIMEOUT_S)
    try:
        records = read_questions(questions) if questions else []
        names = questions.name if questions else "made from the graph", valid.name if valid else "held out"
        job = TrainingJob(store, graph, records, read_questions(valid) if valid else None, folder, *names)
        await train_retriever(job, lambda *_: None)
    finally:
        await store.close()


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
