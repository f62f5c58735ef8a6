"""Ask a model that its server does not list, to find out whether it answers."""

import asyncio
import time
from collections.abc import Awaitable, Callable

from shared.errors import DependencyError, KGQAError
from shared.request_context import clear_deadline

# Shorter than the time limit of a readiness check.
_PATIENCE_S = 1.5
_RETRY_AFTER_S = 30.0


class ModelTrial:
    """Try out a model with one short prompt, and remember the outcome.

    A model that has answered is not tried again. One that has not is tried again after `retry_after_s`, so that probes
    every few seconds do not cost tokens.
    """

    def __init__(
        self,
        ask: Callable[[], Awaitable[None]],
        retry_after_s: float = _RETRY_AFTER_S,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._ask = ask
        self._retry_after_s = retry_after_s
        self._clock = clock
        self._has_answered = False
        self._failure: KGQAError | None = None
        self._running: asyncio.Task[None] | None = None
        self._next = 0.0

    def record_success(self) -> None:
        """Note that the model has answered."""
        self._has_answered = True

    async def outcome(self) -> None:
        """Return if the model answers; raise the error of its server, or DependencyError if it is still at it."""
        if self._has_answered:
            return
        if self._running is None and (self._failure is None or self._clock() >= self._next):
            self._running = asyncio.create_task(self._try())
        if self._running is not None:
            await asyncio.wait({self._running}, timeout=_PATIENCE_S)
        if not self._has_answered:
            raise self._failure or DependencyError(*["the model is not listed, and has not answered a prompt yet"] * 2)

    def cancel(self) -> None:
        """Stop a trial in progress."""
        if self._running is not None:
            self._running.cancel()

    async def _try(self) -> None:
        clear_deadline()  # the trial outlives the probe that started it
        try:
            await self._ask()
            self._has_answered = True
        except KGQAError as error:
            self._failure = error
            self._next = self._clock() + self._retry_after_s
        finally:
            self._running = None
