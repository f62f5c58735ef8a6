import json
from pathlib import Path

import pytest

from contracts.plans import PlanRequest
from graph.plan.checks import read_plan
from graph.plan.schema import GraphSchema, LeftOutValues
from graph.sqlite.store import SqliteGraphStore
from ingestion.importer import import_files
from services.retriever.execution.left_out_values import share_of_values
from services.retriever.execution.plans import run_plan

_TYPE = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"
_DATE = "<http://www.w3.org/2001/XMLSchema#date>"
_BIRTHS = {"Ann": "-0044-03-15", "Bo": "1850-01-01", "Cy": "12000-01-01", "Di": "1960-02-29"}
_NTRIPLES = "".join(
    f"<http://e.org/{name}> {_TYPE} <http://e.org/Person> .\n"
    f'<http://e.org/{name}> <http://e.org/born> "{day}"^^{_DATE} .\n'
    for name, day in _BIRTHS.items()
)
_JSON = "".join(
    json.dumps({"type": "node", "id": name, "labels": ["Person"], "properties": {"name": name, "born": day}}) + "\n"
    for name, day in _BIRTHS.items()
)
_TYPED_JSON = _JSON.replace('"born": ', '"born": {"date": ').replace("}}\n", "}}}\n")
_TSV = "".join(f"{name}\t:LABEL\tPerson\n{name}\tborn\t{day}\n" for name, day in _BIRTHS.items())
_CSV = ":ID,name,born:date,:LABEL\n" + "".join(f"{name},{name},{day},Person\n" for name, day in _BIRTHS.items())
_FILES = [("f.nt", _NTRIPLES), ("f.jsonl", _JSON), ("f.jsonl", _TYPED_JSON), ("f.tsv", _TSV), ("f.csv", _CSV)]


def _sorted_by(key: str, kinds: list[str]) -> dict[str, object]:
    born = {"op": "property", "variable": "p", "key": key}
    return {
        "steps": [
            {"op": "match", "nodes": [{"variable": "p", "kinds": kinds}]},
            {"op": "order", "keys": [{"value": born}]},
            {"op": "slice", "limit": 1},
            {"op": "project", "columns": [{"name": "p", "value": {"op": "variable", "name": "p"}}]},
        ]
    }


async def _warnings(folder: Path, name: str, content: str, plan: dict[str, object]) -> list[tuple[str, str]]:
    (folder / name).write_text(content)
    import_files([folder / name], folder / "graph.sqlite")
    store = SqliteGraphStore(folder / "graph.sqlite")
    try:
        reply = await run_plan(store, PlanRequest(plan=read_plan(plan)))
    finally:
        await store.close()
    return [(warning.kind, warning.text) for warning in reply.warnings]


@pytest.mark.parametrize(("name", "content"), _FILES)
@pytest.mark.parametrize("kinds", [["Person"], []])
async def test_a_plan_warns_of_dates_that_no_property_can_hold(
    tmp_path: Path, name: str, content: str, kinds: list[str]
) -> None:
    [(kind, text)] = await _warnings(tmp_path, name, content, _sorted_by("born", kinds))

    assert kind == "left_out_values"
    assert text.startswith("2 of 4 values of Person.born are left out")


@pytest.mark.parametrize(("name", "content"), _FILES)
async def test_a_plan_does_not_warn_if_all_values_are_there(tmp_path: Path, name: str, content: str) -> None:
    content = content.replace("-0044", "1044").replace("12000", "1200")

    assert await _warnings(tmp_path, name, content, _sorted_by("born", ["Person"])) == []


async def test_a_plan_does_not_warn_of_properties_that_it_does_not_use(tmp_path: Path) -> None:
    other = json.dumps(
        {"type": "node", "id": "x", "labels": ["Ship"], "properties": {"name": "X", "born": "1900-01-01"}}
    )

    assert await _warnings(tmp_path, "f.jsonl", _JSON, _sorted_by("name", ["Person"])) == []
    assert await _warnings(tmp_path, "f.jsonl", f"{_JSON}{other}", _sorted_by("born", ["Ship"])) == []


async def test_a_plan_warns_of_points_of_relationships(tmp_path: Path) -> None:
    lines = [{"type": "node", "id": "a"}] + [
        {"type": "relationship", "label": "NEXT", "start": "a", "end": "a", "properties": {"gate": gate}}
        for gate in ({"crs": "wgs-84-3d", "latitude": 1, "longitude": 2, "height": 3}, "west")
    ]
    plan: dict[str, object] = {
        "steps": [
            {
                "op": "match",
                "nodes": [{"variable": "a"}, {"variable": "b"}],
                "relationships": [{"source": "a", "target": "b", "types": ["NEXT"], "variable": "r"}],
                "where": {
                    "op": "comparison",
                    "left": {"op": "property", "variable": "r", "key": "gate"},
                    "operator": "=",
                    "right": {"op": "constant", "value": "west"},
                },
            }
        ]
    }

    [(_, text)] = await _warnings(tmp_path, "f.jsonl", "\n".join(map(json.dumps, lines)), plan)

    assert text.startswith("1 of 2 values of NEXT.gate is left out")


def test_the_share_of_values_is_that_of_the_least_complete_property() -> None:
    plan = read_plan(_sorted_by("born", ["Person"]))
    left_out = (LeftOutValues("Person", "born", 1, 4), LeftOutValues("Person", "height", 3, 4))

    assert share_of_values(plan, GraphSchema({}, {}, left_out=left_out)) == 0.75
    assert share_of_values(plan, GraphSchema({}, {}, left_out=left_out[1:])) == 1.0
    assert share_of_values(plan, GraphSchema({}, {}, left_out=(LeftOutValues("Person", "born", 0, 0),))) == 1.0
