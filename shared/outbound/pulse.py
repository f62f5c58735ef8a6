"""Notices when this process stood still, so that others are not blamed for it."""

import asyncio
import time
from types import TracebackType

_EVERY_S = 0.1
# A busy event loop is late by some tens of milliseconds.
_LATE_S = 0.25


class Pulse:
    """Beats on the event loop while it is entered, and notices beats that come late.

    They are late when the process was stopped, its container was frozen or throttled, or its event loop was blocked. A
    call that takes too long then says nothing about whom it asked. Can be entered many times at once.
    """

    def __init__(self) -> None:
        self._entered = 0
        self._last = 0.0
        self._resumed = float("-inf")
        self._timer: asyncio.TimerHandle | None = None

    def __enter__(self) -> "Pulse":
        self._entered += 1
        if self._entered == 1:
            self._last = time.monotonic()
            self._schedule()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._entered -= 1
        if not self._entered and self._timer:
            self._timer.cancel()

    def stopped_since(self, moment: float) -> bool:
        """Whether the process stood still at some time after `moment` of the monotonic clock."""
        return self._resumed >= moment or self._is_late(time.monotonic())

    def _is_late(self, now: float) -> bool:
        return now - self._last > _EVERY_S + _LATE_S

    def _beat(self) -> None:
        now = time.monotonic()
        if self._is_late(now):
            self._resumed = now
        self._last = now
        self._schedule()

    def _schedule(self) -> None:
        self._timer = asyncio.get_running_loop().call_later(_EVERY_S, self._beat)
