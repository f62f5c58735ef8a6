"""Hold all graphs of one retriever. Each is loaded, replaced, and checked by itself, and shares nothing with others."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager

from services.retriever.serving.hot_reload import HotReload
from services.retriever.serving.served_graph import ServedGraph
from shared.access import unknown_graph
from shared.errors import DependencyError, KGQAError

_PATIENCE_S = 1.5
"""Seconds that a check of one graph may take. Those of all graphs together must end before a probe gives up on them."""


class ServedGraphs:
    """Find the graph that a request is about; the first one is the default.

    Example:
        >>> with graphs.use("films") as served:
        ...     await served.within(request.scope).retrieval.retrieve(request)
    """

    def __init__(self, reloads: Mapping[str, HotReload[ServedGraph]]) -> None:
        """Serve these graphs, of which there must be one."""
        self._reloads = dict(reloads)

    @contextmanager
    def use(self, graph: str | None) -> Iterator[ServedGraph]:
        """Hold the current version of a graph open for one request; raise UnknownGraphError if it is not served."""
        name = next(iter(self._reloads)) if graph is None else graph
        if name not in self._reloads:
            raise unknown_graph(name)
        with self._reloads[name].use() as served:
            yield served

    def current(self) -> list[ServedGraph]:
        """Return the version of each graph that new requests use, the default graph first."""
        return [reload.current for reload in self._reloads.values()]

    @asynccontextmanager
    async def watching(self, on_reload: Callable[[ServedGraph], Awaitable[None]]) -> AsyncIterator[None]:
        """Replace each graph when its files change; see `HotReload.watching`."""
        async with AsyncExitStack() as stack:
            for reload in self._reloads.values():
                await stack.enter_async_context(reload.watching(on_reload))
            yield

    async def responds(self) -> bool:
        """Return whether a graph can be read; one that cannot does not keep others from being asked."""
        return await self._any(lambda served: served.store.ready())

    async def ready(self) -> bool:
        """Return whether questions about a graph can be read; raise DependencyError while all are being read."""
        return await self._any(lambda served: served.ready())

    async def all_ready(self) -> bool:
        """Return True; raise DependencyError, naming the graphs that do not respond, or are being read."""
        return await self._all(lambda served: served.ready())

    async def models_are_current(self) -> bool:
        """Return True; raise DependencyError, naming the graphs whose models are older than they are."""
        return await self._all(lambda served: served.model_is_current())

    async def up_to_date(self) -> bool:
        """Return True; raise DependencyError, saying why, if changed files could not be loaded."""
        outcomes = await asyncio.gather(*(_outcome(reload.up_to_date()) for reload in self._reloads.values()))
        return self._without_failures(outcomes)

    async def _any(self, check: Callable[[ServedGraph], Awaitable[bool]]) -> bool:
        outcomes = await asyncio.gather(*(_outcome(check(served)) for served in self.current()))
        return True in outcomes or self._without_failures(outcomes)

    async def _all(self, check: Callable[[ServedGraph], Awaitable[bool]]) -> bool:
        return self._without_failures(await asyncio.gather(*(_outcome(check(served)) for served in self.current())))

    def _without_failures(self, outcomes: list[bool | KGQAError]) -> bool:
        """Return whether all checks passed; raise DependencyError if some say why not."""
        failed = [(name, one) for name, one in zip(self._reloads, outcomes, strict=True) if isinstance(one, KGQAError)]
        if not failed:
            return all(outcomes)
        reasons = ("; ".join(f"{name}: {said(one)}" for name, one in failed) for said in (_detail, _public_detail))
        raise DependencyError(*reasons)


def _detail(error: KGQAError) -> str:
    return error.detail


def _public_detail(error: KGQAError) -> str:
    return error.public_detail


async def _outcome(check: Awaitable[bool]) -> bool | KGQAError:
    try:
        async with asyncio.timeout(_PATIENCE_S):
            return await check
    except TimeoutError:
        said = "the graph does not respond in time"
        return DependencyError(said, said)
    except KGQAError as error:
        return error
