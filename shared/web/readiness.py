"""Whether a service is ready: what its dependencies answered last, told at once."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping

Check = Callable[[], Awaitable[bool]]

_CHECK_TIMEOUT_S = 2.0
# A probe must be answered within 200 ms, whatever a dependency does.
_PATIENCE_S = 0.1


class Readiness:
    """Runs the checks of a service, one round at a time, however many ask.

    Who asks waits 0.1 s for the round in progress, and then gets the results of the last complete one; only the first
    round is awaited. A dependency that hangs therefore shows a moment later, and an overloaded one does not hold up the
    probe.
    """

    def __init__(self, checks: Callable[[], Mapping[str, Check]]) -> None:
        self._checks = checks
        self._last: dict[str, bool] = {}
        self._round: asyncio.Task[None] | None = None

    async def results(self) -> dict[str, bool]:
        """Return by name whether each dependency answers."""
        if self._round is None or self._round.done():
            self._round = asyncio.create_task(self._run_all())
        await asyncio.wait({self._round}, timeout=_PATIENCE_S if self._last else None)
        return self._last

    async def close(self) -> None:
        """Cancel the round in progress."""
        if self._round is not None:
            self._round.cancel()
            await asyncio.wait({self._round})

    async def _run_all(self) -> None:
        checks = self._checks()
        results = await asyncio.gather(*map(_run, checks.values()))
        self._last = dict(zip(checks, results, strict=True))


async def _run(check: Check) -> bool:
    try:
        return await asyncio.wait_for(check(), _CHECK_TIMEOUT_S)
    except Exception:  # whatever a dependency does wrong, it is not ready
        return False
