"""Stop calling a dependency that keeps failing, and test periodically whether it has recovered."""

import asyncio
import math
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from shared.errors import DeadlineExceededError, DependencyError, KGQAError, OverloadedError, RefusedError
from shared.request_context import remaining_time

# A call waits for a trial up to this many times the average call duration, or `_MIN_PATIENCE_S` if that is longer.
_PATIENCE = 3.0
_MIN_PATIENCE_S = 0.25
_SMOOTHING = 0.1

_HEARTBEAT_S = 0.1
# A busy event loop may run some tens of milliseconds late.
_STALL_S = 0.25


class CircuitBreaker:
    """Fail calls immediately while a dependency is down, instead of letting each one time out.

    The breaker is closed at first and lets all calls through. It opens after `failure_threshold` consecutive failures:
    calls then fail immediately for `reset_timeout_s`. After that it is half open: one call every `reset_timeout_s` is
    a trial, until one succeeds. Other calls wait for the trial's outcome, but not much longer than a call usually
    takes. Use an instance from one event loop only. Messages name the `dependency`, such as "the retriever at URL", and
    those for HTTP callers its `public_name`, such as "the retriever".
    """

    def __init__(
        self,
        dependency: str,
        failure_threshold: int = 3,
        reset_timeout_s: float = 1.0,
        clock: Callable[[], float] = time.monotonic,
        public_name: str = "a dependency of this service",
    ) -> None:
        self._dependency = dependency
        self._public_name = public_name
        self._failure_threshold = failure_threshold
        self._reset_timeout_s = reset_timeout_s
        self._clock = clock
        self._stalls = _StallDetector()
        self._failures = 0
        self._next_trial = 0.0
        self._last_success_started = -math.inf
        self._average_s: float | None = None
        self._trial: object | None = None
        self._trial_ended: asyncio.Future[None] | None = None

    @asynccontextmanager
    async def call(self, slots: asyncio.Semaphore | None = None) -> AsyncIterator[None]:
        """Admit one call, and record its outcome.

        A DependencyError counts as a failure, unless a call that started later has succeeded. RefusedError,
        OverloadedError, and other exceptions of this project show that the dependency responds. The breaker ignores a
        call that was cancelled, that ran out of time, or during which this process stalled. `slots` limits the number
        of concurrent calls; a call that waits for a trial holds no slot.

        Raises DependencyError if the breaker is open, and DeadlineExceededError if the deadline passes while waiting.
        """
        trial = await self._admit_with_slot(slots)
        entered, started = time.monotonic(), self._clock()
        with self._stalls:
            try:
                yield
                if not self._stalls.occurred_since(entered):
                    self._record_duration(self._clock() - started)
                self._record_success(started)
            except DeadlineExceededError:
                raise
            except KGQAError as error:
                if not isinstance(error, DependencyError) or isinstance(error, (OverloadedError, RefusedError)):
                    self._record_success(started)
                elif not self._stalls.occurred_since(entered):
                    self._record_failure(trial, started)
                raise
            finally:
                self._abandon(trial)
                if slots:
                    slots.release()

    async def _admit_with_slot(self, slots: asyncio.Semaphore | None) -> object | None:
        while True:
            trial = await self._admit()
            if slots is None:
                return trial
            try:
                await slots.acquire()
            except BaseException:
                self._abandon(trial)
                raise
            if trial or not self._has_failed:
                return trial
            slots.release()  # the breaker opened while this call waited for a slot

    async def _admit(self) -> object | None:
        """Wait until a call may start; return a token if it is a trial."""
        give_up = math.inf
        while self._has_failed:
            now = self._clock()
            if now >= self._next_trial:
                self._next_trial = now + self._reset_timeout_s
                self._trial = object()
                return self._trial
            give_up = min(give_up, now + self._patience_s)
            if self._trial is None or now >= give_up:
                problem = "failed recently and is not being called"
                raise DependencyError(
                    f"{self._dependency} {problem}; is it running?", f"{self._public_name} {problem}; retry shortly"
                )
            if self._trial_ended is None:
                self._trial_ended = asyncio.get_running_loop().create_future()
            timeout = remaining_time(min(give_up, self._next_trial) - now)
            await asyncio.wait([self._trial_ended], timeout=timeout)
            remaining_time(math.inf)  # raises DeadlineExceededError
        return None

    @property
    def _has_failed(self) -> bool:
        return self._failures >= self._failure_threshold

    @property
    def _patience_s(self) -> float:
        return self._reset_timeout_s if self._average_s is None else max(_MIN_PATIENCE_S, _PATIENCE * self._average_s)

    def _record_duration(self, seconds: float) -> None:
        average = seconds if self._average_s is None else self._average_s
        self._average_s = average + _SMOOTHING * (seconds - average)

    def _record_success(self, started: float) -> None:
        self._last_success_started = max(self._last_success_started, started)
        self._failures = 0
        self._end_trial()

    def _record_failure(self, trial: object | None, started: float) -> None:
        if started < self._last_success_started or self._trial not in (None, trial):
            return  # a later call succeeded, or a later trial is in progress
        self._failures += 1
        self._next_trial = self._clock() + self._reset_timeout_s
        self._end_trial()

    def _abandon(self, trial: object | None) -> None:
        """If a trial ended without an outcome, make the next call a trial."""
        if trial and self._trial is trial:
            self._next_trial = self._clock()
            self._end_trial()

    def _end_trial(self) -> None:
        self._trial = None
        if self._trial_ended:
            self._trial_ended.set_result(None)
            self._trial_ended = None


class _StallDetector:
    """Detect with a heartbeat that this process was stopped or throttled, or that its event loop was blocked.

    A call that times out during such a stall says nothing about the dependency.
    """

    def __init__(self) -> None:
        self._active = 0
        self._last_beat = 0.0
        self._last_stall = -math.inf
        self._timer: asyncio.TimerHandle | None = None

    def __enter__(self) -> None:
        self._active += 1
        if self._active == 1:
            self._last_beat = time.monotonic()
            self._schedule()

    def __exit__(self, *_: object) -> None:
        self._active -= 1
        if not self._active and self._timer:
            self._timer.cancel()

    def occurred_since(self, moment: float) -> bool:
        """Return whether the process stalled after `moment`, in seconds of the monotonic clock."""
        return self._last_stall >= moment or self._is_late(time.monotonic())

    def _is_late(self, now: float) -> bool:
        return now - self._last_beat > _HEARTBEAT_S + _STALL_S

    def _beat(self) -> None:
        now = time.monotonic()
        if self._is_late(now):
            self._last_stall = now
        self._last_beat = now
        self._schedule()

    def _schedule(self) -> None:
        self._timer = asyncio.get_running_loop().call_later(_HEARTBEAT_S, self._beat)
