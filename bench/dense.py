"""Measure dense retrieval on a sample of the demo's questions: `python -m bench.dense HOME`.

HOME is a KGQA_HOME for the demo graph and its index, which takes minutes to build and is kept there.
"""

import argparse
import asyncio
import os
import statistics
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path

import numpy as np
import numpy.typing as npt

from bench.results import Section, head, keep
from question_sets.records import QuestionRecord, draw_sample, read_questions
from services.retriever.dense.index_file import IndexArrays, read_index
from services.retriever.dense.similarity import ROWS_PER_BLOCK, best_rows, similarities
from services.retriever.dense.triple_index import ENCODER_FOLDER, NEAR_WEIGHT, open_index
from services.retriever.linking.linker import EntityLinker
from services.retriever.linking.word_surprisal import WordSurprisal
from services.retriever.prediction.encoder import OnnxEncoder, Vectors
from services.retriever.prediction.sentence_vectors import sentence_vectors
from services.retriever.strategies.dense import TRIPLES, DenseStrategy
from shared.contracts import RetrieveRequest, answer_names
from shared.graph.sqlite.connection import connect
from shared.graph.sqlite.store import SqliteGraphStore
from shared.paths import DEMO_GRAPH, graph_file, index_file
from tests.support.command_line import WORLD, run_kgqa

_SEED = 7
_AT = (5, 10, 20, 30)
_FILES = ("valid", "test")
_NOTE = (
    "{sample} random answerable questions of each file of the demo. `recall@k`: the mean share of a question's gold "
    "answers that the k most similar triples name; `any@30`: the share of questions with at least one. The packaged "
    "encoder is used as it is, without training and without a chain of thought. `KAPING`: single triples, of those "
    "around the gold topic entity; `single`: single triples, of the whole graph; `subgraph`: triples with those around "
    "them, of the whole graph, as `strategy: dense` retrieves them. `answered` and `right` are those of the strategy, "
    "with linked topics; an answer is right if it is the gold set. The weight of the subgraph and the threshold of the "
    "strategy were chosen on `valid`."
)


class _Demo:
    """Hold the demo graph's index, and the vectors of questions."""

    def __init__(self) -> None:
        _, mapped = read_index(index_file(DEMO_GRAPH))
        self.arrays = mapped._replace(vectors=mapped.vectors.astype(np.float32))  # widened once for all questions
        with closing(connect(graph_file(DEMO_GRAPH))) as connection:
            self.names: dict[int, str] = dict(connection.execute("SELECT id, name FROM entities"))
        self._ends = np.asarray(self.arrays.ids[:, [0, 2]])
        self._encoder = OnnxEncoder(ENCODER_FOLDER)

    def encoded(self, question: QuestionRecord) -> Vectors:
        """Return the vector of a question, [1, dim]."""
        return sentence_vectors(self._encoder, [question.question])

    def around(self, topic: str | None) -> npt.NDArray[np.bool_]:
        """Return which triples have the topic entity."""
        rows = [row for row, name in self.names.items() if name == topic]
        return np.asarray(np.isin(self._ends, rows).any(axis=1))

    def named(self, rows: Sequence[int]) -> set[str]:
        """Return the names in some triples."""
        return {self.names[end] for end in self._ends[list(rows)].ravel().tolist()}


def recalls(demo: _Demo, questions: Sequence[QuestionRecord], near_weight: float, is_local: bool) -> dict[str, float]:
    """Return the mean recall at each k, of all triples or of those around the topic entity."""
    found: dict[str, list[float]] = {}
    arrays: IndexArrays = demo.arrays
    for question in questions:
        scores = similarities(arrays.vectors, arrays.near, demo.encoded(question), near_weight, ROWS_PER_BLOCK)
        if is_local:
            scores[~demo.around(question.topic)] = -np.inf
        rows = [row for row in best_rows(scores, max(_AT)).tolist() if np.isfinite(scores[row])]
        gold = set(question.answers)
        for k in _AT:
            found.setdefault(f"recall@{k}", []).append(len(gold & demo.named(rows[:k])) / len(gold))
        found.setdefault(f"any@{max(_AT)}", []).append(float(found[f"recall@{max(_AT)}"][-1] > 0))
    return {measure: statistics.fmean(values) for measure, values in found.items()}


