"""Give the plans that callers send places of their own, so that questions never wait behind them."""

import asyncio
import math
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from graph.store import PLAN_PLACES
from shared.errors import BusyError
from shared.request_context import remaining_time

_MAX_WAITING = 16
# Shorter than the time for which the answerer waits for the retriever, which would otherwise seem to be down.
_PATIENCE_S = 3.0


class PlanPlaces:
    """Admit a few plans at a time, and refuse those that would wait for long. Use it on a single event loop.

    A store can run these plans in addition to all queries that questions run at once.
    """

    def __init__(
        self, places: int = PLAN_PLACES, max_waiting: int = _MAX_WAITING, patience_s: float = _PATIENCE_S
    ) -> None:
        """Create places for the plans of all graphs: they share one process."""
        self._places = asyncio.Semaphore(places)
        self._max_waiting = max_waiting
        self._patience_s = patience_s
        self._waiting = 0

    @asynccontextmanager
    async def place(self) -> AsyncIterator[None]:
        """Wait for a place, and hold it for the duration of the `with` block.

        Raises BusyError if too many plans are waiting or none has ended in time, or DeadlineExceededError if the
        deadline of the request passes.
        """
        if self._waiting >= self._max_waiting:
            raise BusyError(f"{self._max_waiting} query plans are already waiting; retry shortly")
        self._waiting += 1
        try:
            async with asyncio.timeout(remaining_time(self._patience_s)):
                await self._places.acquire()
        except TimeoutError:
            remaining_time(math.inf)  # raises DeadlineExceededError
            raise BusyError("other query plans take all places; retry shortly") from None
        finally:
            self._waiting -= 1
        try:
            yield
        finally:
            self._places.release()
