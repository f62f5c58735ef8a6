"""Circuit breaker for outbound calls."""

import asyncio
import math
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from shared.deadline import left
from shared.errors import DependencyError, KGQAError, NoTimeLeftError, OverloadedError, RefusedError
from shared.outbound.pulse import Pulse

_FAILURES = 3
_SECONDS = 1.0
# How long a call waits beside a trial: a multiple of what calls take on average, but not less than this.
_PATIENCE = 3.0
_LEAST_PATIENCE_S = 0.25
_WEIGHT_OF_LAST = 0.1


class _Trial:
    """A call that finds out whether the dependency is well again."""


class Breaker:
    """Stops calling a dependency that failed some times in a row, and tries it again now and then.

    Closed, it lets all calls through. After `failures` it opens: for `seconds`, calls fail at once instead of each
    waiting for the same time-out. Then it is half open: one call every `seconds` is a trial, until one succeeds or
    fails. Calls beside a trial wait for its outcome, about as long as a call usually takes. Used from one event loop.
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
        self._answered_since = -math.inf
        self._usual_s: float | None = None
        self._trial: _Trial | None = None
        self._news: asyncio.Future[None] | None = None

    @property
    def is_open(self) -> bool:
        """Whether calls fail at once at the moment."""
        return self._failed >= self._most and self._trial is None and self._clock() < self._next_try

    @asynccontextmanager
    async def call(self, turn: asyncio.Semaphore | None = None) -> AsyncIterator[None]:
        """Make a call within. Raises DependencyError while open, NoTimeLeftError if the deadline ends in waiting.

        `turn` limits how many calls are made at a time; who waits for a trial does not hold it.

        A DependencyError of the call is a failure, unless a call that began later was answered. A refusal and any other
        error of ours is an answer. Nothing is learnt from a call that is cancelled, whose caller had no time, or during
        which this process stood still.
        """
        trial = await self._admitted_in(turn)
        begun, started = time.monotonic(), self._clock()
        with self._pulse:
            try:
                yield
                if not self._pulse.stopped_since(begun):
                    self._note_duration(self._clock() - started)
                self._close(started)
            except NoTimeLeftError:
                raise
            except KGQAError as error:
                if not isinstance(error, DependencyError) or isinstance(error, (OverloadedError, RefusedError)):
                    self._close(started)
                elif not self._pulse.stopped_since(begun):
                    self._count_failure(trial, started)
                raise
            finally:
                self._let_another_try(trial)
                if turn:
                    turn.release()

    async def _admitted_in(self, turn: asyncio.Semaphore | None) -> _Trial | None:
        """Wait until a call may be made and it is its turn."""
        while True:
            trial = await self._admitted()
            if turn is None:
                return trial
            try:
                await turn.acquire()
            except BaseException:
                self._let_another_try(trial)
                raise
            if trial or self._failed < self._most:
                return trial
            turn.release()  # what it waited for began to fail meanwhile

    async def _admitted(self) -> _Trial | None:
        """Wait until a call may be made, as a trial or, if this gives None, as any other. Raises as `call` does."""
        give_up = math.inf
        while self._failed >= self._most:
            now = self._clock()
            if now >= self._next_try:
                self._next_try = now + self._seconds
                self._trial = _Trial()
                return self._trial
            give_up = min(give_up, now + self._patience_s)
            if self._trial is None or now >= give_up:
                raise DependencyError(
                    f"{self._what} did not answer lately and is not asked for a moment; is it running?"
                )
            if self._news is None:
                self._news = asyncio.get_running_loop().create_future()
            await asyncio.wait([self._news], timeout=left(min(give_up, self._next_try) - now))
            left(math.inf)
        return None

    @property
    def _patience_s(self) -> float:
        return self._seconds if self._usual_s is None else max(_LEAST_PATIENCE_S, _PATIENCE * self._usual_s)

    def _note_duration(self, seconds: float) -> None:
        before = seconds if self._usual_s is None else self._usual_s
        self._usual_s = before + _WEIGHT_OF_LAST * (seconds - before)

    def _close(self, started: float) -> None:
        self._answered_since = max(self._answered_since, started)
        self._failed = 0
        self._end_trial()

    def _count_failure(self, trial: _Trial | None, started: float) -> None:
        if started < self._answered_since or self._trial not in (None, trial):
            return  # a later call was answered, or a later trial is under way: they know better
        self._failed += 1
        self._next_try = self._clock() + self._seconds
        self._end_trial()

    def _let_another_try(self, trial: _Trial | None) -> None:
        """If a trial told nothing, let the next call be one."""
        if trial and self._trial is trial:
            self._next_try = self._clock()
            self._end_trial()

    def _end_trial(self) -> None:
        self._trial = None
        if self._news:
            self._news.set_result(None)
            self._news = None
