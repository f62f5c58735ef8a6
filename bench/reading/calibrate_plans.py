"""Calibrate the confidence of a plan model: `python -m bench.reading.calibrate_plans DATA MODEL`.

DATA holds the folders `spider` and `schema_corpus`; MODEL is the folder of the model, whose manifest is rewritten. The
questions are those of Spider's development set, which people wrote about databases that the base model has not seen,
and everyday questions to develop with: those over ten schemas that it has not seen either, those about the company's
graph that users would train on, 130 about the demo graph, and those about four graphs of strangers. Databases and
schemas are filled with invented rows. A reading is right if it gives what the plan of the query gives, or the gold
answers, in some column. Some questions are also asked about graphs that lack a property or a relationship that they
need, and others ask for what the schema lacks, so that every reading is wrong.
"""

import argparse
import asyncio
import random
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from bench.reading.everyday import SchemaQuestions, name_pool, read_dev, write_rows
from bench.reading.stranger_graphs import graph_files
from bench.results import ROOT
from ingestion.importer import import_files
from question_sets.plan_questions import PlanQuestion
from question_sets.records import QuestionRecord, read_questions
from question_sets.spider.keys import Place
from question_sets.spider.parsing import QueryColumns, UnsupportedSqlError, parse_sql
from question_sets.spider.questions import SpiderDatabase, read_databases, read_lines, read_spider
from question_sets.spider.schema import converted
from services.retriever.planning.model import PlanModel
from services.retriever.planning.plan_confidence import NEVER_BETTER, PlanCalibration, PlanFeatures
from services.retriever.planning.plan_manifest import read_plan_manifest
from services.retriever.planning.planner import Planner
from services.retriever.planning.question_form import asks_whether
from services.retriever.planning.search import plan_search
from shared.errors import KGQAError
from shared.exact_match import exact
from shared.graph.sqlite.store import SqliteGraphStore
from shared.graph.store import INVERSE
from shared.plan.algebra import Property, RelationshipPattern
from shared.plan.result import PlanResult
from shared.plan.traversal import walk
from shared.plan.values import NodeRef
from shared.verbalise.values import value_text
from tests.support.command_line import WORLD
from tests.support.property_graphs import write_graph_file
from tests.support.reference_evaluator import PropertyGraph
from tests.support.relational_databases import RowMaker, property_of
from training.conditional_logit import fit_conditional_logit
from training.logistic import fit_logistic
from training.planning.adapt import write_plan_manifest

_ROWS = 40
_PER_DATABASE = 70
_PER_SCHEMA = 100
_DELETED, _PER_DELETION = 3, 4
_COMPANY, _DEMO = ROOT / "bench" / "questions" / "company" / "graph.tsv", WORLD / "graph.tsv.xz"
_STRANGERS = [
    ROOT / "bench" / "questions" / "strangers" / name for name in ("bakery", "library", "shipping", "festival")
]
_EVERYDAY: dict[Path, list[Path]] = {
    ROOT / "bench" / "questions" / "company" / "train.jsonl": [_COMPANY],
    ROOT / "bench" / "questions" / "demo_conditions_dev" / "questions.jsonl": [_DEMO],
    **{folder / "questions.jsonl": graph_files(folder) for folder in _STRANGERS},
}
"""Everyday questions, each with the files of the graph."""
_REPEATED = 3
"""Times that everyday questions count for the ranking, since Spider has many more.

They count once for the confidence: rules were developed with them, so they are read better than questions that nobody
has looked at.
"""
_TABLE = "group"  # the kind of question whose gold answers are rows
_UNKNOWN = WORLD / "questions" / "unanswerable-valid.jsonl"
_MOST_UNKNOWN = 40
_SEED = 1
_TIMEOUT_S = 20.0

Judged = list[tuple[PlanFeatures, bool]]
"""The readings of a question, the most probable first, and whether each of them is right."""


def graph_of(database: SpiderDatabase, queries: Sequence[str]) -> PropertyGraph:
    """Return the graph of a database with invented rows, which often hold the values of its queries."""
    tables = database.tables.tables
    columns = {name: set(table.columns) for name, table in tables.items()}
    literals: dict[Place, list[Any]] = defaultdict(list)
    for query in queries:
        try:
            found = QueryColumns(parse_sql(query), columns).literals()
        except UnsupportedSqlError:
            continue
        for place, text in found:
            described = property_of(database, place)
            literals[place].append(converted(text.strip("%"), described.content if described else None))
    return RowMaker(database, literals, random.Random(_SEED), _ROWS).fill(list(tables)).graph()


