"""Plans that answer questions give the same rows on SQLite and on Neo4j, with ties and with owners."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from graph.plan.values import NodeRef
from graph.store import GraphStore
from services.retriever.plans.assembly.assembly import assemble
from services.retriever.plans.assembly.constants import QuestionConstants
from services.retriever.plans.rewriting.multiplicity import aggregating_once
from services.retriever.plans.running import run_for_answers
from services.retriever.plans.schema.schema_elements import SchemaElements
from tests import neo4j_server
from tests.fakes.planning import read_actions
from tests.support.asked_questions import asked_about
from tests.support.both_stores import BothStores, both_stores
from tests.support.depots import depots

pytestmark = neo4j_server.needs_neo4j


@pytest.fixture(scope="module")
def stores(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BothStores]:
    neo4j_server.require_empty()
    file: Path = tmp_path_factory.mktemp("graph") / "depots.sqlite"
    with both_stores(depots(), file, neo4j_server.settings()) as loaded:
        yield loaded


def _rows(stores: BothStores, store: GraphStore, actions: str) -> set[tuple[object, ...]]:
    schema = stores.runner.run(store.schema())
    elements = SchemaElements.of(schema)
    plan = assemble(read_actions(actions, elements), elements, QuestionConstants([], {}))
    once = aggregating_once(plan, asked_about(schema, ""))
    found = stores.runner.run(run_for_answers(store, once, elements.name_keys))
    return {tuple(cell.name if isinstance(cell, NodeRef) else cell for cell in row) for row in found.result.rows}


@pytest.mark.parametrize(
    ("actions", "rows"),
    [
        (
            "KIND:Depot SORT PROPERTY:Depot.opened DESCENDING LIMIT ONE RETURN VARIABLE:0 END",
            {("South", 2019), ("East", 2019)},
        ),
        (
            "KIND:Driver RETURN PROPERTY:Driver.day_rate END",
            {(150, "Cid"), (150, "Eve"), (180, "Dan"), (200, "Ann"), (200, "Bob")},
        ),
        ("KIND:Driver OUT:Driver.works_at GROUP SUM PROPERTY:Depot.capacity END", {(230,)}),
    ],
)
def test_both_stores_give_all_rows(stores: BothStores, actions: str, rows: set[tuple[object, ...]]) -> None:
    assert _rows(stores, stores.sqlite, actions) == rows
    assert _rows(stores, stores.neo4j, actions) == rows
