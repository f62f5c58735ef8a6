"""Plans keep to the nodes that a question means by its names, wherever a plan has these names."""

from pathlib import Path

import pytest

from graph.plan.algebra import (
    Aggregate,
    AggregateFunction,
    Column,
    Comparison,
    Constant,
    Group,
    Match,
    NodePattern,
    Order,
    Plan,
    Project,
    Property,
    RelationshipPattern,
    Slice,
    SortKey,
)
from graph.sqlite.store import SqliteGraphStore
from graph.store import GraphStore
from language.english.english import english
from language.meant import Meant
from services.retriever.plans.names.meant_in_plans import with_meant_nodes_only, with_nodes_among
from shared.errors import InvalidInputError
from tests.support.namesakes import NAME, PLANS, about_the_younger, ids_of, named, namesakes, people
from tests.support.property_graphs import write_graph_file


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> GraphStore:
    file = Path(tmp_path_factory.mktemp("graph")) / "people.sqlite"
    write_graph_file(namesakes(), file)
    return SqliteGraphStore(file, 5.0)


@pytest.mark.parametrize(("plan", "without", "born"), PLANS)
async def test_a_name_stands_for_the_meant_node_alone(
    store: GraphStore, plan: Plan, without: list[int], born: list[int]
) -> None:
    kept = with_meant_nodes_only(plan, await about_the_younger(store), frozenset({"name"}))

    assert sorted(row[0] for row in (await store.run(plan)).rows) == without
    assert sorted(row[0] for row in (await store.run(kept)).rows) == born


def test_a_plan_stays_as_it_is_if_nothing_is_meant() -> None:
    plan = people(named("p", NAME))

    assert with_meant_nodes_only(plan, english(f"{NAME}?"), frozenset({"name"})) is plan


def test_the_name_in_another_property_is_no_name() -> None:
    plan = people(Comparison("=", Property("p", "boss"), Constant(NAME)))
    asked = english(f"{NAME}?").meaning({NAME: Meant("p2", NAME)})

    assert with_meant_nodes_only(plan, asked, frozenset({"name"})) == plan


_OLDEST = (
    Match((NodePattern("p", ("Person",)),)),
    Order((SortKey(Property("p", "born")),)),
    Slice(1),
    Project((Column("born", Property("p", "born")),)),
)
_AVERAGE = Aggregate("average", AggregateFunction.AVERAGE, Property("p", "born"))
_MANAGED = Match((NodePattern("m"), NodePattern("p")), (RelationshipPattern("m", "p", ("MANAGES",)),))


@pytest.mark.parametrize(
    ("plan", "born", "found"),
    [
        (Plan(_OLDEST), [1970, 1971], [1970]),
        (Plan((_OLDEST[0], Group((), (_AVERAGE,)))), [1980, 1970], [1975]),
        (Plan((_MANAGED, _OLDEST[-1])), [1971], [1971]),
        (Plan((_MANAGED, Group((), (Aggregate("count", AggregateFunction.COUNT),)))), [1956], [1]),
    ],
)
async def test_a_plan_is_about_some_nodes_alone(
    store: GraphStore, plan: Plan, born: list[int], found: list[float]
) -> None:
    ids = await ids_of(store, born)

    rows = (await store.run(with_nodes_among(plan, ids, frozenset({"Person"})))).rows

    assert [row[0] for row in rows] == found


def test_a_plan_about_other_kinds_is_refused() -> None:
    with pytest.raises(InvalidInputError, match="other kinds"):
        with_nodes_among(Plan(_OLDEST), ["1"], frozenset({"Ship"}))


def test_a_plan_is_about_all_nodes_if_no_others_are_given() -> None:
    plan = Plan(_OLDEST)

    assert with_nodes_among(plan, (), frozenset()) is plan
