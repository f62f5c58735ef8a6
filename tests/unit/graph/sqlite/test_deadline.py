"""A query ends at its deadline, however long single calls of functions take."""

import sqlite3
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from graph.plan.algebra import (
    Aggregate,
    AggregateFunction,
    Call,
    Column,
    Comprehension,
    Function,
    Group,
    Match,
    NodePattern,
    Plan,
    Project,
    Property,
    Quantifier,
    Step,
    Variable,
)
from graph.plan.algebra import Comparison as Compare
from graph.sqlite.connection import GraphConnection
from graph.sqlite.deadline import Deadline, DeadlinePassedError
from graph.sqlite.plan_functions import register
from graph.sqlite.store import SqliteGraphStore
from shared.errors import PlanLimitError
from tests.support.property_graphs import write_graph_file
from tests.support.reference_evaluator import Node, PropertyGraph


class Clock:
    """Advance by one second at each look, as if each call of a function took that long."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        self.now += 1
        return self.now


def _functions(connection: sqlite3.Connection) -> list[tuple[str, int]]:
    return connection.execute(
        "SELECT DISTINCT name, narg FROM pragma_function_list WHERE name LIKE 'k\\_%' ESCAPE '\\'"
    ).fetchall()


def test_every_function_checks_the_deadline() -> None:
    connection = sqlite3.connect(":memory:")
    deadline = Deadline(Clock())
    register(connection, deadline)
    deadline.start(0)
    functions = _functions(connection)

    for name, arity in functions:
        arguments = ", ".join("1" for _ in range(max(arity, 2 * (arity < 0))))
        with pytest.raises(sqlite3.OperationalError, match="user-defined"):
            connection.execute(f"SELECT {name}({arguments})").fetchall()
    assert len(functions) > 50


def test_few_instructions_end_when_functions_are_slow() -> None:
    connection, calls = sqlite3.connect(":memory:"), list[int]()
    deadline = Deadline(Clock())
    connection.create_function("slow", 1, deadline.checked(calls.append))
    deadline.start(10)

    with pytest.raises(sqlite3.OperationalError):
        connection.execute("SELECT slow(value) FROM json_each('[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15]')").fetchall()

    assert len(calls) == 10


def test_a_connection_without_a_deadline_goes_on() -> None:
    assert GraphConnection(":memory:").execute("SELECT k_lower('A')").fetchone() == ("a",)


def test_what_is_no_function_of_sqlite_checks_as_well() -> None:
    deadline = Deadline(Clock())
    deadline.start(0)
    with pytest.raises(DeadlinePassedError):
        deadline.check()


_NODES = 400
_MATCH = Match((NodePattern("a"),))
_COLLECTED = (_MATCH, Group((), (Aggregate("xs", AggregateFunction.COLLECT, Property("a", "body")),)))
_CROSS = Match((NodePattern("b"), NodePattern("c")))
_SIZE = Call(Function.SIZE, (Variable("xs"),))
_NONE_EQUAL = Quantifier(
    "none", "y", Variable("xs"), Compare("=", Call(Function.LOWER, (Variable("y"),)), Variable("x"))
)


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("graph") / "lists.sqlite"
    nodes = tuple(Node(place, frozenset({"Text"}), {"body": f"{place}" * 300}) for place in range(_NODES))
    write_graph_file(PropertyGraph(nodes, ()), file)
    return file


@pytest.fixture
async def store(file: Path) -> AsyncIterator[SqliteGraphStore]:
    opened = SqliteGraphStore(file, 0.2)
    yield opened
    await opened.close()


@pytest.mark.parametrize(
    "steps",
    [
        (*_COLLECTED, _CROSS, Group((), (Aggregate("n", AggregateFunction.SUM, _SIZE),))),
        (*_COLLECTED, Project((Column("ys", Comprehension("x", Variable("xs"), _NONE_EQUAL)),))),
    ],
    ids=["a size in each row", "a quantifier in a comprehension"],
)
async def test_a_plan_with_slow_functions_takes_too_long(store: SqliteGraphStore, steps: tuple[Step, ...]) -> None:
    with pytest.raises(PlanLimitError, match=r"takes longer than 0\.2 s"):
        await store.run(Plan(steps))

    assert (await store.run(Plan((_MATCH, Group((), (Aggregate("n", AggregateFunction.COUNT),)))))).rows == ((_NODES,),)
