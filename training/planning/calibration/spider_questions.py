"""Judge the readings of Spider's development questions, which people wrote about databases unseen by the base model."""

import random
import tempfile
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from graph.plan.algebra import Property, RelationshipPattern
from graph.plan.traversal import walk
from graph.sqlite.store import SqliteGraphStore
from ingestion.property_graph import PropertyGraph, write_graph_file
from question_sets.plan_questions import PlanQuestion
from question_sets.spider.keys import Place
from question_sets.spider.parsing import QueryColumns, UnsupportedSqlError, parse_sql
from question_sets.spider.questions import SpiderDatabase, read_databases, read_lines, read_spider
from question_sets.spider.schema import converted
from services.retriever.plans.running import run_for_answers
from shared.errors import KGQAError
from training.planning.calibration.database_rows import RowMaker, property_of
from training.planning.calibration.judging import TIMEOUT_S, Asked, Judged, PlannerFor, is_right, judge

_ROWS = 40
_PER_DATABASE = 70
_DELETED, _PER_DELETION = 3, 4
_SEED = 1


async def judge_spider(folder: Path, planner_for: PlannerFor) -> list[Judged]:
    """Read questions over each database with invented rows, and some over graphs that lack what they need.

    Args:
        folder: The folder of Spider, with its tables and its development set.
        planner_for: Makes the planner of a graph.
    """
    rows, questions = list(read_lines(folder, "tables.jsonl")), list(read_lines(folder, "dev.jsonl"))
    by_name = _by_schema(read_spider(folder, "dev").questions)
    judged: list[Judged] = []
    with tempfile.TemporaryDirectory() as scratch:
        for name, database in read_databases(rows, questions).items():
            file = Path(scratch) / f"{name}.sqlite"
            graph = graph_of(database, [one["query"] for one in questions if one["db_id"] == name])
            write_graph_file(graph, file)
            asked = by_name.get(name, [])
            chosen = random.Random(_SEED).sample(asked, min(_PER_DATABASE, len(asked)))
            judged += await _judge_questions(file, chosen, planner_for, is_answerable=True)
            names = frozenset(kind.name_property or "" for kind in database.schema.kinds.values())
            judged += await _judge_unanswerable(file, graph, asked, names, planner_for)
    return judged


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


async def _judge_unanswerable(
    file: Path, graph: PropertyGraph, questions: Sequence[PlanQuestion], names: frozenset[str], planner_for: PlannerFor
) -> list[Judged]:
    """Delete what most questions need, and ask them."""
    uses = Counter(name for question in questions for name in needed(question, names))
    judged: list[Judged] = []
    for place, (name, _) in enumerate(uses.most_common(_DELETED)):
        asked = [question for question in questions if name in needed(question, names)]
        incomplete = file.with_suffix(f".{place}.sqlite")
        write_graph_file(without(graph, name), incomplete)
        chosen = random.Random(_SEED).sample(asked, min(_PER_DELETION, len(asked)))
        judged += await _judge_questions(incomplete, chosen, planner_for, is_answerable=False)
    return judged


async def _judge_questions(
    file: Path, questions: Sequence[PlanQuestion], planner_for: PlannerFor, is_answerable: bool
) -> list[Judged]:
    """Read the questions about one graph; if the graph cannot answer them, no reading is right."""
    store = SqliteGraphStore(file, TIMEOUT_S)
    asked: list[Asked] = []
    for question in questions:
        try:
            wanted = (await run_for_answers(store, question.plan)).result if is_answerable else None
        except KGQAError:
            continue
        asked.append((question.question, partial(is_right, wanted)))
    return await judge(store, asked, planner_for)


def _by_schema(questions: Sequence[PlanQuestion]) -> Mapping[str, list[PlanQuestion]]:
    found: dict[str, list[PlanQuestion]] = defaultdict(list)
    for one in questions:
        found[one.schema].append(one)
    return found