def without(graph: PropertyGraph, name: str) -> PropertyGraph:
    """Return a graph without the properties and the relationships of a name."""
    nodes = (
        replace(node, properties={key: value for key, value in node.properties.items() if key != name})
        for node in graph.nodes
    )
    return PropertyGraph(tuple(nodes), tuple(one for one in graph.relationships if one.type != name))


def needed(question: PlanQuestion, names: frozenset[str]) -> frozenset[str]:
    """Return the properties and the relationship types that a question is about, without names of nodes."""
    parts = list(walk(question.plan))
    keys = {one.key for one in parts if isinstance(one, Property)} - names
    return frozenset(keys) | {type_ for one in parts if isinstance(one, RelationshipPattern) for type_ in one.types}


async def judge_unanswerable(
    file: Path, graph: PropertyGraph, questions: Sequence[PlanQuestion], names: frozenset[str], model: PlanModel
) -> list[Judged]:
    """Delete what most questions need, and ask them."""
    uses = Counter(name for question in questions for name in needed(question, names))
    judged: list[Judged] = []
    for place, (name, _) in enumerate(uses.most_common(_DELETED)):
        asked = [question for question in questions if name in needed(question, names)]
        incomplete = file.with_suffix(f".{place}.sqlite")
        write_graph_file(without(graph, name), incomplete)
        chosen = random.Random(_SEED).sample(asked, min(_PER_DELETION, len(asked)))
        judged += await judge(incomplete, chosen, model, is_answerable=False)
    return judged


async def judge(file: Path, questions: Sequence[PlanQuestion], model: PlanModel, is_answerable: bool) -> list[Judged]:
    """Read the questions about one graph; questions that nothing was read in are left out.

    If the graph cannot answer them, no reading is right.
    """
    store = SqliteGraphStore(file, _TIMEOUT_S)
    asked: list[tuple[str, Callable[[PlanResult], bool]]] = []
    for question in questions:
        try:
            wanted = await store.run(question.plan) if is_answerable else None
        except KGQAError:
            continue
        asked.append((question.question, partial(is_right, wanted)))
    return await _judged(store, asked, model)


async def _judged(
    store: SqliteGraphStore, asked: Sequence[tuple[str, Callable[[PlanResult], bool]]], model: PlanModel
) -> list[Judged]:
    """Read questions, each with a test of results; close the store."""
    planner = Planner(store, plan_search(model))
    judged = []
    for question, is_wanted in asked:
        if readings := await planner.read(question):
            judged.append([(one.features, is_wanted(one.result)) for one in readings])
    await store.close()
    return judged


async def judge_everyday(model: PlanModel) -> list[Judged]:
    """Read everyday questions, some of which their graph cannot answer."""
    judged: list[Judged] = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for questions, sources in _EVERYDAY.items():
            records = [one for one in read_questions(questions) if one.kind != _TABLE]
            whole = folder / f"{questions.parent.name}.sqlite"
            import_files(sources, whole)
            judged += await judge_records(whole, records, model)
            if _COMPANY in sources:
                judged += await judge_without_facts(_COMPANY, records, model, folder)
            elif _DEMO in sources:
                unknown = random.Random(_SEED).sample(read_questions(_UNKNOWN), _MOST_UNKNOWN)
                judged += await judge_records(whole, unknown, model)
    return judged


async def judge_without_facts(
    source: Path, records: Sequence[QuestionRecord], model: PlanModel, folder: Path
) -> list[Judged]:
    """Delete the facts of the relations that most questions follow, and ask these questions."""
    lines = _lines_of(source)
    needed = [(one, {step.strip(INVERSE) for step in one.path or ()}) for one in records]
    uses = Counter(relation for _, relations in needed for relation in relations)
    judged: list[Judged] = []
    for relation, _ in uses.most_common(2 * _DELETED):
        part = folder / f"without-{relation}.tsv"
        _write(part, (line for line in lines if line.split("\t")[1] != relation))
        import_files([part], part.with_suffix(".sqlite"))
        asked = [one.model_copy(update={"answers": ()}) for one, relations in needed if relation in relations]
        judged += await judge_records(part.with_suffix(".sqlite"), asked[:_PER_DELETION], model)
    return judged


