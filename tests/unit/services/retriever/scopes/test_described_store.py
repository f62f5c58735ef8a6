"""A described store does what a store does over the graph without what is hidden."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from contracts.meaning_file import parse_meaning
from graph.plan.algebra import Match, NodePattern, Plan, ShortestPaths
from graph.plan.checks import check_plan
from graph.sqlite.store import SqliteGraphStore
from graph.store import GraphStore, WalkRule
from services.retriever.scopes.described_store import DescribedStore, described_store
from shared.errors import InvalidInputError, PlanLimitError
from shared.scope_conditions import ScopeCondition
from tests.support.hidden_parts import HIDING, graph_with_hidden_parts, without_hidden_parts
from tests.support.plan_results import comparable
from tests.support.property_graphs import write_graph_file
from tests.support.random_plans import random_plans
from tests.support.reference_evaluator import evaluate

_SAID = """
[kinds.Person]
names = ["author"]
[relationships.REFUTES]
hidden = true
[properties.codename]
hidden = true
"""


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = tmp_path_factory.mktemp("graph") / "graph.sqlite"
    write_graph_file(graph_with_hidden_parts(), found)
    return found


@pytest.fixture(scope="module")
def runner() -> Iterator[asyncio.Runner]:
    with asyncio.Runner() as found:
        yield found


@pytest.fixture(scope="module")
def hiding(file: Path, runner: asyncio.Runner) -> Iterator[GraphStore]:
    store = described_store(SqliteGraphStore(file), parse_meaning(HIDING))
    yield store
    runner.run(store.close())


@settings(suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture], deadline=None)
@given(data=st.data())
def test_plans_return_what_they_return_without_what_is_hidden(
    hiding: GraphStore, runner: asyncio.Runner, data: st.DataObject
) -> None:
    schema = runner.run(hiding.schema())
    plan = data.draw(random_plans(without_hidden_parts(graph_with_hidden_parts()), schema))
    try:
        check_plan(plan, schema)
        expected = evaluate(plan, without_hidden_parts(graph_with_hidden_parts()))
        found = runner.run(hiding.run(plan, 3_000))
    except (OverflowError, PlanLimitError, InvalidInputError):
        return
    assert comparable(found.rows) == comparable(expected.rows)


async def test_what_is_hidden_is_neither_listed_nor_found_nor_walked(file: Path) -> None:
    store = described_store(SqliteGraphStore(file), parse_meaning(HIDING))
    schema = await store.schema()

    assert schema.kinds.keys() == {"Document", "Person"}
    assert "pages" not in schema.kinds["Document"].properties
    assert await store.relations() == ("REFUTES", "WROTE")
    assert await store.entities_named(["lind ltd"]) == [[]]
    [[ada]] = await store.entities_named(["ada lind"])
    [steps] = await store.steps_after([(ada.entity, ())])
    assert steps == {"WROTE"}
    [cited] = await store.walk([(ada.entity, ("WROTE", "CITES"))], WalkRule())
    assert cited.reached == ()
    await store.close()


async def test_paths_do_not_exist_if_every_relationship_is_hidden(file: Path) -> None:
    said = "".join(f"[relationships.{name}]\nhidden = true\n" for name in ("CITES", "OWNS", "REFUTES", "WROTE"))
    store = described_store(SqliteGraphStore(file), parse_meaning(said))
    pairs = Match((NodePattern("a"), NodePattern("b")))

    assert (await store.run(Plan((pairs,)), 3_000)).rows
    assert (await store.run(Plan((pairs, ShortestPaths("a", "b"))), 3_000)).rows == ()
    await store.close()


async def test_names_are_in_the_schema_and_the_version_is_that_of_the_graph(file: Path) -> None:
    whole = SqliteGraphStore(file)
    store = described_store(whole, parse_meaning(_SAID))

    schema = await store.schema()

    assert schema.kinds["Person"].nouns == ("author",)
    assert "REFUTES" not in schema.relationships
    assert await store.version() == await whole.version()
    await store.close()


def test_a_graph_of_which_nothing_is_said_is_served_as_it_is(file: Path) -> None:
    whole = SqliteGraphStore(file)

    assert described_store(whole, parse_meaning("# nothing")) is whole


async def test_what_does_not_fit_is_logged_with_its_line(file: Path, caplog: pytest.LogCaptureFixture) -> None:
    store = described_store(SqliteGraphStore(file), parse_meaning("\n[kinds.Persn]\nhidden = true"))

    assert (await store.schema()).kinds.keys() == {"Document", "Firm", "Person"}
    assert "line 2: [kinds.Persn] is left out" in caplog.text
    assert "did you mean 'Person'?" in caplog.text
    await store.close()


@pytest.mark.parametrize("conditions", [[], [ScopeCondition("Document", "tenant", 42)]])
async def test_what_is_hidden_is_not_reported_as_left_out(
    file: Path, caplog: pytest.LogCaptureFixture, conditions: list[ScopeCondition]
) -> None:
    whole = SqliteGraphStore(file)
    said = parse_meaning(
        f'{HIDING}[kinds.Firm.properties.pages]\nnames = ["size"]\n[relationships.OWNS]\nnames = ["has"]'
    )

    store = described_store(whole, said, conditions)

    assert "Firm" not in (await store.schema()).kinds
    assert not caplog.text
    await store.close()
    await whole.close()


async def test_a_scope_may_name_what_the_owner_hides(file: Path) -> None:
    whole = SqliteGraphStore(file)
    said = parse_meaning("[properties.tenant]\nhidden = true")

    store = described_store(whole, said, [ScopeCondition("Document", "tenant", 42)])

    schema = await store.schema()
    assert isinstance(store, DescribedStore)
    assert "tenant" not in schema.kinds["Document"].properties
    assert schema.kinds["Document"].count == 2
    await store.close()
    await whole.close()
