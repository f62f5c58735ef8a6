"""Throttle long questions so that, however many arrive, they take at most a third of the event loop's time."""

import asyncio
import math
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

from language.question import Question
from shared.errors import BusyError, DeadlineExceededError
from shared.request_context import remaining_time

# Longer than any question in the published data sets. In scripts without spaces, each character counts as a word.
_LONG_IN_WORDS = 40
_LONG_IN_CHARACTERS = 250
_MAX_WAITING = 32
# The pause after each question, as a multiple of the time that the question took.
_PAUSE = 2.0


def is_long(question: Question) -> bool:
    """Return whether a question may take several times as long to process as an ordinary one."""
    return len(question.text) > _LONG_IN_CHARACTERS or len(question.word_spans) > _LONG_IN_WORDS


class LongQuestionThrottle:
    """Admit one request at a time, in order of arrival, and pause after each one. Use it on a single event loop."""

    def __init__(
        self,
        max_waiting: int = _MAX_WAITING,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._clock = clock
        self._sleep = sleep
        self._max_waiting = max_waiting
        self._waiting = 0
        self._busy = asyncio.Lock()
        self._next_at = -math.inf

    @asynccontextmanager
    async def slot(self) -> AsyncIterator[None]:
        """Wait for a slot, and hold it for the duration of the `with` block.

        Raises BusyError if too many requests are already waiting, or DeadlineExceededError if the deadline passes.
        """
        if self._waiting >= self._max_waiting:
            raise BusyError(f"{self._max_waiting} long questions are already waiting; retry soon, or ask a shorter one")
        self._waiting += 1
        try:
            seconds = remaining_time(math.inf)
            async with asyncio.timeout(seconds if seconds < math.inf else None):
                await self._acquire()
        except TimeoutError as error:
            raise DeadlineExceededError from error
        finally:
            self._waiting -= 1
        started = self._clock()
        try:
            yield
        finally:
            now = self._clock()
            self._next_at = now + _PAUSE * (now - started)
            self._busy.release()

    async def _acquire(self) -> None:
        await self._busy.acquire()
        try:
            await self._sleep(max(0.0, self._next_at - self._clock()))
        except BaseException:
            self._busy.release()
            raise
