"""A hidden property of a real Neo4j can be read by no plan."""

import json
from collections.abc import AsyncIterator, Iterator

import pytest

from contracts.plans import PlanRequest
from graph.neo4j.store import Neo4jGraphStore
from graph.plan.algebra import (
    Aggregate,
    AggregateFunction,
    Call,
    Column,
    Comparison,
    Constant,
    Filter,
    Function,
    Group,
    Match,
    NodePattern,
    Order,
    Plan,
    Project,
    Property,
    RelationshipPattern,
    SortKey,
    Variable,
)
from services.retriever.execution.plans import run_plan
from shared.errors import InvalidInputError
from tests.neo4j_server import ask, needs_neo4j, settings

pytestmark = needs_neo4j

_SECRET = "078-05-1120"
_PERSON, _FIRM, _PAYS = "HiddenTestPerson", "HiddenTestFirm", "HIDDEN_TEST_PAYS"
_ANYONE = Match((NodePattern("n"),))
_SSN = Property("n", "ssn", as_stored=True)
_PAID = Match((NodePattern("f", (_FIRM,)), NodePattern("n")), (RelationshipPattern("f", "n", (_PAYS,), "out", "r"),))


@pytest.fixture(scope="module", autouse=True)
def _graph() -> Iterator[None]:
    ask(
        f"CREATE (f:{_FIRM} {{name: 'Acme', ssn: 'public'}}), (p:{_PERSON}:Staff {{name: 'Alma', ssn: $secret}}), "
        f"(f)-[:{_PAYS} {{salary: $secret}}]->(p), (:{_FIRM}:{_PERSON} {{name: 'Bo', ssn: $secret}})",
        secret=_SECRET,
    )
    yield
    ask(f"MATCH (n:{_PERSON}|{_FIRM}) DETACH DELETE n")


@pytest.fixture
async def store() -> AsyncIterator[Neo4jGraphStore]:
    opened = Neo4jGraphStore(settings(hide=f"{_PERSON}.ssn,salary"))
    yield opened
    await opened.close()


@pytest.mark.parametrize(
    "steps",
    [
        (_ANYONE, Project((Column("x", _SSN),))),
        (_ANYONE, Project((Column("x", Call(Function.LEFT, (_SSN, Constant(5)))),))),
        (_ANYONE, Group((), (Aggregate("x", AggregateFunction.COLLECT, _SSN),))),
        (_ANYONE, Group((), (Aggregate("x", AggregateFunction.MIN, _SSN),))),
        (_PAID, Group((), (Aggregate("x", AggregateFunction.COLLECT, Variable("r")),))),
        (_ANYONE, Project((Column("n", Variable("n")),)), Project((Column("x", _SSN),))),
    ],
)
async def test_no_plan_returns_a_hidden_value(store: Neo4jGraphStore, steps: tuple[object, ...]) -> None:
    response = await run_plan(store, PlanRequest(plan=Plan(steps)))  # type: ignore[arg-type]

    assert _SECRET not in json.dumps(response.model_dump(mode="json"))
    assert _SECRET[:5] not in json.dumps(response.rows)


@pytest.mark.parametrize("kind", [_PERSON, "Staff"])
async def test_a_property_that_is_hidden_for_the_kind_is_unknown(store: Neo4jGraphStore, kind: str) -> None:
    plan = Plan((Match((NodePattern("n", (kind,)),)), Project((Column("x", _SSN),))))

    with pytest.raises(InvalidInputError, match=f"no {kind} has the property 'ssn'"):
        await run_plan(store, PlanRequest(plan=plan))
    assert _SECRET not in repr((await store.run(plan)).rows)


async def test_a_property_hidden_everywhere_is_unknown_as_stored_too(store: Neo4jGraphStore) -> None:
    salary = Project((Column("x", Property("r", "salary", as_stored=True)),))

    with pytest.raises(InvalidInputError, match="unknown property 'salary'"):
        await run_plan(store, PlanRequest(plan=Plan((_PAID, salary))))


