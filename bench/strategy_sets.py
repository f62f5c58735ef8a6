"""Find the question sets on which strategies are compared, and prepare their graphs in a KGQA_HOME."""

from dataclasses import dataclass
from pathlib import Path

from bench.results import ROOT
from question_sets.records import QuestionRecord, draw_sample, read_questions
from shared.errors import InvalidInputError
from shared.paths import DEMO_GRAPH, graph_file, index_file, retriever_folder
from tests.support.command_line import WORLD, run_kgqa

_SEED = 7
_COMPANY = ROOT / "bench" / "company"


@dataclass(frozen=True, slots=True)
class QuestionSet:
    """Name a question file and its graph.

    Attributes:
        title: What the page calls the set.
        graph: The name of the graph in the KGQA_HOME.
        questions: The question file; relative to the folder of the converted data set, if there is one.
        source: The graph file to import; likewise.
        data_set: The published data set to convert, if any: the name of its folder and of its converter.
        trained: The packaged retriever of the graph, if any.
    """

    title: str
    graph: str
    questions: Path
    source: Path
    data_set: str | None = None
    trained: Path | None = None

    def prepare(self, home: Path, data: Path | None, with_index: bool) -> None:
        """Convert the data set, and import and index the graph, unless that is done.

        Raises InvalidInputError if the set needs `data`, the folder of the data sets, and there is none.
        """
        if self.data_set and not self.file(home).is_file():
            if data is None:
                raise InvalidInputError(f"{self.title} is made from a published data set; pass its folder with --data")
            run_kgqa(home, "convert", self.data_set, str(data / self.data_set), "--out", str(self._folder(home)))
        if not graph_file(self.graph).is_file():
            run_kgqa(home, "import", str(self._folder(home) / self.source), "--graph", self.graph)
        if with_index and not index_file(self.graph).is_file():
            run_kgqa(home, "index", "--graph", self.graph)

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


def _world(title: str, questions: Path) -> QuestionSet:
    return QuestionSet(title, DEMO_GRAPH, questions, WORLD / "graph.tsv.xz", trained=WORLD / "retriever")


def _metaqa(hops: int) -> QuestionSet:
    return QuestionSet(
        f"MetaQA {hops}-hop", "metaqa", Path(f"{hops}-hop-test.jsonl"), Path("graph.tsv"), data_set="metaqa"
    )


SETS = {
    "demo-conditions": _world("demo, conditions", ROOT / "bench" / "demo_conditions" / "questions.jsonl"),
    "world-test": _world("demo, test", WORLD / "questions" / "test.jsonl"),
    "world-typed": _world("demo, typed", WORLD / "questions" / "typed.jsonl"),
    "world-unanswerable": _world("demo, unanswerable", WORLD / "questions" / "unanswerable-test.jsonl"),
    "company": QuestionSet("company", "company", _COMPANY / "questions.jsonl", _COMPANY / "graph.tsv"),
    **{f"metaqa-{hops}": _metaqa(hops) for hops in (1, 2, 3)},
    "zjqa": QuestionSet("ZJQA, valid", "zjqa", Path("valid.jsonl"), Path("graph.tsv"), data_set="zjqa"),
    "webqsp": QuestionSet("WebQSP, test", "webqsp", Path("test.jsonl"), Path("graph.tsv"), data_set="webqsp"),
}
DEMO_SETS = ("demo-conditions", "world-test", "world-typed", "world-unanswerable")
