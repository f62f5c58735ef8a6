"""Keep a value that takes long to compute from the database, and compute it again in the background."""

import asyncio
import logging
import math
import time
from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar

from graph.neo4j.query_cache import BookmarkSource
from shared.errors import DeadlineExceededError, DependencyError
from shared.request_context import clear_deadline, remaining_time

log = logging.getLogger(__name__)

Value = TypeVar("Value")

# Wait this many times the duration of a computation before the next one, so that a database that changes all the time
# costs at most a tenth of the time.
_PAUSE_FACTOR = 10.0
_MIN_PAUSE_S = 1.0


class Refreshed(Generic[Value]):
    """Compute a value once, and again after the database has changed; the old value serves meanwhile.

    `compute` receives the old value, if there is one. If it fails, the old value stays, and without one, callers get
    the error until it is time for the next attempt.
    """

    def __init__(self, source: BookmarkSource, compute: Callable[[Value | None], Awaitable[Value]]) -> None:
        self._source = source
        self.compute = compute
        self.value: Value | None = None
        self.error: DependencyError | None = None
        self._bookmark = ""
        self._task: asyncio.Task[None] | None = None
        self._not_before = -math.inf

    async def get(self) -> Value:
        """Return the value, and wait for it only if there is none yet.

        Raises what `compute` raises, or DeadlineExceededError if the request's deadline comes first.
        """
        task = await self.start()
        if self.value is None and task is not None:
            seconds = remaining_time(math.inf)
            await asyncio.wait({task}, timeout=None if seconds == math.inf else seconds)
            if not task.done():
                raise DeadlineExceededError
            task.result()
        if self.value is not None:
            return self.value
        raise self.error or DeadlineExceededError

    async def start(self) -> asyncio.Task[None] | None:
        """Start to compute the value if it is missing or old, without waiting; return the task that is running."""
        await self._source.refresh_bookmark()
        is_current = self.value is not None and self._source.bookmark == self._bookmark
        is_running = self._task is not None and not self._task.done()
        if not is_running and not is_current and time.monotonic() >= self._not_before:
            self._task = asyncio.create_task(self._run(self._source.bookmark))
            return self._task
        return self._task if is_running else None

    async def close(self) -> None:
        """Cancel the computation."""
        if self._task:
            self._task.cancel()
            await asyncio.wait({self._task})

    async def _run(self, bookmark: str) -> None:
        clear_deadline()
        started = time.monotonic()
        pause = _MIN_PAUSE_S
        try:
            self.value = await self.compute(self.value)
            self.error, self._bookmark = None, bookmark
            pause = max(_MIN_PAUSE_S, _PAUSE_FACTOR * (time.monotonic() - started))
        except DependencyError as error:
            self.error = error
            log.warning("%s", error)
        finally:
            self._not_before = time.monotonic() + pause
