"""Run read transactions with time limits on a Neo4j database, and translate driver errors into the project's errors."""

import asyncio
import logging
import math
import time
from collections.abc import Collection, Iterable, Mapping
from typing import Any

import neo4j
from neo4j.api import AsyncBookmarkManager
from neo4j.exceptions import AuthError, ClientError, ConfigurationError, DriverError, Neo4jError

from graph.neo4j.settings import Neo4jSettings, reason_of
from graph.store import PLAN_PLACES, QUESTION_PLACES, TOO_MANY_PATHS
from shared.errors import DeadlineExceededError, DependencyError, OverloadedError, RefusedError
from shared.outbound.circuit_breaker import CircuitBreaker
from shared.request_context import remaining_time

Row = Mapping[str, Any]

# Time for network transfer, in addition to the time that the database itself may take.
_NETWORK_S = 0.5
# Time to open a connection, which may take several round trips.
_CONNECT_S = 1.0
_PAUSE_IF_GONE_S, _PAUSE_IF_BUSY_S = 0.5, 1.0
# A database that has just started plans and reads everything anew.
_WARM_UP_S = 30.0
_MAX_CONNECTION_LIFETIME_S, _LIVENESS_CHECK_S = 1800, 30
_TIMED_OUT, _TOO_MANY_ATTEMPTS, _STARTING = "TransactionTimedOut", "AuthenticationRateLimit", "DatabaseUnavailable"
# The query needs more memory than the database grants. Repeating it helps only if others took the memory.
_TOO_LARGE = "MemoryPoolOutOfMemory"
_OF_ALL = "memory.transaction.total.max"  # the setting that the message names
_MAX_STALENESS_S = 1.0
# More concurrent queries would wait inside the database, which counts waiting as query time.
_MAX_CONCURRENT_QUERIES = QUESTION_PLACES + PLAN_PLACES
# Messages for HTTP callers, without the address of the database.
_UNAVAILABLE = "the graph database does not respond; retry shortly"
_REJECTED = "the graph database rejected the query"
_WAS_LOST = "the connection to the graph database was lost recently; retry shortly"
_TIMEOUT = f"the graph did not respond in time: {TOO_MANY_PATHS}"

# Its debug messages contain all parameters: words of questions, and the names of hidden properties.
logging.getLogger("neo4j").setLevel(logging.INFO)


class QueryTimeoutError(RefusedError):
    """Signal that the database terminated a query at its limit of time or memory."""


class _CallersLimitError(OverloadedError):
    """Signal to the circuit breaker that the database responds, though not in the time that the caller had left."""


class _LatestBookmark(AsyncBookmarkManager):
    """Receive bookmarks but never send one: a database restored from a backup would wait for it forever."""

    bookmark = ""

    async def update_bookmarks(self, previous_bookmarks: Collection[str], new_bookmarks: Collection[str]) -> None:
        self.bookmark = max(new_bookmarks, default=self.bookmark)

    async def get_bookmarks(self) -> Collection[str]:
        return ()

    async def forget(self, databases: Iterable[str]) -> None:
        self.bookmark = ""


