"""Judge the readings of everyday questions to develop with, over schemas with made-up rows and over whole graphs."""

import random
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

from graph.sqlite.store import SqliteGraphStore
from graph.store import INVERSE
from ingestion.importer import import_files
from question_sets.records import QuestionRecord, read_questions
from services.retriever.plans.running import run_for_answers
from shared.errors import KGQAError
from training.planning.calibration.everyday_schemas import SchemaQuestions, name_pool, read_everyday, write_rows
from training.planning.calibration.judging import (
    TIMEOUT_S,
    Asked,
    Judged,
    PlannerFor,
    gives,
    is_as_true,
    is_right,
    judge,
)

_PROJECT = Path(__file__).parents[3]
_QUESTIONS, _WORLD = _PROJECT / "bench" / "questions", _PROJECT / "examples" / "world"
_COMPANY, _DEMO = _QUESTIONS / "company" / "graph.tsv", _WORLD / "graph.tsv.xz"
_STRANGERS = [_QUESTIONS / "strangers" / name for name in ("bakery", "library", "shipping", "festival")]
_FACTS = (".tsv", ".csv")
_PER_SCHEMA = 100
_DELETED, _PER_DELETION = 6, 4
_TABLE = "group"  # the kind of question whose gold answers are rows
_UNKNOWN = _WORLD / "questions" / "unanswerable-valid.jsonl"
_MOST_UNKNOWN = 40
_SEED = 1


async def judge_graphs(planner_for: PlannerFor) -> list[Judged]:
    """Read questions about the company, the demo, and strangers' graphs, some of which the graph cannot answer."""
    judged: list[Judged] = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for questions, sources in _graphs():
            records = [one for one in read_questions(questions) if one.kind != _TABLE]
            whole = folder / f"{questions.parent.name}.sqlite"
            import_files(sources, whole)
            judged += await _judge_records(whole, records, planner_for)
            if _COMPANY in sources:
                judged += await _judge_without_facts(_COMPANY, records, planner_for, folder)
            elif _DEMO in sources:
                unknown = random.Random(_SEED).sample(read_questions(_UNKNOWN), _MOST_UNKNOWN)
                judged += await _judge_records(whole, unknown, planner_for)
    return judged


def _graphs() -> Iterator[tuple[Path, list[Path]]]:
    """Yield files of questions, each with the files of the graph that they are about."""
    yield _QUESTIONS / "company" / "train.jsonl", [_COMPANY]
    yield _QUESTIONS / "demo_conditions_dev" / "questions.jsonl", [_DEMO]
    for folder in _STRANGERS:
        yield folder / "questions.jsonl", [file for file in sorted(folder.iterdir()) if file.suffix in _FACTS]


async def judge_schemas(data: Path, planner_for: PlannerFor) -> list[Judged]:
    """Read questions over schemas with made-up rows, and all that these schemas do not answer.

    Args:
        data: The folder of the data sets, with the folder `schema_corpus`.
        planner_for: Makes the planner of a graph.
    """
    judged: list[Judged] = []
    pool = name_pool(data)
    with tempfile.TemporaryDirectory() as folder:
        for one in read_everyday(data, _PER_SCHEMA):
            file = Path(folder) / f"{one.name}.sqlite"
            write_rows(one, pool, file)
            asked = await _with_gold(one, file)
            asked += [(question, partial(is_right, None)) for question in one.unanswerable]
            judged += await judge(SqliteGraphStore(file, TIMEOUT_S), asked, planner_for)
    return judged


async def _judge_records(file: Path, records: Sequence[QuestionRecord], planner_for: PlannerFor) -> list[Judged]:
    """Read questions with gold answers; without answers, no reading is right."""
    asked = [(record.question, partial(gives, record)) for record in records]
    return await judge(SqliteGraphStore(file, TIMEOUT_S), asked, planner_for)


async def _judge_without_facts(
    source: Path, records: Sequence[QuestionRecord], planner_for: PlannerFor, folder: Path
) -> list[Judged]:
    """Delete the facts of the relations that most questions follow, and ask these questions."""
    followed = [(one, {step.strip(INVERSE) for step in one.path or ()}) for one in records]
    uses = Counter(relation for _, relations in followed for relation in relations)
    judged: list[Judged] = []
    for relation, _ in uses.most_common(_DELETED):
        file = _write_without(source, relation, folder)
        asked = [one.model_copy(update={"answers": ()}) for one, relations in followed if relation in relations]
        judged += await _judge_records(file, asked[:_PER_DELETION], planner_for)
    return judged


def _write_without(source: Path, relation: str, folder: Path) -> Path:
    """Write a graph file without the facts of a relation, and return its path."""
    lines = source.read_text(encoding="utf-8").splitlines(keepends=True)
    facts = folder / f"without-{relation}.tsv"
    facts.write_text("".join(line for line in lines if line.split("\t")[1] != relation), encoding="utf-8")
    import_files([facts], facts.with_suffix(".sqlite"))
    return facts.with_suffix(".sqlite")


async def _with_gold(one: SchemaQuestions, file: Path) -> list[Asked]:
    """Return the questions whose query returns something, each with a test of results."""
    store = SqliteGraphStore(file, TIMEOUT_S)
    asked: list[Asked] = []
    for question in one.questions.questions:
        try:
            wanted = (await run_for_answers(store, question.plan)).result
        except KGQAError:
            continue
        if wanted.rows:
            test = is_as_true if question.question in one.whether else is_right
            asked.append((question.question, partial(test, wanted)))
    await store.close()
    return asked