async def answers(questions: Sequence[QuestionRecord], threshold: float | None = None) -> dict[str, str]:
    """Ask the strategy, and count the questions that it answers, and those that it answers rightly."""
    index = open_index(DEMO_GRAPH)
    store = SqliteGraphStore(graph_file(DEMO_GRAPH))
    vocabulary = OnnxEncoder(ENCODER_FOLDER).vocabulary
    strategy = DenseStrategy(store, EntityLinker(store, WordSurprisal(vocabulary=vocabulary)), index)
    answered, right, seconds = 0, 0, []
    for question in questions:
        started = time.perf_counter()
        reply = await strategy.retrieve(RetrieveRequest(question=question.question, min_confidence=threshold))
        seconds.append(time.perf_counter() - started)
        answered += bool(reply.answers)
        right += bool(reply.answers) and set(answer_names(reply.answers)) == set(question.answers)
    index.close()
    await store.close()
    return {
        "answered": f"{answered} of {len(questions)}",
        "right": f"{right} of {answered}",
        "latency_ms": f"p50 {statistics.median(seconds) * 1000:.0f}",
    }


def sample_of(name: str, size: int) -> list[QuestionRecord]:
    """Return a random sample of the demo's questions that have answers."""
    questions = [one for one in read_questions(WORLD / "questions" / f"{name}.jsonl") if one.answers]
    return [question for _, question in draw_sample(questions, size, _SEED)]


def measure(home: Path, size: int) -> None:
    """Index the demo graph unless that is done, and save the figures."""
    if not index_file(DEMO_GRAPH).is_file():
        run_kgqa(home, "import", str(WORLD / "graph.tsv.xz"), "--graph", DEMO_GRAPH)
        run_kgqa(home, "index", "--graph", DEMO_GRAPH)
    commit, demo = head(), _Demo()
    variants: dict[str, Callable[[Sequence[QuestionRecord]], dict[str, float]]] = {
        "KAPING": lambda questions: recalls(demo, questions, 0.0, is_local=True),
        "single": lambda questions: recalls(demo, questions, 0.0, is_local=False),
        "subgraph": lambda questions: recalls(demo, questions, NEAR_WEIGHT, is_local=False),
    }
    columns: dict[str, dict[str, str]] = {}
    for name in _FILES:
        questions = sample_of(name, size)
        for variant, measured in variants.items():
            found = {measure: f"{value:.3f}" for measure, value in measured(questions).items()}
            columns[f"{name}, {variant}"] = found
        columns[f"{name}, subgraph"] |= asyncio.run(answers(questions))
    unanswerable = list(read_questions(WORLD / "questions" / "unanswerable-test.jsonl"))
    columns["unanswerable-test"] = {"answered": asyncio.run(answers(unanswerable))["answered"]}
    note = _NOTE.format(sample=size)
    keep(
        "dense",
        Section(
            order=43,
            title="Dense retrieval",
            note=note,
            command="python -m bench.dense HOME",
            columns=columns,
            commit=commit,
            remarks=[f"The index has {len(demo.arrays.ids):,} triples, and the strategy retrieves {TRIPLES} of them."],
        ),
    )


def main() -> None:
    """Measure a sample of each file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("home", type=Path, metavar="HOME", help="KGQA_HOME for the graph and its index.")
    parser.add_argument("--questions", type=int, default=100, help="Number of questions of each file.")
    arguments = parser.parse_args()
    arguments.home.mkdir(parents=True, exist_ok=True)
    os.environ["KGQA_HOME"] = str(arguments.home)
    measure(arguments.home, arguments.questions)


if __name__ == "__main__":
    main()
