"""Read Spider's questions as plan questions."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from graph.plan.schema import GraphSchema
from question_sets.conversion import read_objects
from question_sets.plan_questions import PlanQuestion, PlanQuestionSet, require_fit
from question_sets.spider.keys import Place
from question_sets.spider.parsing import QueryColumns, UnsupportedSqlError, parse_sql
from question_sets.spider.schema import graph_schema
from question_sets.spider.sql import read_sql
from question_sets.spider.tables import Database, read_tables
from shared.errors import InvalidInputError


@dataclass(frozen=True, slots=True)
class SpiderDatabase:
    """Hold a relational schema and the schema of the graph that it becomes."""

    tables: Database
    schema: GraphSchema


def read_spider(folder: Path, split: str) -> PlanQuestionSet:
    """Read the questions of a split, `train` or `dev`, with the schemas of their databases.

    Args:
        folder: The folder with `tables.jsonl`, `train.jsonl`, and `dev.jsonl`, plain or .xz.
        split: The split.

    Returns:
        The questions whose SQL has a plan.
    """
    rows = list(read_lines(folder, "tables.jsonl"))
    questions = list(read_lines(folder, f"{split}.jsonl"))
    databases = read_databases(rows, questions)
    found: list[PlanQuestion] = []
    skipped: Counter[str] = Counter()
    for one in questions:
        name = one["db_id"]
        database = databases[name]
        try:
            plan = read_sql(one["query"], database.tables, database.schema)
            require_fit(plan, database.schema)
        except UnsupportedSqlError as error:
            skipped[str(error)] += 1
        except InvalidInputError as error:
            skipped[f"invalid plan: {error}"] += 1
        else:
            found.append(PlanQuestion(" ".join(one["question"].split()), plan, name, f"spider:{name}"))
    return PlanQuestionSet({name: one.schema for name, one in databases.items()}, found, dict(skipped))


def read_databases(
    rows: Iterable[Mapping[str, Any]], questions: Iterable[Mapping[str, Any]]
) -> dict[str, SpiderDatabase]:
    """Read the databases that questions are about; their queries say more about columns than the published schemas."""
    queries: dict[str, list[str]] = defaultdict(list)
    for one in questions:
        queries[one["db_id"]].append(one["query"])
    return {row["db_id"]: _database(row, queries[row["db_id"]]) for row in rows if row["db_id"] in queries}


def _database(row: Mapping[str, Any], queries: Iterable[str]) -> SpiderDatabase:
    columns: dict[str, set[str]] = {name.lower(): set() for name in row["table_names_original"]}
    for table, name in row["column_names_original"]:
        if table >= 0:
            columns[row["table_names_original"][table].lower()].add(name.lower())
    literals: dict[Place, list[str]] = defaultdict(list)
    joins: dict[tuple[Place, Place], None] = {}
    measures: set[Place] = set()
    for query in dict.fromkeys(queries):
        try:
            found = QueryColumns(parse_sql(query), columns)
        except UnsupportedSqlError:
            continue
        for place, text in found.literals():
            literals[place].append(text)
        joins |= dict.fromkeys(found.joins())
        measures |= set(found.measures())
    tables = read_tables(row, joins, measures)
    return SpiderDatabase(tables, graph_schema(tables, literals))


def read_lines(folder: Path, name: str) -> Iterator[dict[str, Any]]:
    """Read the objects of one of the set's files, plain or .xz; raise NotFoundError if it is missing."""
    return read_objects(folder, name, "Spider")
