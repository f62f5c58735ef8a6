"""Circuit breaker for outbound calls."""

import asyncio
import math
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from shared.deadline import left
from shared.errors import DependencyError, KGQAError, NoTimeLeftError, RefusedError
from shared.pulse import Pulse

_FAILURES = 3
_SECONDS = 1.0
# How much of the slowest call's time is remembered from one success to the next.
_REMEMBERED = 0.9


class Breaker:
    """Stops calling a dependency that failed some times in a row, and tries it again now and then.

    Closed, it lets all calls through. After `failures` it opens: for `seconds`, calls fail at once instead of each
    waiting for the same time-out. Then it is half open: the next call is a trial, and calls beside it wait for its
    outcome, twice as long as calls took before at the most. Used from one event loop.
    """

    def __init__(
        self,
        what: str,
        failures: int = _FAILURES,
        seconds: float = _SECONDS,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`what` names the dependency in messages."""
        self._what = what
        self._most = failures
        self._seconds = seconds
        self._clock = clock
        self._pulse = Pulse()
        self._failed = 0
        self._next_try = 0.0
        self._usual_s = 0.0
        self._trial: asyncio.Future[None] | None = None
        self._trial_ends = 0.0

    @property
    def is_open(self) -> bool:
        """Whether calls fail at once at the moment."""
        return self._failed >= self._most and self._trial is None and self._clock() < self._next_try

    @asynccontextmanager
    async def call(self) -> AsyncIterator[None]:
        """Make a call within. Raises DependencyError while open, NoTimeLeftError if the deadline ends in waiting.

        A DependencyError of the call is a failure. A refusal and any other error of ours is an answer. Nothing is
        learnt from a call that is cancelled, whose caller had no time, or during which this process stood still.
        """
        trial = await self._admitted()
        begun, started = time.monotonic(), self._clock()
        with self._pulse:
            try:
                yield
                if not self._pulse.stopped_since(begun):
                    self._usual_s = max(self._clock() - started, _REMEMBERED * self._usual_s)
                self._failed = 0
            except NoTimeLeftError:
                raise
            except KGQAError as error:
                is_failure = isinstance(error, DependencyError) and not isinstance(error, RefusedError)
                if not is_failure:
                    self._failed = 0
                elif not self._pulse.stopped_since(begun):
                    self._failed += 1
                    self._next_try = self._clock() + self._seconds
                raise
            finally:
                if trial:
                    self._end_trial(trial)

    async def _admitted(self) -> asyncio.Future[None] | None:
        """Wait until a call may be made; the call is a trial if this gives a future. Raises as `call` does."""
        while self._failed >= self._most:
            if self._trial:
                await self._wait_for(self._trial)
            elif self._clock() < self._next_try:
                raise DependencyError(
                    f"{self._what} did not answer lately and is not asked for a moment; is it running?"
                )
            else:
                self._trial = asyncio.get_running_loop().create_future()
                self._trial_ends = self._clock() + max(self._seconds, 2 * self._usual_s)
                return self._trial
        return None

    async def _wait_for(self, trial: asyncio.Future[None]) -> None:
        """Wait until a trial ends; give it up, for all that wait, if it takes too long."""
        await asyncio.wait([trial], timeout=left(max(0.0, self._trial_ends - self._clock())))
        if self._trial is trial and self._clock() >= self._trial_ends:
            self._next_try = self._clock() + self._seconds
            self._end_trial(trial)
        left(math.inf)

    def _end_trial(self, trial: asyncio.Future[None]) -> None:
        if self._trial is trial:
            self._trial = None
        if not trial.done():
            trial.set_result(None)
