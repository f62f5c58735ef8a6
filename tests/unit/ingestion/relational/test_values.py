"""Columns have the types that they declare, or those that their texts show, as in other imports."""

import sqlite3
from contextlib import closing
from datetime import UTC, date, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph.plan.text_readings import TextReading
from tests.support.company_tables import write_rows
from tests.support.small_tables import csv_import, database_of, error_of, folder_of, import_of


def column(folder: Path, *texts: str, name: str = "value", **settings: Any) -> tuple[list[Any], str]:
    """Return the values of a column of CSV with these texts, and how the import reads them."""
    rows = "".join(f'{place},"{text}"\n' for place, text in enumerate(texts))
    found = csv_import(folder, {"orders.csv": f"id,{name}\n{rows}"}, **settings)
    said = [one.said for one in found.report.columns if one.name == f"Order.{name}"]
    return [properties.get(name) for properties in found.properties("Order").values()], "; ".join(said)


@pytest.mark.parametrize(
    ("texts", "values"),
    [
        (("1", "-20", ""), [1, -20, None]),
        (("1", "2.5"), [1.0, 2.5]),
        (("true", "FALSE"), [True, False]),
        (("2024-02-29", "2023-01-01 00:00:00"), [date(2024, 2, 29), date(2023, 1, 1)]),
        (
            ("2024-02-29 12:30:00", "2023-01-01T10:00:00+02:00"),
            [datetime(2024, 2, 29, 12, 30), datetime(2023, 1, 1, 8)],
        ),
        (("007", "12"), ["007", "12"]),
        (("6.10", "6.9"), ["6.10", "6.9"]),
        (("12345678901234567890", "1"), ["12345678901234567890", "1"]),
        (("0.12345678901234567891", "1"), ["0.12345678901234567891", "1"]),
        (("1", "x"), ["1", "x"]),
        (("NULL", "3"), [None, 3]),
    ],
)
def test_texts_are_stored_as_what_programs_write(texts: tuple[str, ...], values: list[Any], tmp_path: Path) -> None:
    found, _ = column(tmp_path, *texts)

    assert [(type(value), value) for value in found] == [(type(value), value) for value in values]


def test_identifiers_stay_texts(tmp_path: Path) -> None:
    assert column(tmp_path, "4711", "815", name="phone")[0] == ["4711", "815"]


@pytest.mark.parametrize(
    ("texts", "dates", "said"),
    [
        (("28/02/2021", "1/3/2021"), None, "dates, day first"),
        (("3/4/2021", "1/3/2021"), TextReading.MONTH_FIRST, "dates, month first"),
        (("1.250,00", "12,50"), None, "numbers such as 1.250,00"),
    ],
)
def test_other_spellings_stay_texts_that_are_read(
    texts: tuple[str, ...], dates: TextReading | None, said: str, tmp_path: Path
) -> None:
    values, reading = column(tmp_path, *texts, dates=dates)

    assert values == list(texts)
    assert reading.startswith(said)


def test_dates_with_two_orders_stay_texts_and_the_report_says_which_option_helps(tmp_path: Path) -> None:
    assert "--dates day-first" in column(tmp_path, "3/4/2021", "1/3/2021")[1]


def test_one_bad_value_does_not_cost_the_others_their_type(tmp_path: Path) -> None:
    texts = [f"{place}.5" for place in range(20)]
    rows = "".join(f"{place},{text}\n" for place, text in enumerate([*texts, "soon"]))

    report = csv_import(tmp_path, {"orders.csv": f"id,weight\n{rows}"}).report

    [unread] = report.unread_values
    assert (unread.owner, unread.key, unread.count) == ("Order", "weight", 1)


def test_an_aliases_column_gives_other_names(tmp_path: Path) -> None:
    found = csv_import(tmp_path, {"people.csv": "id,name,aliases\n1,Ann Lee,Annie; A. Lee\n2,Bo Marsh,\n"})

    assert found.properties("Person")["1"]["aliases"] == ("Annie", "A. Lee")
    assert found.report.aliases == 2


def test_sqlite_values_have_their_declared_types(tmp_path: Path) -> None:
    script = """
    CREATE TABLE parts (
      id INTEGER PRIMARY KEY, code TEXT, spare BOOLEAN, price DECIMAL(10, 2), made DATE, seen TEXT, photo BLOB, free
    );
    INSERT INTO parts VALUES (1, '12', 1, 12, '2024-02-29', '2024-03-01 12:00:00', x'00ff', 'a'),
      (2, '13', 0, 12.5, NULL, '', NULL, 3), (3, 'NULL', NULL, NULL, NULL, NULL, NULL, 1.5);
    CREATE VIEW cheap AS SELECT * FROM parts;
    """
    found = import_of(database_of(tmp_path, script))

    assert list(found.mapping.tables) == ["parts"]
    assert found.properties("Part")["1"] == {
        "id": "1",
        "code": "12",
        "spare": True,
        "price": 12.0,
        "made": date(2024, 2, 29),
        "seen": datetime(2024, 3, 1, 12),
        "free": "a",
    }
    assert found.properties("Part")["2"] == {"id": "2", "code": "13", "spare": False, "price": 12.5, "free": 3}
    assert found.left_out() == {"parts.photo: binary data": 1, "parts.code: texts that mean no value": 1}


