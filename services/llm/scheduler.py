"""Schedule completions on the slots of each model, and cancel completions whose caller has disconnected."""

import asyncio
import threading
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Protocol

from services.llm.engine import SLOTS_PER_MODEL
from shared.errors import BusyError

# Twice as many as one service sends at a time. In a full queue, the last requests exceed the service's timeout.
MAX_WAITING = 64


class Models(Protocol):
    """Complete prompts by model name; `EmbeddedModels` implements this protocol."""

    names: tuple[str, ...]

    def complete(
        self, model: str, slot: int, request: dict[str, Any], is_abandoned: Callable[[], bool]
    ) -> dict[str, Any]:
        """Run a chat completion; see `EmbeddedModels.complete`."""
        ...

    def close(self) -> None:
        """Release the models."""
        ...


class SlotScheduler:
    """Run one completion at a time in each slot of a model, and queue requests while all slots are busy."""

    def __init__(self, models: Models) -> None:
        self._models = models
        self._workers = ThreadPoolExecutor(max_workers=SLOTS_PER_MODEL * len(models.names), thread_name_prefix="llm")
        self._waiting: Counter[str] = Counter()
        self._free: dict[str, asyncio.Queue[int]] = {name: asyncio.Queue() for name in models.names}
        for free in self._free.values():
            for slot in range(SLOTS_PER_MODEL):
                free.put_nowait(slot)

    async def complete(self, model: str, request: dict[str, Any]) -> dict[str, Any]:
        """Run a chat completion, as `Models.complete` does; raise BusyError if too many requests are waiting.

        Cancelling this call stops the model within one token, or one batch of the prompt.
        """
        slot = await self._free_slot(model)
        abandoned = threading.Event()
        running = asyncio.get_running_loop().run_in_executor(
            self._workers, self._models.complete, model, slot, request, abandoned.is_set
        )

        def release(done: asyncio.Future[dict[str, Any]]) -> None:
            self._free[model].put_nowait(slot)
            if not done.cancelled():
                done.exception()  # mark as retrieved: an abandoned completion has no caller

        # The slot stays busy until llama.cpp has stopped, even if the caller has left.
        running.add_done_callback(release)
        try:
            return await asyncio.shield(running)
        finally:
            abandoned.set()

    async def _free_slot(self, model: str) -> int:
        if self._free[model].empty() and self._waiting[model] >= MAX_WAITING:
            raise BusyError(f"{MAX_WAITING} requests are already waiting for the model {model!r}; retry later")
        self._waiting[model] += 1
        try:
            return await self._free[model].get()
        finally:
            self._waiting[model] -= 1

    def close(self) -> None:
        """Wait for running completions, then release the models."""
        self._workers.shutdown(cancel_futures=True)
        self._models.close()