async def judge_schemas(data: Path, model: PlanModel) -> list[Judged]:
    """Read everyday questions over schemas with made-up rows, and all that these schemas do not answer."""
    judged: list[Judged] = []
    pool = name_pool(data)
    with tempfile.TemporaryDirectory() as folder:
        for one in read_dev(data, _PER_SCHEMA):
            file = Path(folder) / f"{one.name}.sqlite"
            write_rows(one, pool, file)
            asked = await _with_gold(one, file)
            asked += [(question, partial(is_right, None)) for question in one.unanswerable]
            judged += await _judged(SqliteGraphStore(file, _TIMEOUT_S), asked, model)
    return judged


async def _with_gold(one: SchemaQuestions, file: Path) -> list[tuple[str, Callable[[PlanResult], bool]]]:
    """Return the questions whose query returns something, each with a test of results."""
    store = SqliteGraphStore(file, _TIMEOUT_S)
    asked: list[tuple[str, Callable[[PlanResult], bool]]] = []
    for question in one.questions.questions:
        try:
            wanted = await store.run(question.plan)
        except KGQAError:
            continue
        if wanted.rows:
            test = is_as_true if question.question in one.whether else is_right
            asked.append((question.question, partial(test, wanted)))
    await store.close()
    return asked


def is_as_true(wanted: PlanResult, found: PlanResult) -> bool:
    """Return whether one count or truth value is as true as another, where a question asks whether."""
    cells = [row[0] for result in (wanted, found) if len(result.rows) == 1 for row in result.rows]
    return len(cells) == 2 and all(isinstance(cell, bool | int) for cell in cells) and bool(cells[0]) == bool(cells[1])


def _lines_of(file: Path) -> list[str]:
    return file.read_text(encoding="utf-8").splitlines(keepends=True)


def _write(file: Path, lines: Iterable[str]) -> None:
    file.write_text("".join(lines), encoding="utf-8")


async def judge_records(file: Path, records: Sequence[QuestionRecord], model: PlanModel) -> list[Judged]:
    """Read questions with gold answers; without answers, no reading is right."""
    asked = [(record.question, partial(gives, record)) for record in records]
    return await _judged(SqliteGraphStore(file, _TIMEOUT_S), asked, model)


def gives(record: QuestionRecord, found: PlanResult) -> bool:
    """Return whether a column of a result has the gold answers of a question."""
    gold = {exact(answer) for answer in record.answers}
    if asks_whether(record.question) and gold <= {"true", "false"}:
        return bool(gold) and gold == {str(bool(row[0])).lower() for row in found.rows}
    numbers = {_number(answer) for answer in gold}
    for place in range(len(found.columns)):
        cells = [row[place] for row in found.rows if row[place] is not None]
        texts = {exact(cell.name if isinstance(cell, NodeRef) else value_text(cell)) for cell in cells}
        if gold and (texts == gold or (None not in numbers and {_number(text) for text in texts} == numbers)):
            return True
    return False


def _number(text: str) -> float | None:
    """Return a number, rounded as people's gold answers are; None for other texts."""
    try:
        return round(float(text), 2)
    except ValueError:
        return None


def is_right(wanted: PlanResult | None, found: PlanResult) -> bool:
    """Return whether a column of a result has the values of the wanted first column; False if nothing is wanted."""
    if wanted is None:
        return False
    gold = _column(wanted, 0)
    return any(_column(found, place) == gold for place in range(len(found.columns)))


def _column(result: PlanResult, place: int) -> frozenset[object]:
    return frozenset(_cell(row[place]) for row in result.rows)


def _cell(cell: object) -> object:
    """Return a form in which equal cells are equal; the name of a node may be a number."""
    match cell:
        case NodeRef():
            return _cell(cell.name)
        case bool():
            return cell
        case int() | float():
            return round(float(cell), 6)
        case str() if cell.replace(".", "", 1).isdigit():
            return round(float(cell), 6)
        case list() | tuple():
            return tuple(map(_cell, cell))
    return cell


