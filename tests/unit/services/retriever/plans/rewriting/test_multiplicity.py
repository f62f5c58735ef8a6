from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph.plan.algebra import Plan
from graph.plan.values import NodeRef
from graph.sqlite.store import SqliteGraphStore
from graph.store import GraphStore
from language.english.english import english
from language.values import QuestionValue, ValueForm
from services.retriever.plans.assembly.assembly import assemble
from services.retriever.plans.assembly.constants import QuestionConstants
from services.retriever.plans.planner import Planner
from services.retriever.plans.rewriting.multiplicity import aggregating_once
from services.retriever.plans.schema.schema_elements import SchemaElements
from tests.fakes.planning import ScriptedPlans, read_actions
from tests.support.asked_questions import asked_about
from tests.support.depots import depots
from tests.support.property_graphs import write_graph_file
from tests.support.reference_evaluator import Node, PropertyGraph, Relationship
from tests.support.stored_graphs import StoredGraph

_GRAPH = StoredGraph(depots())
_ELEMENTS = SchemaElements.of(_GRAPH.schema)
_JOINED = "KIND:Driver OUT:Driver.works_at"


def _plan(actions: str) -> Plan:
    values = [QuestionValue(0, 5, ValueForm.TEXT, "North", "North")]
    return assemble(read_actions(actions, _ELEMENTS), _ELEMENTS, QuestionConstants(values, {}))


def _result(actions: str) -> Sequence[tuple[object, ...]]:
    rows = _GRAPH.run(aggregating_once(_plan(actions), asked_about(_GRAPH.schema, ""))).rows
    return [tuple(cell.name if isinstance(cell, NodeRef) else cell for cell in row) for row in rows]


@pytest.mark.parametrize(
    ("actions", "rows"),
    [
        (f"{_JOINED} GROUP SUM PROPERTY:Depot.capacity END", [(230,)]),
        (f"{_JOINED} GROUP AVERAGE PROPERTY:Depot.opened END", [(2013.0,)]),
        (f"{_JOINED} GROUP COUNT PROPERTY:Depot.capacity END", [(3,)]),
        (f"{_JOINED} GROUP SUM PROPERTY:Depot.capacity COUNT_ROWS MAX PROPERTY:Depot.opened END", [(230, 3, 2019)]),
        (f"{_JOINED} GROUP PROPERTY:Depot.city SUM PROPERTY:Depot.capacity END", [("Bern", 50), ("Oslo", 180)]),
        (
            f"{_JOINED} FOCUS:0 OUT:Driver.carries FOCUS:1 GROUP VARIABLE:1 SUM PROPERTY:Driver.day_rate "
            "RETURN VARIABLE:1 COLUMN:0 END",
            [("North", 200)],
        ),
    ],
)
def test_each_node_is_aggregated_once(actions: str, rows: Sequence[tuple[object, ...]]) -> None:
    assert _result(actions) == rows


@pytest.mark.parametrize(
    "actions",
    [
        "KIND:Depot GROUP SUM PROPERTY:Depot.capacity END",
        f"{_JOINED} GROUP VARIABLE:1 SUM PROPERTY:Driver.day_rate RETURN VARIABLE:1 COLUMN:0 END",
        f"{_JOINED} IS VALUE:0 GROUP SUM PROPERTY:Driver.day_rate END",
        f"{_JOINED} GROUP MAX PROPERTY:Depot.capacity END",
        f"{_JOINED} GROUP COUNT_ROWS END",
        f"{_JOINED} GROUP SUM PROPERTY:Depot.capacity SUM PROPERTY:Driver.day_rate END",
        f"{_JOINED} RETURN PROPERTY:Depot.capacity END",
    ],
)
def test_plans_that_repeat_no_aggregated_node_stay_as_they_are(actions: str) -> None:
    assert aggregating_once(_plan(actions), asked_about(_GRAPH.schema, "")) == _plan(actions)


@given(st.lists(st.integers(0, 9), min_size=1, max_size=4), st.data())
def test_relationships_never_change_a_total(capacities: list[int], data: st.DataObject) -> None:
    drivers = data.draw(st.lists(st.integers(0, len(capacities) - 1), min_size=1, max_size=6))
    nodes = [Node(at, frozenset({"Depot"}), {"name": f"d{at}", "capacity": one}) for at, one in enumerate(capacities)]
    nodes += [Node(len(nodes) + at, frozenset({"Driver"}), {"name": f"p{at}"}) for at in range(len(drivers))]
    links = [Relationship(at, "works_at", len(capacities) + at, depot, {}) for at, depot in enumerate(drivers)]
    graph = StoredGraph(PropertyGraph(tuple(nodes), tuple(links)))
    elements = SchemaElements.of(graph.schema)
    actions = read_actions(f"{_JOINED} GROUP SUM PROPERTY:Depot.capacity END", elements)

    predicted = assemble(actions, elements, QuestionConstants([], {}))
    plan = aggregating_once(predicted, asked_about(graph.schema, ""))

    assert graph.run(plan).rows == ((sum(capacities[depot] for depot in set(drivers)),),)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> GraphStore:
    file = Path(tmp_path_factory.mktemp("graph")) / "depots.sqlite"
    write_graph_file(depots(), file)
    return SqliteGraphStore(file, 5.0)


@pytest.mark.parametrize(
    ("question", "actions", "rows"),
    [
        ("What is the total capacity of all depots?", f"{_JOINED} GROUP SUM PROPERTY:Depot.capacity END", ((240,),)),
        ("What is the total capacity of the depots with drivers?", f"{_JOINED} GROUP SUM PROPERTY:Depot.capacity END",
         ((230,),)),
        ("What is the total capacity of the staffed depots?", f"{_JOINED} GROUP SUM PROPERTY:Depot.capacity END",
         ((230,),)),
        ("How many depots are there in each city?",
         f"{_JOINED} GROUP PROPERTY:Depot.city COUNT_ROWS END",
         (("Bern", 2), ("Oslo", 2))),
        ("How many drivers does each depot have?",
         f"{_JOINED} FOCUS:0 OUT:Driver.carries FOCUS:1 GROUP VARIABLE:1 COUNT VARIABLE:2 "
         "RETURN VARIABLE:1 COLUMN:0 END",
         (("North", 2), ("South", 1), ("East", 2))),
    ],
)  # fmt: skip
async def test_a_join_of_which_the_question_says_nothing_is_not_made(
    store: GraphStore, question: str, actions: str, rows: Sequence[tuple[object, ...]]
) -> None:
    [reading] = await Planner(store, lambda elements: ScriptedPlans({question: [(actions, -0.1)]}, elements)).read(
        english(question)
    )

    found = {tuple(one.name if isinstance(one, NodeRef) else one for one in row) for row in reading.result.rows}
    assert found == set(rows)
