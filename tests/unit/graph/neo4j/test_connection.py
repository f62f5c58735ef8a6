"""A database that is gone, or has just come back, is not taken for one that is too slow; tested with a fake driver."""

import asyncio
from types import SimpleNamespace
from typing import Any

import neo4j
import pytest
from neo4j.exceptions import Neo4jError, ServiceUnavailable, SessionExpired, TransientError

from graph.neo4j import connection as module
from graph.neo4j.connection import Connection, QueryTimeoutError
from graph.neo4j.plan_execution import run_plan
from graph.neo4j.settings import Neo4jSettings
from graph.neo4j.store import Neo4jGraphStore
from graph.plan.algebra import Column, Match, NodePattern, Plan, Project, Variable
from graph.plan.schema import GraphSchema
from shared.errors import DeadlineExceededError, DependencyError, OverloadedError, PlanLimitError, RefusedError
from shared.request_context import time_limit

_QUERY = "MATCH (n) RETURN n"
_PROBE = "RETURN 1 AS one"
"""Query that shows whether the database responds; it gets no outcome."""
_PATIENCE_S = 0.05
"""Time limit of queries that never end; others get one that no busy machine exceeds."""
_LONG_S = 600.0


class FakeDriver:
    """Give each query the next of `outcomes`, and answer once there are none left.

    An outcome is an error, or None for a query that never ends. `unreachable` is why no connection can be opened.
    """

    def __init__(self) -> None:
        self.options: dict[str, Any] = {}
        self.outcomes: list[Exception | None] = []
        self.unreachable: Exception | None = None
        self.queries: list[str] = []
        self.verified = 0

    def open(self, _: str, **options: Any) -> "FakeDriver":
        self.options = options
        return self

    async def execute_query(self, query: neo4j.Query, *_: Any, **__: Any) -> SimpleNamespace:
        self.queries.append(query.text)
        if self.outcomes and query.text != _PROBE:
            error = self.outcomes.pop(0)
            if error is None:
                await asyncio.Event().wait()
            else:
                raise error
        return SimpleNamespace(records=[{"one": 1}])

    async def verify_connectivity(self) -> None:
        self.verified += 1
        if self.unreachable:
            raise self.unreachable

    async def close(self) -> None:
        """Close nothing."""


@pytest.fixture
def driver(monkeypatch: pytest.MonkeyPatch) -> FakeDriver:
    fake = FakeDriver()
    monkeypatch.setattr(neo4j.AsyncGraphDatabase, "driver", fake.open)
    monkeypatch.setattr(module, "_NETWORK_S", _PATIENCE_S)
    monkeypatch.setattr(module, "_PAUSE_IF_GONE_S", 0.0)
    monkeypatch.setattr(module, "_PAUSE_IF_BUSY_S", 0.0)
    return fake


def _settings(seconds_allowed: float = _LONG_S) -> Neo4jSettings:
    return Neo4jSettings(url="bolt://127.0.0.1:7687", seconds_allowed=seconds_allowed)


def _settings_for(slow: Exception | None) -> Neo4jSettings:
    return _settings() if slow else _settings(seconds_allowed=_PATIENCE_S)


def _sent(code: str, message: str = "said the database") -> Exception:
    """Return the error that the driver raises for a code of the database."""
    return Neo4jError._hydrate_neo4j(code=code, message=message)


def _timed_out() -> Exception:
    return _sent("Neo.ClientError.Transaction.TransactionTimedOutClientConfiguration")


def _gone() -> Exception:
    return ServiceUnavailable("connection refused")


async def _connection(driver: FakeDriver, is_lost: bool) -> Connection:
    """Return a connection to a database that responds, and was lost a moment ago if `is_lost`."""
    connection = Connection(_settings())
    if is_lost:
        driver.unreachable = _gone()
        with pytest.raises(DependencyError):
            await connection.verify()
        driver.unreachable = None
    return connection


async def test_readiness_fails_at_once_if_the_database_is_gone(driver: FakeDriver) -> None:
    driver.unreachable = _gone()
    store = Neo4jGraphStore(_settings())
    with pytest.raises(DependencyError, match="connection refused") as raised:
        await store.ready()
    assert raised.value.public_detail == "the graph database does not respond; retry shortly"
    assert (driver.verified, driver.queries) == (1, [])
    await store.close()


async def test_wrong_credentials_are_named_by_the_readiness_check(driver: FakeDriver) -> None:
    driver.unreachable = _sent("Neo.ClientError.Security.Unauthorized")
    with pytest.raises(RefusedError, match="check KGQA_NEO4J_USER and KGQA_NEO4J_PASSWORD"):
        await Connection(_settings()).verify()


@pytest.mark.parametrize("lost", [_gone(), SessionExpired("defunct"), _sent("Neo.TransientError.General.Overloaded")])
async def test_a_query_is_repeated_if_a_retry_may_succeed(driver: FakeDriver, lost: Exception) -> None:
    driver.outcomes = [lost, lost]
    assert await Connection(_settings()).query(_QUERY, {}) == [{"one": 1}]
    assert driver.queries == [_QUERY] * 3
    assert driver.options["max_transaction_retry_time"] == 0, "the driver would repeat each of them once more"


async def test_a_rejected_query_is_not_repeated(driver: FakeDriver) -> None:
    driver.outcomes = [_sent("Neo.ClientError.Statement.SyntaxError")]
    with pytest.raises(RefusedError, match="rejected the query"):
        await Connection(_settings()).query(_QUERY, {})
    assert driver.queries == [_QUERY]


@pytest.mark.parametrize("slow", [None, _timed_out()])
async def test_a_query_that_had_its_time_was_too_slow(driver: FakeDriver, slow: Exception | None) -> None:
    driver.outcomes = [slow]
    with pytest.raises(QueryTimeoutError, match="too many paths"):
        await Connection(_settings_for(slow)).query(_QUERY, {})


