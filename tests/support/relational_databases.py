"""Run queries on relational databases with invented rows, and plans on the graph of the same rows.

A plan is right if it returns on the graph of the rows what its query returns on the rows.
"""

import math
import sqlite3
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from datetime import date, datetime
from enum import StrEnum
from typing import Any

from sqlglot import expressions as sql

from graph.plan.algebra import Plan, Slice
from graph.plan.values import ValueType
from question_sets.spider.parsing import Tree, parse_sql
from question_sets.spider.questions import SpiderDatabase
from question_sets.spider.tables import Table
from tests.support.reference_evaluator import Node, evaluate
from training.planning.calibration.database_rows import FilledDatabase, property_of


class Verdict(StrEnum):
    """Compare the results of a query and its plan."""

    EQUAL = "equal"
    EMPTY = "equal, without rows"
    ORDER = "equal but for the order"
    DIFFERENT = "different"
    INCOMPARABLE = "incomparable"


def compare(query: str, plan: Plan, filled: FilledDatabase) -> Verdict:
    """Run a query on the rows, and its plan on the graph of the rows.

    Which of several rows with equal sort keys come first is not defined, and neither is the order of unsorted rows.
    """
    tree = parse_sql(query).transform(_sum_of_nothing)
    if not _with_row_numbers(tree, filled.database):
        return Verdict.INCOMPARABLE
    whole = Plan(tuple(step for n, step in enumerate(plan.steps) if n != _last_slice(plan, tree)))
    with closing(_connection(filled)) as connection:
        sizes = [len(_rows(connection, tree)), len(_found(plan, filled))]
        tree.set("limit", None)
        tree.set("offset", None)
        expected, found = _rows(connection, tree), _found(whole, filled)
        if sizes[0] != sizes[1] or Counter(expected) != Counter(found):
            return Verdict.DIFFERENT
        if tree.args.get("order") is not None and not _is_sorted(connection, tree, found):
            return Verdict.ORDER
    return Verdict.EQUAL if found else Verdict.EMPTY


def _sum_of_nothing(part: Tree) -> Tree:
    """Make the sum of no values 0, as in plans; in SQL it is NULL."""
    return sql.Coalesce(this=part, expressions=[sql.Literal.number(0)]) if isinstance(part, sql.Sum) else part


def _last_slice(plan: Plan, tree: Tree) -> int:
    if tree.args.get("limit") is None:
        return -1
    return max(n for n, step in enumerate(plan.steps) if isinstance(step, Slice))


def _rows(connection: sqlite3.Connection, tree: Tree) -> list[tuple[Any, ...]]:
    return [tuple(map(_comparable, row)) for row in connection.execute(tree.sql(dialect="sqlite"))]


def _found(plan: Plan, filled: FilledDatabase) -> list[tuple[Any, ...]]:
    rows = evaluate(plan, filled.graph()).rows
    return [tuple(_node_row(filled, v) if isinstance(v, Node) else _comparable(v) for v in row) for row in rows]


def _is_sorted(connection: sqlite3.Connection, tree: Tree, found: Sequence[tuple[Any, ...]]) -> bool:
    """Return whether rows are sorted as a query sorts them; a DISTINCT query has no other columns to sort by."""
    if not isinstance(tree, sql.Select) or tree.args.get("distinct"):
        return True
    tree = tree.copy()
    width = len(tree.expressions)
    tree.set("expressions", [*tree.expressions, *(one.this.copy() for one in tree.args["order"].expressions)])
    sorted_rows = _rows(connection, tree)
    keys = Counter(sorted_rows)
    for row, expected in zip(found, sorted_rows, strict=True):
        if not keys[(*row, *expected[width:])]:
            return False
        keys[(*row, *expected[width:])] -= 1
    return True


def _with_row_numbers(tree: Tree, database: SpiderDatabase) -> bool:
    """Select the numbers of rows instead of all of their columns; return False where relationships have none."""
    for select in [tree] if isinstance(tree, sql.Select) else list(tree.find_all(sql.Select)):
        items: list[Tree] = []
        sources = [select.args["from_"], *(select.args.get("joins") or [])]
        tables = [one.this for one in sources]
        for item in select.expressions:
            is_star = isinstance(item, sql.Star) or (isinstance(item, sql.Column) and isinstance(item.this, sql.Star))
            if not is_star:
                items.append(item)
                continue
            alias = item.table.lower() if isinstance(item, sql.Column) else ""
            for table in tables:
                if not isinstance(table, sql.Table) or select.args.get("group"):
                    return False
                if alias in ("", table.alias_or_name.lower()):
                    if database.tables.tables[table.name.lower()].type:
                        return False
                    items.append(sql.column("rowid", table=table.alias_or_name))
        select.set("expressions", items)
    return True


def _comparable(value: Any) -> Any:
    match value:
        case bool():
            return value
        case int() | float():
            return 0.0 if value == 0 else round(value, 9 - math.ceil(math.log10(abs(value))))
        case datetime():
            return value.isoformat(" ")
        case date():
            return value.isoformat()
    return value


def _as_sql(value: Any) -> Any:
    return _comparable(value) if isinstance(value, date) else value


def _connection(filled: FilledDatabase) -> sqlite3.Connection:
    """Return a database with the rows; the caller closes it."""
    connection = sqlite3.connect(":memory:")
    for name, rows in filled.rows.items():
        table = filled.database.tables.tables[name]
        columns = ", ".join(f'"{column}" {_declared(filled, table, column)}' for column in table.columns)
        connection.execute(f'CREATE TABLE "{name}" ({columns})')
        places = ", ".join("?" * len(table.columns))
        values = [[_as_sql(row[column]) for column in table.columns] for row in rows]
        connection.executemany(f'INSERT INTO "{name}" VALUES ({places})', values)
    return connection


def _node_row(filled: FilledDatabase, node: Node) -> int:
    """Return the number of a node's row, from 1 as SQLite counts."""
    before = 0
    for name, rows in filled.rows.items():
        table = filled.database.tables.tables[name]
        if table.type:
            continue
        if table.kind in node.kinds:
            return node.id - before + 1
        before += len(rows)
    raise AssertionError(node)


def _declared(filled: FilledDatabase, table: Table, column: str) -> str:
    described = property_of(filled.database, (table.name, column))
    content = described.content if described is not None else ValueType.STRING
    return {ValueType.INTEGER: "INTEGER", ValueType.FLOAT: "REAL"}.get(content or ValueType.STRING, "TEXT")
