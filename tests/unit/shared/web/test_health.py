"""Readiness probes return immediately, with the last known results."""

import asyncio

from shared.errors import DependencyError
from shared.web.health import Readiness
from tests.support.waiting import until


class Dependency:
    """Respond, hang, or fail as configured, and count the checks."""

    def __init__(self) -> None:
        self.gate = asyncio.Event()
        self.gate.set()
        self.error: Exception | None = None
        self.checks = 0

    async def ready(self) -> bool:
        self.checks += 1
        await self.gate.wait()
        if self.error:
            raise self.error
        return True


async def test_a_hanging_dependency_does_not_delay_the_probe() -> None:
    graph = Dependency()
    readiness = Readiness({"graph": graph.ready})
    assert await readiness.results() == {"graph": True}
    graph.gate.clear()
    results = await asyncio.gather(*(readiness.results() for _ in range(20)))
    # Probes that waited for the round would get its result.
    assert results == [{"graph": True}] * 20
    assert graph.checks == 2

    async def is_unready() -> bool:
        return await readiness.results() == {"graph": False}

    await until(is_unready)
    graph.gate.set()
    await asyncio.sleep(0)
    assert await readiness.results() == {"graph": True}
    await readiness.close()


async def test_a_failed_dependency_is_reported_immediately() -> None:
    graph = Dependency()
    readiness = Readiness({"graph": graph.ready})
    graph.error = ConnectionError("gone")
    assert await readiness.results() == {"graph": False}
    graph.error = None
    assert await readiness.results() == {"graph": True}
    await readiness.close()


async def test_a_dependency_may_say_why_it_is_not_ready() -> None:
    graph = Dependency()
    readiness = Readiness({"graph": graph.ready})
    graph.error = DependencyError("Neo4j at bolt://10.0.0.1: 3 of 9 names read", "3 of 9 names read")
    assert await readiness.results() == {"graph": False}
    assert readiness.reasons == {"graph": "3 of 9 names read"}
    graph.error = None
    assert await readiness.results() == {"graph": True}
    assert readiness.reasons == {}
    await readiness.close()
