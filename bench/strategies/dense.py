"""Measure dense retrieval on a sample of the demo's questions: `python -m bench.strategies.dense HOME`.

HOME is a KGQA_HOME for the graphs and their indexes, which take minutes to build and are kept there. `--sets SET...`
measures the recall on other sets instead, for which published data sets need `--data DATA`; where a set has training
questions, the encoder is trained on them, too. If KGQA_RETRIEVER_LLM_URL and KGQA_RETRIEVER_LLM_MODEL are set, that is
done with a chain of thought, too.
"""

import argparse
import asyncio
import os
import shutil
import statistics
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from pathlib import Path

import numpy as np
import numpy.typing as npt

from bench.results import Section, head, keep
from bench.strategies.sets import SETS
from contracts.answers import answer_names
from contracts.retrieve import RetrieveRequest
from graph.sqlite.connection import connect
from graph.sqlite.store import SqliteGraphStore
from language.english.english import english
from question_sets.records import QuestionRecord, draw_sample, read_questions
from services.retriever.dense.dense_encoder import ENCODER_FOLDER, DenseEncoder, encoder_folder, read_dense_manifest
from services.retriever.dense.index_file import read_index
from services.retriever.dense.path_search import HopQueries, search_around
from services.retriever.dense.similarity import ROWS_PER_BLOCK, best_rows, similarities
from services.retriever.dense.triple_index import Topic, open_index
from services.retriever.encoder.encoder import OnnxEncoder, Vectors
from services.retriever.encoder.sentence_vectors import sentence_vectors
from services.retriever.linking.linker import EntityLinker
from services.retriever.linking.word_surprisal import WordSurprisal
from services.retriever.replies.retrieval import Retrieval
from services.retriever.settings import RetrieverSettings
from services.retriever.strategies.chain_of_thought import growing_queries, thoughts_about
from services.retriever.strategies.dense import TRIPLES, DenseStrategy, searched
from shared.paths import DEMO_GRAPH, graph_file, index_file
from shared.settings import load_settings
from tests.support.command_line import WORLD, run_kgqa

_SEED = 7
_AT = (5, 10, 20, 30)
_FILES = ("valid", "test")
_Scored = tuple[npt.NDArray[np.int64], Vectors]
"""Triples, [n], and their scores, [n]."""
_MEASURES = (
    "`recall@k`: the mean share of a question's gold answers that the k most similar triples name; `any@30`: the share "
    "of questions with at least one. `whole graph`: single triples of the whole graph; `KAPING`: single triples around "
    "the topic entities; `encoder as is`: single triples within the hops that are searched around these; `+ subgraph`: "
    "the same, each together with the triples that connect it to its topic, as `strategy: dense` retrieves them. "
)
_NOTE = (
    "{sample} random answerable questions of each file of the demo. " + _MEASURES + "The packaged encoder is used "
    "without training and without a chain of thought. The topic entities are gold, except for `answered` and `right`, "
    "which are those of the strategy; an answer is right if it is the gold set. The weight of the subgraph and the "
    "threshold of the strategy were chosen on `valid`."
)
_RECALL_NOTE = (
    "At most {sample} random questions with answers. " + _MEASURES + "The topic entities are gold where the set has "
    "them, else linked."
)
_TRAINED_NOTE = " `+ training`: with the encoder that `kgqa train dense` trained on {files}."
_THOUGHTS_NOTE = (
    " `+ chain of thought`: the steps that {model} writes make further queries, whose similarities are averaged."
)

_Thoughts = Mapping[str, Sequence[str]]
"""The steps that a language model wrote for each question."""


class _Indexed:
    """Hold a graph's index, and search it in parts."""

    def __init__(self, graph: str) -> None:
        _, mapped = read_index(index_file(graph_file(graph)))
        self.arrays = mapped._replace(vectors=mapped.vectors.astype(np.float32))  # widened once for all questions
        with closing(connect(graph_file(graph))) as connection:
            entities = connection.execute("SELECT id, key, name FROM entities").fetchall()
        self._rows: dict[str, int] = {key: row for row, key, _ in entities}
        self._names: dict[int, str] = {row: name for row, _, name in entities}
        self._ends = np.asarray(self.arrays.ids[:, [0, 2]])
        folder = encoder_folder(graph)
        manifest = read_dense_manifest(folder, graph)
        self._encoder = DenseEncoder(OnnxEncoder(folder), manifest.hops if manifest else None)
        self._store = SqliteGraphStore(graph_file(graph))
        vocabulary = OnnxEncoder(ENCODER_FOLDER).vocabulary
        self._linker = EntityLinker(self._store, WordSurprisal(vocabulary=vocabulary))

    async def topics(self, question: QuestionRecord) -> list[Topic]:
        """Return the gold topic entity of a question, or else those that are linked."""
        return searched(await self._linker.topics(english(question.question), question.topic))

    def whole(self, queries: Sequence[str]) -> _Scored:
        """Score all triples of the graph by themselves."""
        encoded = sentence_vectors(self._encoder.encoder, queries)
        return np.arange(len(self.arrays.ids)), similarities(self.arrays, encoded, 0.0, ROWS_PER_BLOCK)

    def around(self, queries: Sequence[str], topics: Sequence[Topic], has_subgraph: bool, hops: int = 9) -> _Scored:
        """Score the triples within some hops around topic entities, by themselves or with those that connect them."""
        rows, scores = [np.empty(0, dtype=np.int64)], [np.empty(0, dtype=np.float32)]
        for topic in topics:
            excluded = frozenset(self._rows[other] for other in topic.excluded)
            vectors = self._encoder.hop_queries(queries, topic.mention)[:hops]
            found = search_around(
                self.arrays, HopQueries(self._rows[topic.id], vectors, excluded), self._encoder.weights
            )
            rows.append(found.rows)
            own = (self.arrays.vectors[found.rows] @ vectors.T).max(axis=1, initial=-1)
            scores.append(found.scores if has_subgraph else np.asarray(own, dtype=np.float32))
        distinct, places = np.unique(np.concatenate(rows), return_inverse=True)
        best = np.full(len(distinct), -np.inf, dtype=np.float32)
        np.maximum.at(best, places, np.concatenate(scores))
        return distinct, best

    def named(self, rows: npt.NDArray[np.int64]) -> set[str]:
        """Return the names in some triples."""
        return {self._names[end] for end in self._ends[rows].ravel().tolist()}


