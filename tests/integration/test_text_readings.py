"""Texts that are numbers or dates in other spellings are read alike in Neo4j and in an imported graph file."""

import asyncio
from pathlib import Path

import pytest

from graph.cypher.reader import read_cypher
from graph.neo4j.store import Neo4jGraphStore
from graph.plan.algebra import (
    Call,
    Column,
    Function,
    Match,
    NodePattern,
    Order,
    Plan,
    Project,
    Property,
    SortKey,
)
from graph.plan.text_readings import TextReading
from graph.sqlite.store import SqliteGraphStore
from graph.store import GraphStore
from ingestion.neo4j_snapshot import import_database
from shared.errors import InvalidInputError
from tests import neo4j_server

pytestmark = neo4j_server.needs_neo4j

_TEXTS = {
    "decimals": ("12.50", "100.25", "7"),
    "day_first": ("28/02/2021", "1.7.2021", "03-12-2020"),
    "month_first": ("02/28/2021", "7/1/2021", "12/3/2020"),
    "year_first": ("2021/08/31", "2021/9/5", "2020/12/31"),
    "day_of_named_month": ("4 February 2021", "11 Jan 2022", "3 sept. 2020"),
    "named_month_and_day": ("March 2, 2021", "DEC 31, 1999", "July 4 2020"),
    "named_month": ("Sept 2021", "may 2021", "Nov-1999"),
}
_VISITS = Match((NodePattern("v", ("Visit",)),))


@pytest.mark.parametrize("key", _TEXTS)
def test_both_stores_sort_and_show_texts(key: str, tmp_path: Path) -> None:
    value = Property("v", key)
    year = Call(Function.YEAR, (value,)) if key != "decimals" else value
    columns = (Column("name", Property("v", "name")), Column("written", value), Column("year", year))
    plan = Plan((_VISITS, Order((SortKey(value),)), Project(columns)))

    file, database = asyncio.run(_on_both_stores(tmp_path, plan))

    assert file == database
    assert sorted(str(row[1]) for row in file) == sorted(_TEXTS[key])


def test_texts_without_a_reading_have_no_order(tmp_path: Path) -> None:
    query = read_cypher("MATCH (v:Visit) RETURN v.version AS version ORDER BY version")

    with pytest.raises(InvalidInputError, match="are not written in one way"):
        asyncio.run(_on_both_stores(tmp_path, query))


def test_separators_between_thousands_are_removed_where_all_numbers_are_known(tmp_path: Path) -> None:
    plan = Plan((_VISITS, Order((SortKey(Property("v", "amount")),)), Project((Column("x", Property("v", "amount")),))))
    types = {("Visit", "amount"): TextReading.COMMA_GROUPS}

    file, database = asyncio.run(_on_both_stores(tmp_path, plan, types))

    assert file == database == [("75",), ("1,250.00",), ("12,400.50",)]


async def _on_both_stores(
    folder: Path, plan: Plan, types: dict[tuple[str, str], TextReading] | None = None
) -> tuple[list[tuple[object, ...]], list[tuple[object, ...]]]:
    neo4j_server.clear()
    texts = {**_TEXTS, "version": ("6.10", "6.9", "6.1"), "amount": ("1,250.00", "75", "12,400.50")}
    visits = [{key: values[place] for key, values in texts.items()} | {"name": f"v{place}"} for place in range(3)]
    try:
        neo4j_server.ask("UNWIND $visits AS visit CREATE (v:Visit) SET v = visit", visits=visits)
        await asyncio.to_thread(import_database, neo4j_server.settings(), folder / "graph.sqlite")
        file = await _rows(SqliteGraphStore(folder / "graph.sqlite", types=types or {}), plan)
        return file, await _rows(Neo4jGraphStore(neo4j_server.settings(), types=types or {}), plan)
    finally:
        neo4j_server.ask("MATCH (n) DETACH DELETE n")


async def _rows(store: GraphStore, plan: Plan) -> list[tuple[object, ...]]:
    try:
        return list((await store.run(plan)).rows)
    finally:
        await store.close()