class Connection:
    """Query one Neo4j database. The first query opens the connection."""

    def __init__(self, settings: Neo4jSettings) -> None:
        """Create the driver; raise InvalidInputError for an invalid URL."""
        self._settings = settings
        self._latest = _LatestBookmark()
        self._breaker = CircuitBreaker(f"Neo4j at {settings.shown_url}")
        self._slots = asyncio.Semaphore(_MAX_CONCURRENT_QUERIES)
        self._answered_at = self._lost_at = -math.inf
        seconds = settings.seconds_allowed
        try:
            self._driver = neo4j.AsyncGraphDatabase.driver(
                settings.checked_url(),
                auth=(settings.user, settings.password.get_secret_value()),
                connection_timeout=seconds,
                connection_acquisition_timeout=seconds,
                max_connection_lifetime=_MAX_CONNECTION_LIFETIME_S,
                # Load balancers and firewalls drop idle connections silently.
                liveness_check_timeout=_LIVENESS_CHECK_S,
                max_transaction_retry_time=0,  # `_run` repeats transactions, and so knows why they failed
                notifications_min_severity=neo4j.NotificationMinimumSeverity.OFF,
            )
        except (ConfigurationError, ValueError):
            raise settings.url_error() from None  # the cause may quote a password

    @property
    def bookmark(self) -> str:
        """Return the bookmark of the last known transaction, or an empty string before the first query."""
        return self._latest.bookmark

    async def refresh_bookmark(self) -> None:
        """Query the database unless the bookmark is recent."""
        if time.monotonic() - self._answered_at > _MAX_STALENESS_S:
            await self.query("RETURN 1 AS one", {})

    async def close(self) -> None:
        """Close all connections."""
        await self._driver.close()

    async def verify(self) -> None:
        """Connect to the database; raise DependencyError at once if that fails, unlike a query, which tries again."""
        async with self._breaker.call():
            if error := await self._failure(_CONNECT_S):
                raise self._explained(error) from error

    async def query(self, text: str, parameters: Mapping[str, Any], seconds: float | None = None) -> list[Row]:
        """Run one managed read transaction within `seconds`; the default is the limit in the settings.

        Raises DeadlineExceededError if the caller's deadline ends the query before this limit, QueryTimeoutError if the
        limit is reached, OverloadedError if it is reached while or just after the connection was lost, RefusedError if
        the database rejects the credentials or the query, and DependencyError if the database does not respond.
        """
        limit = self._settings.seconds_allowed if seconds is None else seconds
        try:
            return await self._query(text, parameters, limit)
        except _CallersLimitError as error:
            raise DeadlineExceededError(error.detail) from error.__cause__

    async def _query(self, text: str, parameters: Mapping[str, Any], limit: float) -> list[Row]:
        async with self._breaker.call(self._slots):
            allowed = remaining_time(limit)
            started = time.monotonic()
            try:
                return await self._run(text, parameters, allowed)
            except (Neo4jError, DriverError, TimeoutError, OSError) as error:
                if _is_limit(error) or (isinstance(error, TimeoutError) and await self._responds()):
                    raise self._at_limit(error, started, allowed, is_callers=allowed < limit) from error
                if isinstance(error, TimeoutError):
                    raise self._explained(await self._failure(_NETWORK_S) or error) from error
                raise self._explained(error) from error

    def _at_limit(self, error: Exception, started: float, allowed: float, is_callers: bool) -> DependencyError:
        """Build the error for a query that reached a limit, perhaps its caller's, although the database responds."""
        problem = f"Neo4j at {self._settings.shown_url} did not respond within {allowed:g} s"
        is_late = _TOO_LARGE not in _code(error)
        if is_late and is_callers:
            return _CallersLimitError(f"{problem}, the time that was left for the query")
        if is_late and started - self._lost_at < _WARM_UP_S:
            # The query may have waited for a connection, or for a database that has just started.
            return OverloadedError(f"{problem}: the connection was lost recently", _WAS_LOST)
        return QueryTimeoutError(f"{problem}: {TOO_MANY_PATHS}", _TIMEOUT)

    def _explained(self, error: Exception) -> DependencyError:
        """Translate an error of the driver, other than a query's time limit, into one of the project's errors."""
        where = f"Neo4j at {self._settings.shown_url}"
        if isinstance(error, AuthError) or _TOO_MANY_ATTEMPTS in _code(error):
            return self._settings.auth_error()
        if isinstance(error, ClientError):
            hint = "check KGQA_NEO4J_DATABASE and KGQA_NEO4J_NAMES_INDEX"
            return RefusedError(f"{where} rejected the query ({error.message}); {hint}", _REJECTED)
        self._note_loss(error)
        reason = reason_of(error) or "no reply in time"
        hint = "check that it is running and that KGQA_NEO4J_URL is correct"
        return DependencyError(f"{where} did not respond ({reason}); {hint}", _UNAVAILABLE)

    async def _run(self, text: str, parameters: Mapping[str, Any], seconds: float) -> list[Row]:
        """Run a transaction, and repeat it while time remains if its connection is lost or the database asks for it."""
        deadline = time.monotonic() + seconds
        pause = 0.0  # a connection from before a restart of the database is lost as soon as it is used
        # Neo4j checks its own time limit only occasionally.
        async with asyncio.timeout(seconds + _NETWORK_S):
            while True:
                try:
                    return await self._run_once(text, parameters, seconds)
                except (Neo4jError, DriverError) as error:
                    pause = pause if self._note_loss(error) else _PAUSE_IF_BUSY_S
                    is_own = _is_limit(error) and not _is_limit_of_all(error)
                    if is_own or not error.is_retryable() or time.monotonic() + pause > deadline:
                        raise
                await asyncio.sleep(pause)
                pause = _PAUSE_IF_GONE_S

    def _note_loss(self, error: Exception) -> bool:
        """Return whether an error means that there is no database at the moment, and remember when that was."""
        is_lost = not isinstance(error, Neo4jError) or _STARTING in _code(error)
        if is_lost:
            self._lost_at = time.monotonic()
        return is_lost

    async def _run_once(self, text: str, parameters: Mapping[str, Any], seconds: float) -> list[Row]:
        result = await self._driver.execute_query(
            neo4j.Query(text, timeout=seconds),
            dict(parameters),
            database_=self._settings.database,
            routing_=neo4j.RoutingControl.READ,
            bookmark_manager_=self._latest,
        )
        self._answered_at = time.monotonic()
        return list(result.records)

    async def _responds(self) -> bool:
        """Return whether the database answers a trivial query, in which case the previous query was just too slow."""
        try:
            return bool(await self._run("RETURN 1 AS one", {}, _NETWORK_S))
        except (Neo4jError, DriverError, TimeoutError, OSError):
            return False

    async def _failure(self, seconds: float) -> Exception | None:
        """Connect once, and return why that fails."""
        try:
            async with asyncio.timeout(seconds):
                await self._driver.verify_connectivity()
        except (Neo4jError, DriverError, TimeoutError, OSError) as error:
            return error
        return None


def _is_limit(error: Exception) -> bool:
    """Return whether the database ended a query because it reached a limit on its time or memory."""
    return any(limit in _code(error) for limit in (_TIMED_OUT, _TOO_LARGE))


def _is_limit_of_all(error: Exception) -> bool:
    """Return whether the transactions of a server together need too much memory, so that any of them may be ended."""
    return isinstance(error, Neo4jError) and _TOO_LARGE in _code(error) and _OF_ALL in (error.message or "")


def _code(error: Exception) -> str:
    """Return the code of an error that the database sent, or else an empty string."""
    return (error.code or "") if isinstance(error, Neo4jError) else ""