async def test_a_hidden_value_names_no_node() -> None:
    opened = Neo4jGraphStore(settings(hide=f"{_PERSON}.ssn", names=f"{_FIRM}.ssn"))
    try:
        rows = (await opened.run(Plan((Match((NodePattern("n", (_FIRM,)),)),)))).rows
    finally:
        await opened.close()

    assert sorted(node.name for (node,) in rows) == ["Bo", "public"]  # Bo is a person as well


async def test_no_condition_tells_a_hidden_value(store: Neo4jGraphStore) -> None:
    guess = Filter(Comparison("starts_with", _SSN, Constant(_SECRET[:3])))

    assert (await store.run(Plan((_ANYONE, guess)))).rows == ()


async def test_no_order_tells_a_hidden_value(store: Neo4jGraphStore) -> None:
    named = Project((Column("name", Property("n", "name")),))
    either = Match((NodePattern("n"),), (), Comparison("in", Property("n", "name"), Constant(("Acme", "Alma"))))

    rows = (await store.run(Plan((either, Order((SortKey(_SSN, missing_first=True),)), named)))).rows

    assert rows == (("Alma",), ("Acme",))  # a missing value comes first


async def test_a_hidden_property_is_unknown(store: Neo4jGraphStore) -> None:
    with pytest.raises(InvalidInputError, match="unknown property 'salary'"):
        await store.run(Plan((_PAID, Project((Column("x", Property("r", "salary")),)))))


@pytest.mark.parametrize(
    ("hidden", "warnings"),
    [
        (f"{_PERSON}.snn,salary", 1),
        (f"{_PERSON}.ssn,salary", 0),
        (f"{_PERSON}.ssn,{_PAYS}.salary", 0),
        (f"{_PERSON}.salary", 1),
        (f"{_PERSON}s.ssn", 1),
    ],
)
async def test_a_misspelled_hidden_property_is_reported_without_its_name(
    hidden: str, warnings: int, caplog: pytest.LogCaptureFixture
) -> None:
    opened = Neo4jGraphStore(settings(hide=hidden))
    await opened.check()
    await opened.close()

    assert sum("KGQA_NEO4J_HIDE lists 1 property" in record.message for record in caplog.records) == warnings
    assert "snn" not in caplog.text


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"hide": f"{_PERSON}.naem"}, f"KGQA_NEO4J_HIDE lists an unknown property '{_PERSON}.naem'; did you mean"),
        ({"hide": "salry"}, "KGQA_NEO4J_HIDE lists an unknown property 'salry'; did you mean 'salary'"),
        ({"hide": f"{_PAYS}.ssn"}, f"KGQA_NEO4J_HIDE lists an unknown property '{_PAYS}.ssn'"),
        ({"names": f"{_FIRM}.nmae"}, f"KGQA_NEO4J_NAMES lists an unknown property '{_FIRM}.nmae'; did you mean"),
    ],
)
async def test_a_misspelled_property_is_an_error_of_the_schema(changes: dict[str, str], problem: str) -> None:
    opened = Neo4jGraphStore(settings(**changes))
    try:
        with pytest.raises(InvalidInputError, match=problem):
            await opened.check_settings()
    finally:
        await opened.close()


async def test_known_properties_are_no_error_of_the_schema() -> None:
    names = f"{_FIRM}.name,{_PERSON}.ssn"
    opened = Neo4jGraphStore(settings(hide=f"{_PERSON}.ssn,{_PAYS}.salary,salary", names=names))
    await opened.check_settings()
    await opened.close()


async def test_a_misspelled_name_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    opened = Neo4jGraphStore(settings(names=f"{_FIRM}.nmae"))
    await opened.check()
    await opened.close()

    assert "KGQA_NEO4J_NAMES lists 1 property that the database does not have" in caplog.text
