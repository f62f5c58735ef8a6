"""Find the question sets on which strategies are compared, and prepare their graphs in a KGQA_HOME."""

import json
import lzma
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from bench.cypher.gold_plans import import_dump
from bench.results import ROOT
from graph.plan.value_text import value_text
from question_sets.records import QuestionRecord, draw_sample, read_questions
from shared.errors import InvalidInputError
from shared.paths import DEMO_GRAPH, dense_folder, graph_file, retriever_folder
from tests.support.command_line import WORLD, run_kgqa

_SEED = 7
_DUMPS = "property_graphs"
_Given = TypeVar("_Given")
_COMPANY = ROOT / "bench" / "questions" / "company"


@dataclass(frozen=True, slots=True)
class QuestionSet:
    """Name a question file and its graph.

    Attributes:
        title: What the page calls the set.
        graph: The name of the graph in the KGQA_HOME.
        questions: The question file; relative to the folder of the converted data set, if there is one.
        source: The graph file to import; likewise.
        data_set: The published data set to convert, if any: the name of its folder and of its converter.
        dump: The dump of Neo4j to import instead of `source`, if any. The questions are beside it, as Cypher.
        trained: The packaged retriever of the graph, if any.
        training: The question files to train the relation paths on, in the folder of the converted data set.
        validation: The question file to stop the training by, likewise; without one, a tenth of `training` is held out.
        trains_dense: Whether the encoder of `dense` is trained, too; the packaged one reads Latin scripts.
    """

    title: str
    graph: str
    questions: Path
    source: Path
    data_set: str | None = None
    dump: str | None = None
    trained: Path | None = None
    training: tuple[str, ...] = ()
    validation: str | None = None
    trains_dense: bool = False

    def prepare(self, home: Path, with_index: bool, data: Path | None = None, neo4j: str | None = None) -> None:
        """Convert the data set, import the graph, train on it, and index it, unless that is done.

        Raises InvalidInputError if the set needs `data`, the folder of the data sets, or `neo4j`, the program that
        controls Neo4j, and there is none.
        """
        if self.data_set and not self.file(home).is_file():
            self._convert(home, self._needed(data, "a published data set; pass its folder with --data"))
        if not graph_file(self.graph).is_file():
            if self.dump:
                file = self._needed(data, "a published dump; pass its folder with --data") / _DUMPS / self.dump
                import_dump(self._needed(neo4j, "a published dump; pass a program with --neo4j"), file, self.graph)
            else:
                run_kgqa(home, "import", str(self._folder(home) / self.source), "--graph", self.graph)
        if self.training and not self.retriever().is_dir():
            self._train(home)
        if self.trains_dense and with_index and not dense_folder(self.graph).is_dir():
            run_kgqa(home, "train", "dense", "--graph", self.graph, "--questions", str(self._training_file(home)))
        if with_index:
            run_kgqa(home, "index", "--graph", self.graph)  # ends at once if the index is current

    def _needed(self, given: _Given | None, source: str) -> _Given:
        if given is None:
            raise InvalidInputError(f"{self.title} is made from {source}")
        return given

    def _convert(self, home: Path, data: Path) -> None:
        if self.dump:
            lines = (
                f"{one.model_dump_json()}\n" for one in _gold_questions(data / _DUMPS / f"{self.questions.name}.xz")
            )
            self.file(home).parent.mkdir(parents=True, exist_ok=True)
            self.file(home).write_text("".join(lines), encoding="utf-8")
        else:
            run_kgqa(
                home, "convert", str(self.data_set), str(data / str(self.data_set)), "--out", str(self._folder(home))
            )

    def _train(self, home: Path) -> None:
        """Train the paths in a process of their own, and keep the packaged plan model."""
        files = [self._training_file(home), *([self._folder(home) / self.validation] if self.validation else [])]
        words = (self.graph, *map(str, (self.retriever(), *files)))
        subprocess.run([sys.executable, "-m", "bench.paths.path_training", *words], check=True)

    def _training_file(self, home: Path) -> Path:
        """Return all training questions as one file, which is written anew."""
        questions = home / f"{self.graph}-training.jsonl"
        texts = [(self._folder(home) / name).read_text(encoding="utf-8") for name in self.training]
        questions.write_text("".join(texts), encoding="utf-8")
        return questions

    def file(self, home: Path) -> Path:
        """Return the question file."""
        return self._folder(home) / self.questions

    def sample(self, home: Path, size: int) -> list[tuple[int, QuestionRecord]]:
        """Draw questions at random, always the same ones, with their places in the file."""
        return draw_sample(read_questions(self.file(home)), size, _SEED)

    def retriever(self) -> Path:
        """Return the folder of the retriever that was trained for the graph; it need not exist."""
        return self.trained or retriever_folder(self.graph)

    def _folder(self, home: Path) -> Path:
        return home / "sets" / (self.data_set or "")  # absolute paths replace it


def _gold_questions(file: Path) -> Iterator[QuestionRecord]:
    """Yield the questions whose gold result has a value, with the first column of the result as answers."""
    with lzma.open(file, "rt", encoding="utf-8") as lines:
        for line in lines:
            one = json.loads(line)
            values = dict.fromkeys(value_text(row[0]) for row in one["rows"] if isinstance(row[0], str | int | float))
            if values:
                yield QuestionRecord(question=one["question"], answers=tuple(values))


def _gold(title: str, graph: str, questions: str) -> QuestionSet:
    name = Path(f"{questions}.jsonl")
    return QuestionSet(title, graph, name, Path(), data_set=_DUMPS, dump=f"{graph}.dump")


def _world(title: str, questions: Path) -> QuestionSet:
    return QuestionSet(title, DEMO_GRAPH, questions, WORLD / "graph.tsv.xz", trained=WORLD / "retriever")


def _metaqa(hops: int) -> QuestionSet:
    return QuestionSet(
        f"MetaQA {hops}-hop",
        "metaqa",
        Path(f"{hops}-hop-test.jsonl"),
        Path("graph.tsv"),
        data_set="metaqa",
        training=tuple(f"{number}-hop-dev.jsonl" for number in (1, 2, 3)),
        trains_dense=True,
    )


SETS = {
    "demo-conditions": _world("demo, conditions", ROOT / "bench" / "questions" / "demo_conditions" / "questions.jsonl"),
    "world-test": _world("demo, test", WORLD / "questions" / "test.jsonl"),
    "world-typed": _world("demo, typed", WORLD / "questions" / "typed.jsonl"),
    "world-unanswerable": _world("demo, unanswerable", WORLD / "questions" / "unanswerable-test.jsonl"),
    "movies": _gold("Movies", "movies", "movies"),
    "northwind": _gold("Northwind", "northwind", "northwind"),
    "stackoverflow": _gold("StackOverflow", "stackoverflow", "stackoverflow2"),
    "company": QuestionSet("company", "company", _COMPANY / "questions.jsonl", _COMPANY / "graph.tsv"),
    **{f"metaqa-{hops}": _metaqa(hops) for hops in (1, 2, 3)},
    "zjqa": QuestionSet(
        "ZJQA, valid", "zjqa", Path("valid.jsonl"), Path("graph.tsv"), data_set="zjqa", training=("train.jsonl",)
    ),
    "webqsp": QuestionSet(
        "WebQSP, test",
        "webqsp",
        Path("test.jsonl"),
        Path("graph.tsv"),
        data_set="webqsp",
        training=("train.jsonl",),
        validation="valid.jsonl",
    ),
}
DEMO_SETS = ("demo-conditions", "world-test", "world-typed", "world-unanswerable")
