"""One bad value among years or dates costs that value, and not the type of its property."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from graph.plan.schema import GraphSchema, LeftOutValues
from graph.plan.text_readings import TextReading
from graph.plan.values import ValueType
from graph.sqlite.store import SqliteGraphStore
from ingestion.importer import ImportReport, import_files
from kgqa.schema import describe

_YEARS = [*range(1990, 2014), "c. 2014"]
_DAYS = [*(f"1990-01-{day:02}" for day in range(1, 25)), "spring 1991"]


def _json(values: Sequence[object]) -> str:
    nodes = [
        {"type": "node", "id": f"f{place}", "labels": ["Film"], "properties": {"name": f"Film {place}", "made": value}}
        for place, value in enumerate(values)
    ]
    return "\n".join(map(json.dumps, nodes))


def _tsv(values: Sequence[object]) -> str:
    return "".join(f"Film {place}\t:LABEL\tFilm\nFilm {place}\tmade\t{value}\n" for place, value in enumerate(values))


async def _imported(folder: Path, name: str, text: str) -> tuple[ImportReport, GraphSchema]:
    (folder / name).write_text(text)
    report = import_files([folder / name], folder / "graph.sqlite")
    store = SqliteGraphStore(folder / "graph.sqlite")
    schema = await store.schema()
    await store.close()
    return report, schema


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("films.jsonl", _json(_YEARS)),
        ("films.jsonl", _json(list(map(str, _YEARS)))),
        ("films.tsv", _tsv(_YEARS)),
        ("films.jsonl", _json(_DAYS)),
        ("films.tsv", _tsv(_DAYS)),
    ],
)
async def test_a_property_keeps_its_type_and_says_what_it_left_out(tmp_path: Path, name: str, text: str) -> None:
    report, schema = await _imported(tmp_path, name, text)

    left_out = LeftOutValues("Film", "made", 1, 25)
    assert schema.kinds["Film"].properties["made"].content in (ValueType.INTEGER, ValueType.DATE)
    assert list(report.unread_values) == list(schema.left_out) == [left_out]
    assert "  1 of 25 values of Film.made" in list(describe(schema))


@pytest.mark.parametrize(
    "values",
    [
        ["1999", "2001", "none of them"],  # too few fit
        [*map(str, range(10, 34)), "12a"],  # house numbers
        [f"A{number}" for number in range(25)],
    ],
)
async def test_texts_stay_texts(tmp_path: Path, values: Sequence[object]) -> None:
    report, schema = await _imported(tmp_path, "films.jsonl", _json(values))

    assert schema.kinds["Film"].properties["made"].content is ValueType.STRING
    assert list(report.unread_values) == []


async def test_misfits_beyond_the_sample_are_counted(tmp_path: Path) -> None:
    values = [*(1900 + place % 100 for place in range(5_010)), "c. 2014", "unclear"]

    report, _ = await _imported(tmp_path, "films.jsonl", _json(values))

    assert list(report.unread_values) == [LeftOutValues("Film", "made", 2, 5_012)]


async def test_a_day_that_does_not_exist_costs_few_days_no_type(tmp_path: Path) -> None:
    values = ["1990-01-24", "1990-02-01", "1998-13-45"]
    _, schema = await _imported(tmp_path, "films.tsv", _tsv(values))

    assert schema.kinds["Film"].properties["made"].content is ValueType.DATE
    assert [(one.key, one.count) for one in schema.left_out] == [("made", 1)]


@pytest.mark.parametrize(
    ("values", "reading", "first"),
    [
        (["2021/08/31", "2021/02/30", "2020/01/01"], TextReading.YEAR_FIRST, "2021/02/30"),
        (["31/08/2021", "1/2/2020", "31/02/2021"], TextReading.DAY_FIRST, "31/02/2021"),
        (["4 May 2021", "30 Feb 2021", "31 Apr 2020", "5 May 2020", "6 May 2020"], None, "30 Feb 2021"),
        ([*(f"2021/01/{day:02}" for day in range(1, 29)), "2021/02/30"] * 200, TextReading.YEAR_FIRST, "2021/02/30"),
        ([*["2021/01/01", "2021/01/02"] * 3_000, "2021/02/30"], TextReading.YEAR_FIRST, "2021/02/30"),
    ],
)
async def test_in_every_spelling_a_day_that_does_not_exist_costs_that_value(
    tmp_path: Path, values: Sequence[str], reading: TextReading | None, first: str
) -> None:
    report, schema = await _imported(tmp_path, "films.jsonl", _json(values))

    found = schema.kinds["Film"].properties["made"]
    assert (found.content, found.reading) == (ValueType.DATE, reading or TextReading.DAY_OF_NAMED_MONTH)
    assert report.examples == {("Film", "made"): first}
    [left_out] = report.unread_values
    assert 0 < left_out.count < left_out.total / 2


@pytest.mark.parametrize(
    ("name", "text"), [("films.jsonl", _json(list(map(str, _YEARS)))), ("films.tsv", _tsv(_YEARS))]
)
async def test_the_first_value_that_is_left_out_is_named(tmp_path: Path, name: str, text: str) -> None:
    report, _ = await _imported(tmp_path, name, text)

    assert report.examples == {("Film", "made"): "c. 2014"}


@pytest.mark.parametrize(
    ("values", "first"),
    [
        (["5", "heavy", "5", "7"], "heavy"),
        (["12.05.2020", "13.05.2020", "1.5.20"], "1.5.20"),
        (["6.9", "6.1", "6.10"], "6.10"),
        ([*(f"{place}.5" for place in range(6_000)), "12 kg"], "12 kg"),
    ],
)
async def test_texts_without_a_reading_are_listed_with_the_one_that_differs(
    tmp_path: Path, values: Sequence[str], first: str
) -> None:
    report, _ = await _imported(tmp_path, "films.jsonl", _json(values))

    [column] = report.columns
    assert str(column).startswith("Film.made: texts, which plans do not sort or compare by size")
    assert str(column).endswith(f"the first one that differs is {first!r}")


async def test_a_property_with_values_of_several_types_is_listed(tmp_path: Path) -> None:
    report, _ = await _imported(tmp_path, "films.jsonl", _json([2**53 + 1, 1.5, "1.5", 3]))

    [column] = report.columns
    assert str(column).startswith("Film.made: values of several types (float, integer, string)")