_Variant = Callable[[_Indexed, Sequence[str], Sequence[Topic]], _Scored]
_VARIANTS: dict[str, _Variant] = {
    "whole graph": lambda indexed, queries, topics: indexed.whole(queries),
    "KAPING": lambda indexed, queries, topics: indexed.around(queries, topics, has_subgraph=False, hops=1),
    "encoder as is": lambda indexed, queries, topics: indexed.around(queries, topics, has_subgraph=False),
    "+ subgraph": lambda indexed, queries, topics: indexed.around(queries, topics, has_subgraph=True),
}


async def recalls(
    indexed: _Indexed, questions: Sequence[QuestionRecord], variant: _Variant, thoughts: _Thoughts | None = None
) -> dict[str, str]:
    """Return the mean recall at each k, as text."""
    found: dict[str, list[float]] = {}
    for question in questions:
        queries = growing_queries(question.question, (thoughts or {}).get(question.question, ()))
        rows, scores = variant(indexed, queries, await indexed.topics(question))
        best = rows[best_rows(scores, max(_AT))]
        gold = set(question.answers)
        for k in _AT:
            found.setdefault(f"recall@{k}", []).append(len(gold & indexed.named(best[:k])) / len(gold))
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
        reply = await Retrieval(strategy).retrieve(
            RetrieveRequest(question=question.question, min_confidence=threshold)
        )
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
        trained = {}
        if chosen.training:
            trained = _columns(indexed, questions, thoughts if model else None, ("encoder as is", "+ subgraph"))
            indexed = _Indexed(_untrained(home, chosen.graph))
        columns = {
            **_columns(indexed, questions, thoughts if model else None),
            **{_with_training(title): column for title, column in trained.items()},
        }
        note = _RECALL_NOTE.format(sample=size)
        note += _TRAINED_NOTE.format(files=", ".join(chosen.training)) if trained else ""
        data_option = " --data DATA" if chosen.data_set else ""
        section = Section(
            order=44,
            title=f"Dense retrieval: {chosen.title}",
            note=note + (_THOUGHTS_NOTE.format(model=model) if model else ""),
            command=f"python -m bench.strategies.dense HOME --sets {name} --questions {size}{data_option}",
            columns=columns,
            commit=commit,
            remarks=[f"{len(questions):,} questions; the index has {len(indexed.arrays.ids):,} triples."],
        )
        keep(f"dense-{name}", section)


def _columns(
    indexed: _Indexed,
    questions: Sequence[QuestionRecord],
    thoughts: _Thoughts | None,
    variants: Iterable[str] = tuple(_VARIANTS),
) -> dict[str, dict[str, str]]:
    columns = {title: asyncio.run(recalls(indexed, questions, _VARIANTS[title])) for title in variants}
    if thoughts is not None:
        title = "+ subgraph + chain of thought"
        columns[title] = asyncio.run(recalls(indexed, questions, _VARIANTS["+ subgraph"], thoughts))
    return columns


def _with_training(title: str) -> str:
    return "+ training" if title == "encoder as is" else f"+ training {title}"


def _untrained(home: Path, graph: str) -> str:
    """Index a copy of a graph with the packaged encoder unless that is done, and return its name."""
    copy = f"{graph}-untrained"
    if not index_file(graph_file(copy)).is_file():
        shutil.copyfile(graph_file(graph), graph_file(copy))
        run_kgqa(home, "index", "--graph", copy)
    return copy


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
    if not index_file(graph_file(DEMO_GRAPH)).is_file():
        run_kgqa(home, "import", str(WORLD / "graph.tsv.xz"), "--graph", DEMO_GRAPH)
        run_kgqa(home, "index", "--graph", DEMO_GRAPH)
    commit, demo = head(), _Indexed(DEMO_GRAPH)
    columns: dict[str, dict[str, str]] = {}
    for name in _FILES:
        questions = sample_of(name, size)
        for title, column in _columns(demo, questions, None).items():
            columns[f"{name}, {title}"] = column
        columns[f"{name}, + subgraph"] |= asyncio.run(answers(questions))
    unanswerable = list(read_questions(WORLD / "questions" / "unanswerable-test.jsonl"))
    columns["unanswerable-test"] = {"answered": asyncio.run(answers(unanswerable))["answered"]}
    note = _NOTE.format(sample=size)
    keep(
        "dense",
        Section(
            order=43,
            title="Dense retrieval",
            note=note,
            command="python -m bench.strategies.dense HOME",
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
