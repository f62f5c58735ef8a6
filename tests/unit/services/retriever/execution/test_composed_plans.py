"""Plans find names and texts of imported files in either Unicode form, because files are stored in the composed one."""

import json
from pathlib import Path
from typing import Any
from unicodedata import normalize

import pytest

from contracts.plans import PlanRequest
from graph.plan.checks import read_plan, write_plan
from graph.plan.composed_form import with_composed_texts
from graph.plan.schema import GraphSchema
from graph.sqlite.store import SqliteGraphStore
from ingestion.importer import import_files
from services.retriever.execution.plans import run_plan

_NODE = {
    "type": "node",
    "id": "1",
    "labels": ["Caf\u00e9"],
    "properties": {"name": "Zo\u00e9", "\u00e9toiles": "tr\u00e8s bien"},
}
_SELF = {"type": "relationship", "label": "PR\u00c8S", "start": "1", "end": "1"}


def _plan() -> dict[str, Any]:
    stars = {"op": "property", "variable": "c", "key": "\u00e9toiles"}
    conditions = [
        {"op": "comparison", "left": stars, "operator": "=", "right": {"op": "constant", "value": "tr\u00e8s bien"}},
        {"op": "has_kind", "variable": "d", "kind": "Caf\u00e9"},
        {
            "op": "comparison",
            "left": stars,
            "operator": "in",
            "right": {"op": "constant", "value": ["tr\u00e8s bien", "bien"]},
        },
    ]
    return {
        "steps": [
            {
                "op": "match",
                "nodes": [{"variable": "c", "kinds": ["Caf\u00e9"]}, {"variable": "d"}],
                "relationships": [{"source": "c", "target": "d", "types": ["PR\u00c8S"]}],
                "where": {"op": "and", "conditions": conditions},
            },
            {"op": "project", "columns": [{"name": "c", "value": {"op": "property", "variable": "c", "key": "name"}}]},
        ]
    }


@pytest.mark.parametrize("of_file", ["NFC", "NFD"])
@pytest.mark.parametrize("of_plan", ["NFC", "NFD"])
async def test_plans_find_both_forms(tmp_path: Path, of_file: Any, of_plan: Any) -> None:
    lines = "\n".join(json.dumps(line, ensure_ascii=False) for line in (_NODE, _SELF))
    (tmp_path / "g.jsonl").write_text(normalize(of_file, lines))
    import_files([tmp_path / "g.jsonl"], tmp_path / "graph.sqlite")
    plan = json.loads(normalize(of_plan, json.dumps(_plan(), ensure_ascii=False)))
    store = SqliteGraphStore(tmp_path / "graph.sqlite")
    try:
        reply = await run_plan(store, PlanRequest(plan=read_plan(plan)))
    finally:
        await store.close()

    assert reply.rows == [["Zo\u00e9"]]


def test_plans_on_other_graphs_stay_as_they_are() -> None:
    plan = read_plan(json.loads(normalize("NFD", json.dumps(_plan(), ensure_ascii=False))))

    assert with_composed_texts(plan, GraphSchema({}, {})) is plan
    composed = with_composed_texts(plan, GraphSchema({}, {}, is_composed=True))
    assert write_plan(composed) == write_plan(read_plan(_plan()))
