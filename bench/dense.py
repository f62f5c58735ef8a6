"""Measure dense retrieval on a sample of the demo's questions: `python -m bench.dense HOME`.

HOME is a KGQA_HOME for the graphs and their indexes, which take minutes to build and are kept there. `--sets SET...`
measures the recall on other sets instead, for which published data sets need `--data DATA`. If KGQA_RETRIEVER_LLM_URL
and KGQA_RETRIEVER_LLM_MODEL are set, that is done with a chain of thought, too.
"""

import argparse
import asyncio
import os
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from pathlib import Path

import numpy as np
import numpy.typing as npt

from bench.results import Section, head, keep
from bench.strategy_sets import SETS
from question_sets.records import QuestionRecord, draw_sample, read_questions
from services.retriever.dense.index_file import IndexArrays, read_index
from services.retriever.dense.similarity import ROWS_PER_BLOCK, best_rows, similarities
from services.retriever.dense.triple_index import ENCODER_FOLDER, NEAR_WEIGHT, open_index
from services.retriever.linking.linker import EntityLinker
from services.retriever.linking.word_surprisal import WordSurprisal
from services.retriever.prediction.encoder import OnnxEncoder, Vectors
from services.retriever.prediction.sentence_vectors import sentence_vectors
from services.retriever.settings import RetrieverSettings
from services.retriever.strategies.chain_of_thought import growing_queries, thoughts_about
from services.retriever.strategies.dense import TRIPLES, DenseStrategy
from shared.contracts import RetrieveRequest, answer_names
from shared.graph.sqlite.connection import connect
from shared.graph.sqlite.store import SqliteGraphStore
from shared.paths import DEMO_GRAPH, graph_file, index_file
from shared.settings import load_settings
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


_RECALL_NOTE = (
    "At most {sample} random questions with answers. `recall@k`: the mean share of a question's gold answers that the "
    "k most similar triples of the whole graph name; `any@30`: the share of questions with at least one. `encoder as "
    "is`: single triples; `+ subgraph`: triples with those around them; `KAPING`: single triples, of those around the "
    "gold topic entity, if the set has it. The encoder is the packaged one, without training."
)
_THOUGHTS_NOTE = (
    " `+ chain of thought`: the steps that {model} writes make further queries, whose similarities are summed."
)

_Thoughts = Mapping[str, Sequence[str]]
"""The steps that a language model wrote for each question."""


class _Indexed:
    """Hold a graph's index, and the vectors of questions."""

    def __init__(self, graph: str) -> None:
        _, mapped = read_index(index_file(graph))
        self.arrays = mapped._replace(vectors=mapped.vectors.astype(np.float32))  # widened once for all questions
        with closing(connect(graph_file(graph))) as connection:
            self.names: dict[int, str] = dict(connection.execute("SELECT id, name FROM entities"))
        self._ends = np.asarray(self.arrays.ids[:, [0, 2]])
        self._encoder = OnnxEncoder(ENCODER_FOLDER)

    def encoded(self, question: QuestionRecord, thoughts: Sequence[str]) -> Vectors:
        """Return the vectors of the queries that a question and some thoughts make, [queries, dim]."""
        return sentence_vectors(self._encoder, growing_queries(question.question, thoughts))

    def around(self, topic: str | None) -> npt.NDArray[np.bool_]:
        """Return which triples have the topic entity."""
        rows = [row for row, name in self.names.items() if name == topic]
        return np.asarray(np.isin(self._ends, rows).any(axis=1))

    def named(self, rows: Sequence[int]) -> set[str]:
        """Return the names in some triples."""
        return {self.names[end] for end in self._ends[list(rows)].ravel().tolist()}


def recalls(
    indexed: _Indexed,
    questions: Sequence[QuestionRecord],
    near_weight: float,
    is_local: bool = False,
    thoughts: _Thoughts | None = None,
) -> dict[str, str]:
    """Return the mean recall at each k, of all triples or of those around the topic entity, as text."""
    found: dict[str, list[float]] = {}
    arrays: IndexArrays = indexed.arrays
    for question in questions:
        queries = indexed.encoded(question, (thoughts or {}).get(question.question, ()))
        scores = similarities(arrays.vectors, arrays.near, queries, near_weight, ROWS_PER_BLOCK)
        if is_local:
            scores[~indexed.around(question.topic)] = -np.inf
        rows = [row for row in best_rows(scores, max(_AT)).tolist() if np.isfinite(scores[row])]
        gold = set(question.answers)
        for k in _AT:
            found.setdefault(f"recall@{k}", []).append(len(gold & indexed.named(rows[:k])) / len(gold))
        found.setdefault(f"any@{max(_AT)}", []).append(float(found[f"recall@{max(_AT)}"][-1] > 0))
    return {measure: f"{statistics.fmean(values):.3f}" for measure, values in found.items()}


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