async def _judge_all(data: Path, model: PlanModel) -> list[Judged]:
    rows, questions = list(read_lines(data, "tables.jsonl")), list(read_lines(data, "dev.jsonl"))
    by_name = _by_schema(read_spider(data, "dev").questions)
    judged: list[Judged] = []
    with tempfile.TemporaryDirectory() as folder:
        for name, database in read_databases(rows, questions).items():
            file = Path(folder) / f"{name}.sqlite"
            graph = graph_of(database, [one["query"] for one in questions if one["db_id"] == name])
            write_graph_file(graph, file)
            asked = by_name.get(name, [])
            chosen = random.Random(_SEED).sample(asked, min(_PER_DATABASE, len(asked)))
            judged += await judge(file, chosen, model, is_answerable=True)
            names = frozenset(kind.name_property or "" for kind in database.schema.kinds.values())
            judged += await judge_unanswerable(file, graph, asked, names, model)
    return judged


def _by_schema(questions: Sequence[PlanQuestion]) -> Mapping[str, list[PlanQuestion]]:
    found: dict[str, list[PlanQuestion]] = defaultdict(list)
    for one in questions:
        found[one.schema].append(one)
    return found


def ranking_of(judged: Sequence[Judged]) -> PlanCalibration:
    """Fit the weights that rank right readings first."""
    default = PlanCalibration()
    cases = [([features.values() for features, _ in one], [right for _, right in one]) for one in judged]
    return default.model_copy(update={"weights": fit_conditional_logit(cases, default.weights, NEVER_BETTER)})


def calibration_of(examples: Sequence[tuple[PlanFeatures, bool]]) -> PlanCalibration:
    """Fit a logistic regression to readings that are right or wrong.

    Features that never make a reading better and would get a positive weight are left out.
    """
    default = PlanCalibration()
    inputs, right = np.array([features.values() for features, _ in examples]), [right for _, right in examples]
    kept = list(range(inputs.shape[1]))
    while True:
        bias, weights = fit_logistic(inputs[:, kept].tolist(), right, default.bias, [default.weights[n] for n in kept])
        wrong = [n for n, weight in zip(kept, weights, strict=True) if n in NEVER_BETTER and weight > 0]
        if not wrong:
            found = dict(zip(kept, weights, strict=True))
            return PlanCalibration(bias=bias, weights=tuple(found.get(n, 0.0) for n in range(inputs.shape[1])))
        kept = [n for n in kept if n not in wrong]


def first(judged: Judged, ranking: PlanCalibration) -> tuple[PlanFeatures, bool]:
    """Return the reading that comes first."""
    return max(judged, key=lambda one: ranking.probability(one[0]))


def _lines(judged: Sequence[Judged], ranking: PlanCalibration, calibration: PlanCalibration) -> Iterator[str]:
    count = len(judged)
    most_probable, chosen = [one[0][1] for one in judged], [first(one, ranking) for one in judged]
    yield f"{count} questions; the most probable reading with a result is right for {sum(most_probable) / count:.1%}"
    yield f"the first reading is right for {sum(right for _, right in chosen) / count:.1%}"
    yield f"one of the readings is right for {sum(any(right for _, right in one) for one in judged) / count:.1%}"
    for threshold in (0.3, 0.5, 0.8):
        answered = [right for features, right in chosen if calibration.probability(features) >= threshold]
        wrong = sum(not right for right in answered) / max(1, len(answered))
        yield f"confidence >= {threshold}: {len(answered) / count:.0%} answered, {wrong:.1%} of these wrong"


def main() -> None:
    """Calibrate from the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, metavar="DATA", help="folder of the data sets")
    parser.add_argument("model", type=Path, metavar="MODEL", help="folder of the plan model")
    given = parser.parse_args()
    model = PlanModel(given.model)
    spider, everyday = asyncio.run(_judge_all(given.data / "spider", model)), asyncio.run(judge_everyday(model))
    unseen = asyncio.run(judge_schemas(given.data, model))
    ranking, judged = ranking_of([*spider, *unseen, *everyday * _REPEATED]), [*spider, *unseen, *everyday]
    calibration = calibration_of([first(one, ranking) for one in judged])
    changes = {"ranking": ranking, "calibration": calibration}
    write_plan_manifest(read_plan_manifest(given.model).model_copy(update=changes), given.model)
    print("\n".join(_lines(judged, ranking, calibration)))


if __name__ == "__main__":
    main()