@pytest.mark.parametrize("slow", [None, _timed_out()])
@pytest.mark.parametrize("lost", [_gone(), _sent("Neo.TransientError.General.DatabaseUnavailable")])
async def test_a_query_that_lost_its_connection_was_not_too_slow(
    driver: FakeDriver, lost: Exception, slow: Exception | None
) -> None:
    driver.outcomes = [lost, slow]
    with pytest.raises(OverloadedError, match="the connection was lost recently") as raised:
        await Connection(_settings_for(slow)).query(_QUERY, {})
    assert "too many paths" not in raised.value.public_detail


@pytest.mark.parametrize("is_over", [False, True])
async def test_a_database_may_be_slow_while_it_warms_up(
    driver: FakeDriver, monkeypatch: pytest.MonkeyPatch, is_over: bool
) -> None:
    connection = await _connection(driver, is_lost=True)
    driver.outcomes = [_timed_out()]
    if is_over:
        monkeypatch.setattr(module, "_WARM_UP_S", 0.0)
    with pytest.raises(QueryTimeoutError if is_over else OverloadedError):
        await connection.query(_QUERY, {})


@pytest.mark.parametrize("slow", [None, _timed_out()])
@pytest.mark.parametrize("is_lost", [False, True])
async def test_a_limit_of_the_caller_says_nothing_about_the_query_or_the_database(
    driver: FakeDriver, is_lost: bool, slow: Exception | None
) -> None:
    connection = await _connection(driver, is_lost)
    driver.outcomes = [slow]
    with time_limit(_LONG_S / 2 if slow else _PATIENCE_S), pytest.raises(DeadlineExceededError):
        await connection.query(_QUERY, {})


@pytest.mark.parametrize("is_lost", [False, True])
async def test_a_query_that_needs_too_much_memory_was_not_short_of_time(driver: FakeDriver, is_lost: bool) -> None:
    connection = await _connection(driver, is_lost)
    driver.outcomes = [_sent("Neo.TransientError.General.MemoryPoolOutOfMemoryError")]
    with time_limit(_LONG_S / 2), pytest.raises(QueryTimeoutError):
        await connection.query(_QUERY, {})


async def test_a_query_for_which_others_left_no_memory_runs_once_more(driver: FakeDriver) -> None:
    code = "Neo.TransientError.General.MemoryPoolOutOfMemoryError"
    full = _sent(code, "dbms.memory.transaction.total.max threshold reached")
    own = _sent(code, "db.memory.transaction.max threshold reached")
    driver.outcomes = [full]
    connection = Connection(_settings())
    assert await connection.query(_QUERY, {}) == [{"one": 1}]
    driver.outcomes = [own]
    with pytest.raises(QueryTimeoutError):
        await connection.query(_QUERY, {})


async def test_other_temporary_errors_are_no_lost_connections(driver: FakeDriver) -> None:
    assert isinstance(_sent("Neo.TransientError.General.Overloaded"), TransientError)
    driver.outcomes = [_sent("Neo.TransientError.General.Overloaded"), _timed_out()]
    with pytest.raises(QueryTimeoutError):
        await Connection(_settings()).query(_QUERY, {})


@pytest.mark.parametrize("lost", [True, False])
@pytest.mark.parametrize("seconds", [None, _LONG_S / 2])
async def test_a_plan_takes_too_long_only_if_it_had_all_its_time_and_the_database_was_there(
    driver: FakeDriver, seconds: float | None, lost: bool
) -> None:
    driver.outcomes = [*([_gone()] if lost else []), _timed_out()]
    plan = Plan((Match((NodePattern("n"),)), Project((Column("n", Variable("n")),))))
    expected = DeadlineExceededError if seconds else OverloadedError if lost else PlanLimitError
    with time_limit(seconds), pytest.raises(expected):
        await run_plan(Connection(_settings()), plan, GraphSchema({}, {}), 10, {})


async def test_a_query_that_needs_too_much_memory_is_not_repeated(driver: FakeDriver) -> None:
    driver.outcomes = [_sent("Neo.TransientError.General.MemoryPoolOutOfMemoryError")] * 2
    with pytest.raises(QueryTimeoutError):
        await Connection(_settings()).query(_QUERY, {})
    assert driver.queries == [_QUERY]
    plan = Plan((Match((NodePattern("n"),)), Project((Column("n", Variable("n")),))))
    with pytest.raises(PlanLimitError, match="too much memory"):
        await run_plan(Connection(_settings()), plan, GraphSchema({}, {}), 10, {})


async def test_slow_queries_of_a_database_that_warms_up_do_not_open_the_circuit_breaker(driver: FakeDriver) -> None:
    connection = Connection(_settings())
    driver.outcomes = [_gone(), *(_timed_out() for _ in range(5))]
    for _ in range(5):
        with pytest.raises(OverloadedError):
            await connection.query(_QUERY, {})
    assert await connection.query(_QUERY, {}) == [{"one": 1}]


async def test_a_query_that_its_caller_cuts_short_shows_that_the_database_responds(driver: FakeDriver) -> None:
    connection = Connection(_settings())
    driver.unreachable, driver.outcomes = _gone(), [_timed_out()]
    for _ in range(2):
        with pytest.raises(DependencyError):
            await connection.verify()
    with time_limit(_LONG_S / 2), pytest.raises(DeadlineExceededError):
        await connection.query(_QUERY, {})
    with pytest.raises(DependencyError):
        await connection.verify()
    assert await connection.query(_QUERY, {}) == [{"one": 1}], "three failures in a row would open the circuit breaker"
