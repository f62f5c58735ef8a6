"""Probes are answered at once, with what was last known."""

import asyncio
import time

from shared.web.readiness import Readiness


class Dependency:
    """Answers, hangs or fails as it is told to; counts how often it is asked."""

    def __init__(self) -> None:
        self.gate = asyncio.Event()
        self.gate.set()
        self.error: Exception | None = None
        self.asked = 0

    async def ready(self) -> bool:
        self.asked += 1
        await self.gate.wait()
        if self.error:
            raise self.error
        return True


async def test_a_dependency_that_hangs_does_not_hold_up_the_probe() -> None:
    graph = Dependency()
    readiness = Readiness(lambda: {"graph": graph.ready})
    assert await readiness.results() == {"graph": True}
    graph.gate.clear()
    started = time.monotonic()
    results = await asyncio.gather(*(readiness.results() for _ in range(20)))
    assert time.monotonic() - started < 1
    assert results == [{"graph": True}] * 20
    assert graph.asked == 2
    await asyncio.sleep(2.1)
    assert await readiness.results() == {"graph": False}
    graph.gate.set()
    await asyncio.sleep(0)
    assert await readiness.results() == {"graph": True}
    await readiness.close()


async def test_a_dependency_that_fails_is_told_at_once() -> None:
    graph = Dependency()
    readiness = Readiness(lambda: {"graph": graph.ready})
    graph.error = ConnectionError("gone")
    assert await readiness.results() == {"graph": False}
    graph.error = None
    assert await readiness.results() == {"graph": True}
    await readiness.close()