def measure_sets(home: Path, names: Sequence[str], data: Path | None, size: int) -> None:
    """Measure the recall on question sets, and save the figures of each."""
    commit = head()
    for name in names:
        chosen = SETS[name]
        chosen.prepare(home, with_index=True, data=data)
        questions = [record for _, record in chosen.sample(home, size) if record.answers]
        model, thoughts = asyncio.run(_thoughts(questions))
        indexed = _Indexed(chosen.graph)
        columns = {
            "encoder as is": recalls(indexed, questions, 0.0),
            "+ subgraph": recalls(indexed, questions, NEAR_WEIGHT),
        }
        if model:
            columns["+ chain of thought"] = recalls(indexed, questions, 0.0, thoughts=thoughts)
            columns["both"] = recalls(indexed, questions, NEAR_WEIGHT, thoughts=thoughts)
        if all(one.topic for one in questions):
            columns["KAPING"] = recalls(indexed, questions, 0.0, is_local=True)
        data_option = " --data DATA" if chosen.data_set else ""
        section = Section(
            order=44,
            title=f"Dense retrieval: {chosen.title}",
            note=_RECALL_NOTE.format(sample=size) + (_THOUGHTS_NOTE.format(model=model) if model else ""),
            command=f"python -m bench.dense HOME --sets {name} --questions {size}{data_option}",
            columns=columns,
            commit=commit,
            remarks=[f"{len(questions):,} questions; the index has {len(indexed.arrays.ids):,} triples."],
        )
        keep(f"dense-{name}", section)


async def _thoughts(questions: Sequence[QuestionRecord]) -> tuple[str | None, _Thoughts]:
    """Return the name of the language model that is set, if any, and the steps that it writes for each question."""
    model = load_settings(RetrieverSettings).language_model()
    if model is None:
        return None, {}
    try:
        asked = {one.question: await thoughts_about(one.question, model) for one in questions}
        return model.name, {question: [] if isinstance(found, str) else found for question, found in asked.items()}
    finally:
        await model.close()


def measure(home: Path, size: int) -> None:
    """Index the demo graph unless that is done, and save the figures."""
    if not index_file(DEMO_GRAPH).is_file():
        run_kgqa(home, "import", str(WORLD / "graph.tsv.xz"), "--graph", DEMO_GRAPH)
        run_kgqa(home, "index", "--graph", DEMO_GRAPH)
    commit, demo = head(), _Indexed(DEMO_GRAPH)
    variants: dict[str, Callable[[Sequence[QuestionRecord]], dict[str, str]]] = {
        "KAPING": lambda questions: recalls(demo, questions, 0.0, is_local=True),
        "single": lambda questions: recalls(demo, questions, 0.0),
        "subgraph": lambda questions: recalls(demo, questions, NEAR_WEIGHT),
    }
    columns: dict[str, dict[str, str]] = {}
    for name in _FILES:
        questions = sample_of(name, size)
        for variant, measured in variants.items():
            columns[f"{name}, {variant}"] = measured(questions)
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
    """Measure a sample of each file of the demo, or of the sets that are named."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("home", type=Path, metavar="HOME", help="KGQA_HOME for the graph and its index.")
    parser.add_argument("--questions", type=int, default=100, help="Number of questions of each file.")
    parser.add_argument("--sets", nargs="+", choices=SETS, default=(), help="sets whose recall to measure")
    parser.add_argument("--data", type=Path, metavar="DATA", help="folder of the data sets")
    arguments = parser.parse_args()
    arguments.home.mkdir(parents=True, exist_ok=True)
    os.environ["KGQA_HOME"] = str(arguments.home)
    if arguments.sets:
        measure_sets(arguments.home, arguments.sets, arguments.data, arguments.questions)
    else:
        measure(arguments.home, arguments.questions)


if __name__ == "__main__":
    main()
