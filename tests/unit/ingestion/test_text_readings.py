"""Numbers and dates in other spellings get a type if a property has one reading, and the import says so."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph.cypher.reader import read_cypher
from graph.plan.algebra import Plan, Property
from graph.plan.reading_detection import Unread
from graph.plan.text_readings import TextReading, value_in
from graph.plan.traversal import rewrite
from graph.plan.values import ValueType
from graph.sqlite.store import SqliteGraphStore
from ingestion.importer import ImportReport, import_files
from ingestion.property_sampler import PropertySampler
from shared.errors import InvalidInputError
from tests.support.imported_graphs import stored_graph

_DATES = ("03/02/2021", "28/02/2021", "01/07/2021")
_SPELLINGS = {
    TextReading.DECIMALS: ("12.50", "7", "x", "-3.25"),
    TextReading.COMMA_GROUPS: ("1,250.00", "75", "12", "many"),
    TextReading.POINT_GROUPS: ("1.250,50", "-7", "3,5", "x"),
    TextReading.DAY_FIRST: ("28/02/2021", "1.7.2021", "31/02/2021", "3-4-2020", "2021"),
    TextReading.MONTH_FIRST: ("02/28/2021", "7/1/2021", "13/1/2021", ""),
    TextReading.YEAR_FIRST: ("2021/08/31", "2021.8.5", "2021-13-01", "2021/08"),
    TextReading.DAY_OF_NAMED_MONTH: ("4 February 2021", "11-Sept.-2022", "30 Feb 2021", "May"),
    TextReading.NAMED_MONTH_AND_DAY: ("March 2, 2021", "DEC 31 1999", "march 32, 2021", "July 4"),
    TextReading.NAMED_MONTH: ("Sept 2021", "may 2020", "Nov-1999", "Foo 2021"),
}


def _facts(values: Sequence[str]) -> str:
    lines = [
        f"Order A{place}\t:LABEL\tOrder\nOrder A{place}\tplaced_on\t{value}\n" for place, value in enumerate(values)
    ]
    return "".join(lines)


def _nodes(values: Sequence[str]) -> str:
    rows = [f'a{place},Order A{place},"{value}",Order\n' for place, value in enumerate(values)]
    return "".join([":ID,name,placed_on,:LABEL\n", *rows])


def _imported(folder: Path, name: str, text: str, dates: TextReading | None = None) -> ImportReport:
    (folder / name).write_text(text)
    return import_files([folder / name], folder / "graph.sqlite", dates=dates)


def _plan(query: str, *, as_stored: bool = False) -> Plan:
    """Read a query as a plan; Cypher reads properties as they are stored."""

    def read(part: object) -> Property | None:
        return replace(part, as_stored=as_stored) if isinstance(part, Property) else None

    return rewrite(read_cypher(query), read)


async def _rows(folder: Path, query: str, *, as_stored: bool = False) -> list[tuple[object, ...]]:
    store = SqliteGraphStore(folder / "graph.sqlite")
    try:
        return [tuple(map(str, row)) for row in (await store.run(_plan(query, as_stored=as_stored))).rows]
    finally:
        await store.close()


@pytest.mark.parametrize(("name", "text"), [("orders.tsv", _facts(_DATES)), ("orders.csv", _nodes(_DATES))])
async def test_dates_with_the_day_first_are_sorted_and_shown_as_written(tmp_path: Path, name: str, text: str) -> None:
    report = _imported(tmp_path, name, text)

    assert list(map(str, report.columns)) == ["Order.placed_on: dates, day first"]
    order = "MATCH (o:Order) RETURN o.placed_on AS at ORDER BY o.placed_on DESC"
    assert await _rows(tmp_path, order) == [("01/07/2021",), ("28/02/2021",), ("03/02/2021",)]
    after = "MATCH (o:Order) WHERE o.placed_on > date('2021-02-28') RETURN count(*) AS n, max(o.placed_on) AS last"
    assert await _rows(tmp_path, after) == [("1", "2021-07-01")]
    assert {
        node.properties["placed_on"] for node in stored_graph(tmp_path / "graph.sqlite").nodes.values() if node.kinds
    } == set(_DATES)


async def test_numbers_with_separators_are_added_up(tmp_path: Path) -> None:
    _imported(tmp_path, "orders.csv", _nodes(["1,250.00", "980.50", "75"]))

    [[total, most]] = await _rows(tmp_path, "MATCH (o:Order) RETURN sum(o.placed_on) AS x, max(o.placed_on) AS y")
    assert (float(str(total)), float(str(most))) == (2305.5, 1250)


@pytest.mark.parametrize("dates", [None, TextReading.DAY_FIRST, TextReading.MONTH_FIRST])
def test_two_orders_of_dates_stay_texts_until_told(tmp_path: Path, dates: TextReading | None) -> None:
    [column] = _imported(tmp_path, "orders.tsv", _facts(["3/4/2021", "5/6/2021"]), dates).columns

    assert column.is_read == (dates is not None)
    assert ("--dates day-first" in str(column)) == (dates is None)


def test_another_order_of_dates_is_another_version_of_a_graph(tmp_path: Path) -> None:
    versions = set()
    for dates in (None, TextReading.DAY_FIRST, TextReading.MONTH_FIRST):
        _imported(tmp_path, "orders.tsv", _facts(["3/4/2021"]), dates)
        versions.add(SqliteGraphStore(tmp_path / "graph.sqlite").version)

    assert len(versions) == 3


@pytest.mark.parametrize("as_stored", [False, True])
@pytest.mark.parametrize("values", [["6.10", "6.9", "6.1"], ["3/4/2021", "5/6/2021"], ["12 km", "5 km"], ["1,250"]])
@pytest.mark.parametrize(
    "query",
    [
        "MATCH (o:Order) RETURN o.name AS name ORDER BY o.placed_on",
        "MATCH (o:Order) WITH o, o.placed_on AS at RETURN o.name AS name ORDER BY at LIMIT 1",
        "MATCH (o:Order) RETURN max(o.placed_on) AS last",
        "MATCH (o:Order) RETURN sum(o.placed_on) AS total",
        "MATCH (o:Order) WHERE o.placed_on > '5' RETURN o.name AS name",
    ],
)
async def test_texts_that_look_like_numbers_or_dates_are_not_ordered(
    tmp_path: Path, values: list[str], query: str, as_stored: bool
) -> None:
    [column] = _imported(tmp_path, "orders.csv", _nodes(values)).columns

    assert not column.is_read
    with pytest.raises(InvalidInputError, match="placed_on"):
        await _rows(tmp_path, query, as_stored=as_stored)
    assert len(await _rows(tmp_path, "MATCH (o:Order) RETURN o.placed_on AS at")) == len(values)


async def test_names_are_not_added_up(tmp_path: Path) -> None:
    _imported(tmp_path, "orders.csv", _nodes(["Ann", "Ben"]))

    with pytest.raises(InvalidInputError, match="sum needs numbers, but the property 'placed_on' holds texts"):
        await _rows(tmp_path, "MATCH (o:Order) RETURN sum(o.placed_on) AS total")
    assert await _rows(tmp_path, "MATCH (o:Order) RETURN max(o.placed_on) AS last") == [("Ben",)]


@pytest.mark.parametrize("reading", TextReading)
async def test_stores_read_texts_as_the_import_does(tmp_path: Path, reading: TextReading) -> None:
    texts = _SPELLINGS[reading]
    _imported(tmp_path, "orders.csv", _nodes(texts))
    store = SqliteGraphStore(tmp_path / "graph.sqlite", types={("Order", "placed_on"): reading})
    plan = _plan("MATCH (o:Order) WITH o.name AS name, o.placed_on AS x RETURN name, [x][0] AS x ORDER BY name")

    rows = (await store.run(plan)).rows
    await store.close()

    assert [row[1] for row in rows] == [value_in(text, reading) for text in texts]


async def test_texts_are_not_sorted_as_they_are_stored(tmp_path: Path) -> None:
    _imported(tmp_path, "orders.csv", _nodes(["12.50", "7", "100"]))

    query = "MATCH (o:Order) RETURN o.placed_on AS x ORDER BY {} DESC"
    with pytest.raises(InvalidInputError, match="convert them with to_float"):
        await _rows(tmp_path, query.format("o.placed_on"), as_stored=True)
    for function, order in (("toFloat", ["100", "12.50", "7"]), ("toString", ["7", "12.50", "100"])):
        rows = await _rows(tmp_path, query.format(f"{function}(o.placed_on)"), as_stored=True)
        assert [text for (text,) in rows] == order


@given(st.data())
def test_values_after_the_sample_have_to_fit_as_well(data: st.DataObject) -> None:
    sampler = PropertySampler("at")
    for _ in range(5_000):
        sampler.add("3/4/2021", "3/4/2021")
    later = data.draw(st.lists(st.sampled_from(["5/6/2021", "28/2/2021", "2/28/2021"]), max_size=3))
    for text in later:
        sampler.add(text, text)

    found = sampler.schema()

    kinds = {text for text in later if text != "5/6/2021"}
    if not kinds:
        assert (found.reading, found.unread) == (None, Unread.TWO_DATE_ORDERS)
    elif len(kinds) == 1:
        assert found.reading is (TextReading.DAY_FIRST if kinds == {"28/2/2021"} else TextReading.MONTH_FIRST)
    else:
        assert (found.reading, found.unread, found.content) == (None, Unread.NO_READING, ValueType.STRING)


@pytest.mark.parametrize(("later", "content"), [("6.10", ValueType.STRING), ("n.n.", ValueType.FLOAT)])
def test_an_inexact_number_after_the_sample_makes_all_of_them_texts(later: str, content: ValueType) -> None:
    sampler = PropertySampler("release")
    for text in ["6.1", "6.9"] * 2_500 + [later]:
        sampler.add(text, text)

    found = sampler.schema()

    assert found.content is content
    assert sampler.misfits(found) == (later == "n.n.")


@pytest.mark.parametrize("header", [":ID,autobelay,:LABEL", ":START_ID,:END_ID,autobelay,:TYPE"])
def test_yes_and_no_stay_texts_and_the_import_says_how_to_declare_them(tmp_path: Path, header: str) -> None:
    ends = "" if ":ID" in header else "1,"
    rows = "".join(f"{number},{ends}{value},Wall\n" for number, value in enumerate(("yes", "No", "", "NO"), 1))
    nodes = "".join(f"{number}\n" for number in range(1, 5))
    (tmp_path / "nodes.csv").write_text(f":ID\n{nodes}", encoding="utf-8")
    (tmp_path / "walls.csv").write_text(f"{header}\n{rows}", encoding="utf-8")
    files = [tmp_path / "walls.csv", *([tmp_path / "nodes.csv"] if ends else [])]

    assert list(map(str, import_files(files, tmp_path / "graph.sqlite").columns)) == [
        "Wall.autobelay: texts, although all are yes or no; for booleans, declare the column as autobelay:boolean"
    ]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("n.csv", ":ID,v:string,:LABEL\n1,yes,Wall\n"),  # declared as a text
        ("n.csv", ":ID,v:boolean,:LABEL\n1,yes,Wall\n"),
        ("n.csv", ":ID,v,:LABEL\n1,yes,Wall\n2,perhaps,Wall\n"),
        ("n.csv", ":ID,v,:LABEL\n1,,Wall\n"),
        ("n.jsonl", '{"type": "node", "id": 1, "labels": "Wall", "properties": {"v": "yes"}}\n'),
    ],
)
def test_no_declaration_is_proposed_for_other_texts(tmp_path: Path, name: str, content: str) -> None:
    (tmp_path / name).write_text(content, encoding="utf-8")

    assert import_files([tmp_path / name], tmp_path / "graph.sqlite").columns == ()


async def test_a_day_that_does_not_exist_is_missing_in_plans(tmp_path: Path) -> None:
    _imported(tmp_path, "orders.csv", _nodes(["2021/08/31", "2021/02/30", "2020/01/01"]))

    last = "MATCH (o:Order) WHERE o.placed_on > date('2020-06-01') RETURN count(*) AS n, max(o.placed_on) AS last"
    assert await _rows(tmp_path, last) == [("1", "2021-08-31")]
