"""Not asking again and again what does not answer."""

import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from shared.errors import DependencyError, KGQAError, NoTimeLeftError, RefusedError

_FAILURES = 3
_SECONDS = 1.0


class Breaker:
    """Lets calls to one outside thing through until some fail in a row, then one now and then, until that succeeds.

    Without it every request waits for the same time-out. Used from one event loop.
    """

    def __init__(
        self,
        what: str,
        failures: int = _FAILURES,
        seconds: float = _SECONDS,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`what` names the thing in messages; after `failures` it is tried again every `seconds`."""
        self._what = what
        self._most = failures
        self._seconds = seconds
        self._clock = clock
        self._failed = 0
        self._next_try = 0.0

    @property
    def is_open(self) -> bool:
        """Whether calls are refused at the moment."""
        return self._failed >= self._most and self._clock() < self._next_try

    @asynccontextmanager
    async def call(self) -> AsyncIterator[None]:
        """Around a call. Raises DependencyError at once where the thing failed lately.

        A DependencyError of the call counts as failure; a refusal or another error is an answer, and that the caller
        had no time says nothing.
        """
        if self.is_open:
            raise DependencyError(f"{self._what} did not answer lately and is not asked for a moment; is it running?")
        if self._failed >= self._most:
            # This call tries for all; the others go on without.
            self._next_try = self._clock() + self._seconds
        try:
            yield
        except NoTimeLeftError:
            raise
        except KGQAError as error:
            if isinstance(error, DependencyError) and not isinstance(error, RefusedError):
                self._failed += 1
                self._next_try = self._clock() + self._seconds
            else:
                self._failed = 0
            raise
        self._failed = 0