def test_duckdb_values_have_their_declared_types(tmp_path: Path) -> None:
    with duckdb.connect(str(tmp_path / "lab.duckdb")) as database:
        database.execute("CREATE SCHEMA lab.lab")
        database.execute(
            "CREATE TABLE lab.lab.samples (id UUID, taken TIMESTAMPTZ, day DATE, n HUGEINT, mass DECIMAL(6, 2), "
            "ok BOOLEAN, tags VARCHAR[], clock TIME, took INTERVAL, more STRUCT(a INTEGER), "
            "state ENUM('new', 'old'), x DOUBLE)"
        )
        database.execute(
            "INSERT INTO lab.lab.samples VALUES ('6f9619ff-8b86-d011-b42d-00cf4fc964ff', '2024-01-01 10:00:00+02', "
            "'2024-01-02', 170141183460469231731687303715884105727, 1.5, true, ['a', 'b'], '10:00', INTERVAL 36 HOUR, "
            "{a: 1}, 'new', 'nan'::DOUBLE)"
        )

    found = import_of(tmp_path / "lab.duckdb")

    [properties] = found.properties("LabSample").values()
    assert properties == {
        "id": "6f9619ff-8b86-d011-b42d-00cf4fc964ff",
        "taken": datetime(2024, 1, 1, 8),
        "day": date(2024, 1, 2),
        "mass": 1.5,
        "ok": True,
        "tags": ("a", "b"),
        "took": "P1DT12H",
        "more": '{"a": 1}',
        "state": "new",
    }
    assert found.left_out() == {
        "lab.samples.n: integers of more than 64 bits": 1,
        "lab.samples.clock: times": 1,
    }


def test_a_strict_import_refuses_a_value_that_no_property_can_hold(tmp_path: Path) -> None:
    database = database_of(
        tmp_path, "CREATE TABLE parts (id INTEGER PRIMARY KEY, photo BLOB); INSERT INTO parts VALUES (7, x'00');"
    )

    assert error_of(database, is_strict=True) == (
        "shop.db, table parts, row 1: photo: no property can hold binary data; store numbers or texts"
    )


_WORDS = st.text(st.characters(codec="utf-8", exclude_categories=("C", "Z")), min_size=1, max_size=8).map(
    lambda t: f"w{t}w"
)
_COLUMNS = {
    "INTEGER": st.integers(-(2**63), 2**63 - 1),
    "REAL": st.floats(allow_nan=False, allow_infinity=False, width=32).map(lambda x: x + 0.0),
    "TEXT": _WORDS,
    "DATE": st.dates(),
    "TIMESTAMP": st.datetimes(timezones=st.just(UTC)).map(lambda at: at.replace(microsecond=0)),
}


@st.composite
def tables(draw: st.DrawFn) -> tuple[list[str], list[list[Any]]]:
    """Draw the declared types of columns, and rows of them, of which some values are missing."""
    types = draw(st.lists(st.sampled_from(sorted(_COLUMNS)), min_size=1, max_size=4))
    cells = [st.none() | _COLUMNS[type_] for type_ in types]
    return types, draw(st.lists(st.tuples(*cells).map(list), min_size=1, max_size=6))


@given(tables())
def test_a_table_arrives_equal_from_csv_and_from_sqlite(table: tuple[list[str], list[list[Any]]]) -> None:
    types, rows = table
    header = ["id", *(f"c{place}" for place in range(len(types)))]
    numbered = [[f"k{number}", *map(_written, row)] for number, row in enumerate(rows)]
    with TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "tables").mkdir()
        write_rows(folder / "tables" / "items.csv", header, numbered)
        with closing(sqlite3.connect(folder / "items.db")) as database:
            declared = ", ".join(f"c{place} {type_}" for place, type_ in enumerate(types))
            database.execute(f"CREATE TABLE items (id TEXT PRIMARY KEY, {declared})")
            database.executemany(f"INSERT INTO items VALUES ({', '.join('?' * len(header))})", numbered)
            database.commit()

        of_csv, of_sqlite = import_of(folder / "tables").graph, import_of(folder / "items.db").graph

    assert of_csv.nodes == of_sqlite.nodes
    assert [repr(node.properties) for node in of_csv.nodes.values()] == [
        repr(node.properties) for node in of_sqlite.nodes.values()
    ]


def _written(value: Any) -> Any:
    return str(value) if isinstance(value, date) else value


def test_a_folder_may_mix_formats(tmp_path: Path) -> None:
    folder = folder_of(tmp_path, {"a.csv": "id,book_id\n1,x\n", "readme.md": "# Tables\n", ".hidden.csv": "id\n"})
    duckdb.execute(f"COPY (SELECT 'x' AS id, 3 AS n) TO '{folder / 'books.parquet'}' (FORMAT parquet)")

    found = import_of(folder)

    assert found.references("a") == {"book_id": "books"}
    assert found.mapping.ignored == ("readme.md",)


def test_names_of_parquet_files_are_no_patterns(tmp_path: Path) -> None:
    folder = tmp_path / "tables [1]"
    folder.mkdir()
    for name, number in {"a*": 1, "a?[b]": 2, "ab": 3}.items():
        rows = duckdb.from_query(f"SELECT {number} AS id")
        assert rows is not None
        rows.write_parquet(str(folder / f"{name}.parquet"))

    found = import_of(folder)

    assert {name: table.rows for name, table in found.mapping.tables.items()} == {"a*": 1, "a?[b]": 1, "ab": 1}
    assert {key for node in found.graph.nodes.values() for key in [node.properties["id"]]} == {"1", "2", "3"}
