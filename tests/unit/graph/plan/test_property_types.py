import asyncio
from contextlib import closing
from datetime import datetime
from pathlib import Path

import pytest

from graph.opening import open_graph
from graph.plan.algebra import Column, Comparison, Constant, Match, NodePattern, Plan, Project, Property
from graph.plan.values import ValueType
from ingestion.sqlite_writer import GraphWriter
from shared.errors import InvalidInputError
from shared.paths import graph_file

SOLD = Comparison("=", Property("p", "sold"), Constant(True))
READ = Plan((Match((NodePattern("p", ("Product",)),)), Project((Column("code", Property("p", "code")),))))


@pytest.fixture(autouse=True)
def _graph(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KGQA_HOME", str(tmp_path))
    file = graph_file("shop")
    file.parent.mkdir(parents=True)
    with closing(GraphWriter(file)) as writer:
        writer.add_node("1", ["Product"], {"name": "Tea", "code": "12", "sold": "True"})
        writer.add_node("2", ["Product"], {"name": "Soap", "code": "x", "sold": "false"})
        writer.finish()


def read() -> tuple[ValueType | None, list[object]]:
    async def run() -> tuple[ValueType | None, list[object]]:
        store = open_graph("shop")
        try:
            content = (await store.schema()).kinds["Product"].properties["code"].content
            return content, [code for (code,) in (await store.run(READ)).rows]
        finally:
            await store.close()

    return asyncio.run(run())


def test_a_type_from_the_environment_replaces_that_of_the_content(monkeypatch: pytest.MonkeyPatch) -> None:
    assert read() == (ValueType.STRING, ["12", "x"])
    monkeypatch.setenv("KGQA_PROPERTY_TYPES", " Product.code = integer ")
    assert read() == (ValueType.INTEGER, [12, None])


@pytest.mark.parametrize(
    ("unit", "first"),
    [("seconds", datetime(1970, 1, 1, 0, 0, 12)), ("milliseconds", datetime(1970, 1, 1, 0, 0, 0, 12_000))],
)
def test_numbers_since_1970_are_datetimes(monkeypatch: pytest.MonkeyPatch, unit: str, first: datetime) -> None:
    monkeypatch.setenv("KGQA_PROPERTY_TYPES", f"Product.code=epoch_{unit}")

    assert read() == (ValueType.DATETIME, [first, None])


def test_truth_values_in_strings_are_booleans() -> None:
    async def run() -> list[object]:
        store = open_graph("shop")
        try:
            match = Match((NodePattern("p", ("Product",)),), where=SOLD)
            plan = Plan((match, Project((Column("name", Property("p", "name")),))))
            return [name for (name,) in (await store.run(plan)).rows]
        finally:
            await store.close()

    assert asyncio.run(run()) == ["Tea"]


def test_the_type_of_lists_cannot_be_set(monkeypatch: pytest.MonkeyPatch) -> None:
    with closing(GraphWriter(graph_file("flags"))) as writer:
        writer.add_node("1", ["Ship"], {"name": "Vega", "flags": ("blue", "white")})
        writer.finish()
    monkeypatch.setenv("KGQA_PROPERTY_TYPES", "Ship.flags=integer")
    with pytest.raises(InvalidInputError, match=r"cannot set the type of Ship\.flags, which holds lists"):
        open_graph("flags")


def test_an_unknown_property_is_an_error_with_a_hint(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KGQA_PROPERTY_TYPES", "Product.codes=integer")
    with pytest.raises(InvalidInputError, match=r"unknown property 'Product.codes'; did you mean 'Product.code'"):
        read()


@pytest.mark.parametrize("setting", ["code=integer", "Product.code", "Product.code=number", "=integer", ".=integer"])
def test_a_malformed_setting_is_an_error(setting: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KGQA_PROPERTY_TYPES", setting)
    with pytest.raises(InvalidInputError, match=r"KGQA_PROPERTY_TYPES is invalid: expected a label, a property"):
        read()
