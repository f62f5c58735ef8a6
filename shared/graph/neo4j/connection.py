"""The connection to one Neo4j: read transactions with a time limit, and what goes wrong with them in words."""

import asyncio
import math
import time
from collections.abc import Collection, Iterable, Mapping
from typing import Any

import neo4j
from neo4j.api import AsyncBookmarkManager
from neo4j.exceptions import AuthError, ClientError, ConfigurationError, DriverError, Neo4jError

from shared.errors import DependencyError, RefusedError
from shared.graph.neo4j.settings import Neo4jSettings
from shared.outbound.circuit_breaker import CircuitBreaker
from shared.request_context import remaining_time

Row = Mapping[str, Any]

# What the way to the database and back may take beside the time that the database itself is allowed.
_SECONDS_ON_THE_WAY = 0.5
_MAX_CONNECTION_LIFETIME_S = 1800
_LIVENESS_CHECK_S = 30
_TIMED_OUT, _TOO_MANY_TRIES = "TransactionTimedOut", "AuthenticationRateLimit"
# What is remembered may be older than the database by so much.
_SECONDS_IN_SILENCE = 1.0
# More at a time would wait in the database, where waiting counts as taking too long.
_MOST_AT_ONCE = 4
# What callers over HTTP are told, without the database's address.
_SILENT = "the graph database does not answer; ask again in a moment"
_REFUSED = "the graph database refused what it was asked"
_TOOK_TOO_LONG = "the graph did not answer in time: too many paths to follow; ask about a less connected entity"


class TookTooLongError(RefusedError):
    """The database ended a query at its time limit."""


class _LastSeen(AsyncBookmarkManager):
    """The last bookmark that was heard. None is sent: a restored backup would wait for a later one in vain."""

    bookmark = ""

    async def update_bookmarks(self, previous_bookmarks: Collection[str], new_bookmarks: Collection[str]) -> None:
        self.bookmark = max(new_bookmarks, default=self.bookmark)

    async def get_bookmarks(self) -> Collection[str]:
        return ()

    async def forget(self, databases: Iterable[str]) -> None:
        self.bookmark = ""


class Connection:
    """Asks one database; connects when it is first asked. Raises InvalidInputError for a URL that is none."""

    def __init__(self, settings: Neo4jSettings) -> None:
        self._settings = settings
        self._seen = _LastSeen()
        self._breaker = CircuitBreaker(f"Neo4j at {settings.shown_url}")
        self._turn = asyncio.Semaphore(_MOST_AT_ONCE)
        self._heard = -math.inf
        seconds = settings.seconds_allowed
        try:
            self._driver = neo4j.AsyncGraphDatabase.driver(
                settings.checked_url(),
                auth=(settings.user, settings.password.get_secret_value()),
                connection_timeout=seconds,
                connection_acquisition_timeout=seconds,
                # What lies between (load balancers, firewalls) drops idle connections without a word.
                max_connection_lifetime=_MAX_CONNECTION_LIFETIME_S,
                liveness_check_timeout=_LIVENESS_CHECK_S,
                max_transaction_retry_time=seconds,
                notifications_min_severity=neo4j.NotificationMinimumSeverity.OFF,
            )
        except (ConfigurationError, ValueError):
            raise settings.not_taken() from None  # the cause may quote a password

    def seen(self) -> str:
        """The last transaction that the database was seen to have committed; empty before it was asked anything."""
        return self._seen.bookmark

    async def listen(self) -> None:
        """Hear of the database again, unless that was a moment ago."""
        if time.monotonic() - self._heard > _SECONDS_IN_SILENCE:
            await self.query("RETURN 1 AS one", {})

    async def close(self) -> None:
        """Close all connections."""
        await self._driver.close()

    async def query(self, text: str, parameters: Mapping[str, Any], seconds: float | None = None) -> list[Row]:
        """The rows that one managed read transaction gives, in `seconds` or in what the settings allow.

        Raises TookTooLongError for a query that the database ended, RefusedError for a wrong password, DependencyError
        if it does not answer.
        """
        async with self._breaker.call(self._turn):
            allowed = remaining_time(self._settings.seconds_allowed if seconds is None else seconds)
            return await self._answered(text, parameters, allowed)

    async def _answered(self, text: str, parameters: Mapping[str, Any], allowed: float) -> list[Row]:
        try:
            return await self._run(text, parameters, allowed)
        except AuthError as error:
            raise self._settings.refused() from error
        except (Neo4jError, DriverError, TimeoutError, OSError) as error:
            code = (error.code or "") if isinstance(error, Neo4jError) else ""
            ended = _TIMED_OUT in code
            if _TOO_MANY_TRIES in code:
                raise self._settings.refused() from error
            if isinstance(error, ClientError) and not ended:
                raise RefusedError(
                    f"Neo4j at {self._settings.shown_url} refused what it was asked ({error.message}); look at "
                    "KGQA_NEO4J_DATABASE and KGQA_NEO4J_NAMES_INDEX",
                    _REFUSED,
                ) from error
            if ended or (isinstance(error, TimeoutError) and await self._answers()):
                raise TookTooLongError(
                    f"Neo4j at {self._settings.shown_url} did not answer within {allowed:g} s: too many paths to "
                    "follow; ask about a less connected entity",
                    _TOOK_TOO_LONG,
                ) from error
            reason = str(error) or "no reply in time"
            raise DependencyError(
                f"Neo4j at {self._settings.shown_url} did not answer ({reason}); is it running, and is "
                "KGQA_NEO4J_URL right?",
                _SILENT,
            ) from error

    async def _run(self, text: str, parameters: Mapping[str, Any], seconds: float) -> list[Row]:
        # Neo4j looks only now and then at who is over time.
        async with asyncio.timeout(seconds + _SECONDS_ON_THE_WAY):
            result = await self._driver.execute_query(
                neo4j.Query(text, timeout=seconds),
                dict(parameters),
                database_=self._settings.database,
                routing_=neo4j.RoutingControl.READ,
                bookmark_manager_=self._seen,
            )
        self._heard = time.monotonic()
        return list(result.records)

    async def _answers(self) -> bool:
        """Whether the database answers at all, so that it was the query that took too long."""
        try:
            return bool(await self._run("RETURN 1 AS one", {}, _SECONDS_ON_THE_WAY))
        except (Neo4jError, DriverError, TimeoutError, OSError):
            return False
