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

from shared.errors import DependencyError, RefusedError
from shared.graph.neo4j.settings import Neo4jSettings, reason_of
from shared.graph.store import PLAN_PLACES, QUESTION_PLACES, TOO_MANY_PATHS
from shared.outbound.circuit_breaker import CircuitBreaker
from shared.request_context import remaining_time

Row = Mapping[str, Any]

# Time for network transfer, in addition to the time that the database itself may take.
_NETWORK_S = 0.5
_MAX_CONNECTION_LIFETIME_S, _LIVENESS_CHECK_S = 1800, 30
_TIMED_OUT, _TOO_MANY_ATTEMPTS = "TransactionTimedOut", "AuthenticationRateLimit"
_MAX_STALENESS_S = 1.0
# More concurrent queries would wait inside the database, which counts waiting as query time.
_MAX_CONCURRENT_QUERIES = QUESTION_PLACES + PLAN_PLACES
# Messages for HTTP callers, without the address of the database.
_UNAVAILABLE = "the graph database does not respond; retry shortly"
_REJECTED = "the graph database rejected the query"
_TIMEOUT = f"the graph did not respond in time: {TOO_MANY_PATHS}"

# Its debug messages contain all parameters: words of questions, and the names of hidden properties.
logging.getLogger("neo4j").setLevel(logging.INFO)


class QueryTimeoutError(RefusedError):
    """Signal that the database terminated a query at its time limit."""


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
        self._answered_at = -math.inf
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
                max_transaction_retry_time=seconds,
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

    async def query(self, text: str, parameters: Mapping[str, Any], seconds: float | None = None) -> list[Row]:
        """Run one managed read transaction within `seconds`; the default is the limit in the settings.

        Raises QueryTimeoutError if the limit is reached, RefusedError if the database rejects the credentials or the
        query, and DependencyError if it does not respond.
        """
        async with self._breaker.call(self._slots):
            allowed = remaining_time(self._settings.seconds_allowed if seconds is None else seconds)
            try:
                return await self._run(text, parameters, allowed)
            except (Neo4jError, DriverError, TimeoutError, OSError) as error:
                raise await self._translated(error, allowed) from error

    async def _translated(self, error: Exception, allowed: float) -> DependencyError:
        """Translate a driver error into one of the project's errors."""
        where = f"Neo4j at {self._settings.shown_url}"
        code = (error.code or "") if isinstance(error, Neo4jError) else ""
        timed_out = _TIMED_OUT in code
        if isinstance(error, AuthError) or _TOO_MANY_ATTEMPTS in code:
            return self._settings.auth_error()
        if isinstance(error, ClientError) and not timed_out:
            hint = "check KGQA_NEO4J_DATABASE and KGQA_NEO4J_NAMES_INDEX"
            return RefusedError(f"{where} rejected the query ({error.message}); {hint}", _REJECTED)
        if timed_out or (isinstance(error, TimeoutError) and await self._responds()):
            return QueryTimeoutError(f"{where} did not respond within {allowed:g} s: {TOO_MANY_PATHS}", _TIMEOUT)
        if isinstance(error, TimeoutError):
            error = await self._failure() or error
        reason = reason_of(error) or "no reply in time"
        hint = "check that it is running and that KGQA_NEO4J_URL is correct"
        return DependencyError(f"{where} did not respond ({reason}); {hint}", _UNAVAILABLE)

    async def _run(self, text: str, parameters: Mapping[str, Any], seconds: float) -> list[Row]:
        # Neo4j checks its own time limit only occasionally.
        async with asyncio.timeout(seconds + _NETWORK_S):
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

    async def _failure(self) -> Exception | None:
        """Connect once, and return why that fails; a query waits and tries again until its time is over."""
        try:
            async with asyncio.timeout(_NETWORK_S):
                await self._driver.verify_connectivity()
        except (Neo4jError, DriverError, TimeoutError, OSError) as error:
            return error
        return None
