"""Long questions take turns and leave pauses, so that a crowd of them takes a third of the time at most."""

import asyncio
import math
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from services.retriever.linking.mentions import word_spans
from shared.errors import BusyError, DeadlineExceededError
from shared.request_context import remaining_time

# No question of the published data sets is as long. A character of a script without blanks counts as a word.
_LONG_IN_WORDS = 40
_LONG_IN_CHARACTERS = 250
_MOST_WAITING = 32
# A pause after each turn, as a multiple of what the turn took.
_PAUSE = 2.0


def is_long(question: str) -> bool:
    """Whether to work on a question may take several times as long as on an ordinary one."""
    return len(question) > _LONG_IN_CHARACTERS or len(word_spans(question)) > _LONG_IN_WORDS


class Turns:
    """Lets one request in at a time, in the order in which they came; for one event loop."""

    def __init__(self, most_waiting: int = _MOST_WAITING) -> None:
        self._most = most_waiting
        self._waiting = 0
        self._busy = asyncio.Lock()
        self._next_at = -math.inf

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        """Around the work on a request; one that follows another waits for twice as long as that one took.

        Raises BusyError where too many wait already, and DeadlineExceededError when the request's time is over.
        """
        if self._waiting >= self._most:
            raise BusyError(f"{self._most} long questions wait already; ask again in a moment, or ask a shorter one")
        self._waiting += 1
        try:
            seconds = remaining_time(math.inf)
            async with asyncio.timeout(seconds if seconds < math.inf else None):
                await self._acquire()
        except TimeoutError as error:
            raise DeadlineExceededError from error
        finally:
            self._waiting -= 1
        started = time.monotonic()
        try:
            yield
        finally:
            now = time.monotonic()
            self._next_at = now + _PAUSE * (now - started)
            self._busy.release()

    async def _acquire(self) -> None:
        await self._busy.acquire()
        try:
            await asyncio.sleep(max(0.0, self._next_at - time.monotonic()))
        except BaseException:
            self._busy.release()
            raise
