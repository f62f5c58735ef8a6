"""Runs completions on the slots of the embedded models, and stops those that nobody waits for."""

import asyncio
import threading
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Protocol

from services.llm.engine import SLOTS_A_MODEL
from shared.errors import BusyError

# Twice as many as a service sends at once. The last of them wait longer than a service does.
MAX_WAITING = 64


class Models(Protocol):
    """What is served; `EmbeddedModels` or a test's stand-in."""

    names: tuple[str, ...]

    def complete(
        self, model: str, slot: int, request: dict[str, Any], is_abandoned: Callable[[], bool]
    ) -> dict[str, Any]:
        """Run a chat completion, blocking, until it is done or abandoned."""
        ...

    def close(self) -> None:
        """Release what is held."""
        ...


class Slots:
    """Runs completions in threads, as many at once for each model as it has slots. The others wait their turn."""

    def __init__(self, models: Models) -> None:
        self._models = models
        self._workers = ThreadPoolExecutor(max_workers=SLOTS_A_MODEL * len(models.names), thread_name_prefix="llm")
        self._waiting: Counter[str] = Counter()
        self._free: dict[str, asyncio.Queue[int]] = {name: asyncio.Queue() for name in models.names}
        for free in self._free.values():
            for slot in range(SLOTS_A_MODEL):
                free.put_nowait(slot)

    async def complete(self, model: str, request: dict[str, Any]) -> dict[str, Any]:
        """Run a completion. When this call is cancelled, the model stops within a token or a batch of the prompt.

        Raises BusyError when `MAX_WAITING` requests wait for this model already, and what `Models.complete` raises.
        """
        slot = await self._free_slot(model)
        abandoned = threading.Event()
        running = asyncio.get_running_loop().run_in_executor(
            self._workers, self._models.complete, model, slot, request, abandoned.is_set
        )

        def release(done: asyncio.Future[dict[str, Any]]) -> None:
            self._free[model].put_nowait(slot)
            if not done.cancelled():
                done.exception()  # nobody else looks at that of an abandoned one

        # The slot is busy until llama.cpp has stopped, whoever still waits for it.
        running.add_done_callback(release)
        try:
            return await asyncio.shield(running)
        finally:
            abandoned.set()

    async def _free_slot(self, model: str) -> int:
        if self._free[model].empty() and self._waiting[model] >= MAX_WAITING:
            raise BusyError(f"{MAX_WAITING} requests for the model {model!r} are waiting already; ask again later")
        self._waiting[model] += 1
        try:
            return await self._free[model].get()
        finally:
            self._waiting[model] -= 1

    def close(self) -> None:
        """Wait for what runs, and stop the models."""
        self._workers.shutdown(cancel_futures=True)
        self._models.close()
