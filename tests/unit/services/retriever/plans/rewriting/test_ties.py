from pathlib import Path

import pytest

from graph.plan.algebra import Plan
from graph.plan.values import NodeRef
from graph.sqlite.store import SqliteGraphStore
from graph.store import GraphStore
from language.values import QuestionValue, ValueForm
from services.retriever.plans.assembly.assembly import assemble
from services.retriever.plans.assembly.constants import QuestionConstants
from services.retriever.plans.rewriting import ties
from services.retriever.plans.running import run_for_answers
from services.retriever.plans.schema.schema_elements import SchemaElements
from tests.fakes.planning import read_actions
from tests.support.depots import depots
from tests.support.property_graphs import write_graph_file
from tests.support.stored_graphs import StoredGraph

_ELEMENTS = SchemaElements.of(StoredGraph(depots()).schema)
_NEWEST = "SORT PROPERTY:Depot.opened DESCENDING LIMIT ONE"
_MOST_DRIVERS = "KIND:Driver OUT:Driver.works_at GROUP VARIABLE:1 COUNT_ROWS SORT COLUMN:0 DESCENDING LIMIT ONE"


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> GraphStore:
    file = Path(tmp_path_factory.mktemp("graph")) / "depots.sqlite"
    write_graph_file(depots(), file)
    return SqliteGraphStore(file, 5.0)


async def _names(store: GraphStore, actions: str) -> tuple[list[object], bool]:
    """Return the first column, and whether rows tie."""
    values = [QuestionValue(0, 1, ValueForm.NUMBER, 1, "1"), QuestionValue(0, 1, ValueForm.NUMBER, 2, "2")]
    plan: Plan = assemble(read_actions(actions, _ELEMENTS), _ELEMENTS, QuestionConstants(values, {}))
    found = await run_for_answers(store, plan, _ELEMENTS.name_keys)
    cells = [row[0] for row in found.result.rows]
    return [one.name if isinstance(one, NodeRef) else one for one in cells], found.tied is not None


@pytest.mark.parametrize(
    ("actions", "names"),
    [
        (f"KIND:Depot {_NEWEST} RETURN VARIABLE:0 END", ["South", "East"]),
        ("KIND:Depot SORT PROPERTY:Depot.opened DESCENDING SORT PROPERTY:Depot.name ASCENDING LIMIT ONE "
         "RETURN VARIABLE:0 END", ["East", "South"]),
        (f"KIND:Driver OUT:Driver.works_at {_NEWEST} RETURN VARIABLE:1 END", ["South", "East"]),
        (f"{_MOST_DRIVERS} RETURN VARIABLE:1 COLUMN:0 END", ["North", "East"]),
        (f"KIND:Depot {_NEWEST} THEN IN:Driver.works_at RETURN VARIABLE:1 END", ["Cid", "Dan", "Eve"]),
    ],
)  # fmt: skip
async def test_all_rows_that_tie_with_the_first_are_given(store: GraphStore, actions: str, names: list[str]) -> None:
    found, is_tied = await _names(store, actions)

    assert (sorted(map(str, found)), is_tied) == (sorted(names), True)


@pytest.mark.parametrize(
    ("actions", "names"),
    [
        ("KIND:Depot SORT PROPERTY:Depot.capacity DESCENDING LIMIT ONE RETURN VARIABLE:0 END", ["North"]),
        ("KIND:Driver SORT PROPERTY:Driver.day_rate ASCENDING LIMIT VALUE:1 RETURN VARIABLE:0 END", ["Cid", "Eve"]),
        ("KIND:Depot SORT PROPERTY:Depot.opened DESCENDING LIMIT ONE SKIP VALUE:0 RETURN VARIABLE:0 END", ["East"]),
        ("KIND:Driver OUT:Driver.works_at SORT PROPERTY:Depot.capacity DESCENDING LIMIT ONE RETURN VARIABLE:1 END",
         ["North"]),
        ("KIND:Depot LIMIT ONE RETURN VARIABLE:0 END", ["North"]),
    ],
)  # fmt: skip
async def test_other_limits_stay_as_they_are(store: GraphStore, actions: str, names: list[str]) -> None:
    assert await _names(store, actions) == (names, False)


async def test_no_more_than_the_most_are_given(store: GraphStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ties, "MAX_TIES", 2)

    found, _ = await _names(
        store, "KIND:Driver SORT SIZE PROPERTY:Driver.name ASCENDING LIMIT ONE RETURN VARIABLE:0 END"
    )

    assert found == ["Ann", "Bob"]
