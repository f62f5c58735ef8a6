from pathlib import Path

import pytest

from graph.plan.algebra import Plan
from graph.plan.values import NodeRef
from graph.sqlite.store import SqliteGraphStore
from language.values import QuestionValue, ValueForm
from services.retriever.plans import running
from services.retriever.plans.assembly.assembly import assemble
from services.retriever.plans.assembly.constants import QuestionConstants
from services.retriever.plans.rewriting.owners import with_owners
from services.retriever.plans.schema.schema_elements import SchemaElements
from tests.fakes.planning import read_actions
from tests.support.depots import depots
from tests.support.property_graphs import write_graph_file
from tests.support.stored_graphs import StoredGraph

_ELEMENTS = SchemaElements.of(StoredGraph(depots()).schema)
_RATES = "KIND:Driver RETURN PROPERTY:Driver.day_rate END"


def _plan(actions: str) -> Plan:
    values = [
        QuestionValue(0, 5, ValueForm.TEXT, "South", "South"),
        QuestionValue(0, 1, ValueForm.NUMBER, 2, "2"),
    ]
    return assemble(read_actions(actions, _ELEMENTS), _ELEMENTS, QuestionConstants(values, {}))


@pytest.mark.parametrize(
    ("actions", "rows"),
    [
        (_RATES, {(150, "Cid"), (150, "Eve"), (180, "Dan"), (200, "Ann"), (200, "Bob")}),
        (
            "KIND:Driver OUT:Driver.works_at RETURN PROPERTY:Depot.city END",
            {("Bern", "South"), ("Oslo", "East"), ("Oslo", "North")},
        ),
        (
            "KIND:Depot SORT PROPERTY:Depot.capacity DESCENDING LIMIT VALUE:1 RETURN PROPERTY:Depot.city END",
            {("Oslo", 100, "North"), ("Oslo", 80, "East")},
        ),
        ("KIND:Driver OUT:Driver.works_at IS VALUE:0 FOCUS:0 RETURN PROPERTY:Driver.day_rate END", {(150,)}),
        ("KIND:Driver RETURN_DISTINCT PROPERTY:Driver.day_rate END", {(150,), (180,), (200,)}),
    ],
)
async def test_values_of_several_nodes_have_their_owner_beside_them(
    tmp_path: Path, actions: str, rows: set[tuple[object, ...]]
) -> None:
    write_graph_file(depots(), tmp_path / "depots.sqlite")
    store = SqliteGraphStore(tmp_path / "depots.sqlite", 5.0)

    found = await running.run_for_answers(store, _plan(actions), _ELEMENTS.name_keys)

    cells = [tuple(cell.name if isinstance(cell, NodeRef) else cell for cell in row) for row in found.result.rows]
    assert (len(cells), set(cells)) == (len(rows), rows)


@pytest.mark.parametrize(
    "actions",
    [
        "KIND:Depot IS VALUE:0 RETURN PROPERTY:Depot.city END",
        "KIND:Depot RETURN PROPERTY:Depot.name END",
        "KIND:Depot RETURN VARIABLE:0 PROPERTY:Depot.city END",
        "KIND:Depot RETURN PROPERTY:Depot.city PROPERTY:Depot.name END",
        "KIND:Depot SORT PROPERTY:Depot.capacity DESCENDING LIMIT ONE RETURN PROPERTY:Depot.city END",
        "KIND:Depot GROUP PROPERTY:Depot.city COUNT_ROWS END",
    ],
)
def test_plans_that_name_one_node_or_show_the_owner_anyway_stay_as_they_are(actions: str) -> None:
    assert with_owners(_plan(actions), _ELEMENTS.name_keys) is None


async def test_values_that_would_be_cut_go_without_owners(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "MAX_ROWS", 4)
    write_graph_file(depots(), tmp_path / "depots.sqlite")
    store = SqliteGraphStore(tmp_path / "depots.sqlite", 5.0)

    found = await running.run_for_answers(store, _plan(_RATES), _ELEMENTS.name_keys)

    assert set(found.result.rows) == {(150,), (180,), (200,)}
