"""Replace what a service serves when its files change, without a restart.

Requests in flight end on what they began with. Everything that is derived from the files, caches included, belongs to
one version and goes with it, so that no answer mixes two versions.
"""

import asyncio
import gc
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path
from typing import Generic, Protocol, TypeVar

from shared.errors import DependencyError, KGQAError

log = logging.getLogger(__name__)

WATCH_INTERVAL_S = 2.0

Fingerprint = tuple[tuple[str, int, int, int], ...]
"""The path, time, size, and inode of each file."""


class Reloadable(Protocol):
    """An object that is loaded from files."""

    async def ready(self) -> bool:
        """Return whether requests need not wait; may raise DependencyError while it is being prepared."""
        ...

    async def close(self) -> None:
        """Release the files."""
        ...


Served = TypeVar("Served", bound=Reloadable)


def fingerprint(*files: Path) -> Fingerprint:
    """Return what changes if a file is replaced, removed, or added; missing files do not count."""
    return tuple(_states(files))


def _states(files: tuple[Path, ...]) -> Iterator[tuple[str, int, int, int]]:
    for file in files:
        with suppress(FileNotFoundError, NotADirectoryError):
            state = file.stat()
            yield str(file), state.st_mtime_ns, state.st_size, state.st_ino


class _Version(Generic[Served]):
    """One version, with the number of requests that use it."""

    def __init__(self, served: Served, files: Fingerprint) -> None:
        self.served = served
        self.files = files
        self.users = 0


class HotReload(Generic[Served]):
    """Serve the version that was loaded from the files last; `reloads` counts the replacements.

    Example:
        >>> reload = HotReload(load, lambda: fingerprint(file))
        >>> with reload.use() as served:
        ...     await served.answer(request)
    """

    def __init__(self, load: Callable[[], Served], look: Callable[[], Fingerprint]) -> None:
        """Load the first version; raise what `load` raises. `look` says which files there are."""
        self.reloads = 0
        self._load = load
        self._look = look
        files = look()
        self._current: _Version[Served] = _Version(load(), files)
        self._next: _Version[Served] | None = None
        self._seen = files
        self._refused: Fingerprint | None = None
        self._problem = ""
        self._closing: set[asyncio.Task[None]] = set()

    @property
    def current(self) -> Served:
        """Return the version that new requests use."""
        return self._current.served

    @contextmanager
    def use(self) -> Iterator[Served]:
        """Hold the current version open for one request."""
        version = self._current
        version.users += 1
        try:
            yield version.served
        finally:
            version.users -= 1
            self._close_if_unused(version)

    async def check(self) -> None:
        """Look at the files once; load them if they have changed and are complete, and replace what is served.

        Files count as complete if nothing has changed since the previous look. A version that cannot be loaded is left
        out, and the old one is served on.
        """
        files = await asyncio.to_thread(self._look)
        is_settled, self._seen = files == self._seen, files
        if self._next is not None and self._next.files != files:
            await self._drop_next()
        if files == self._current.files:
            self._problem, self._refused = "", None
        elif self._next is None and is_settled and files != self._refused:
            await self._load_next(files)
        if self._next is not None and await _is_ready(self._next.served):
            self._replace(self._next)

    async def up_to_date(self) -> bool:
        """Return True; raise DependencyError, saying why, if changed files could not be loaded."""
        if self._problem:
            raise DependencyError(*[f"the files have changed, but cannot be loaded: {self._problem}"] * 2)
        return True

    @asynccontextmanager
    async def watching(self, on_reload: Callable[[Served], Awaitable[None]]) -> AsyncIterator[None]:
        """Check every `WATCH_INTERVAL_S` seconds, and close everything on exit; `on_reload` sees each replacement."""
        task = asyncio.create_task(self._watch(on_reload))
        try:
            yield
        finally:
            task.cancel()
            await asyncio.wait({task, *self._closing})
            await self._drop_next()
            await self._current.served.close()

    async def _watch(self, on_reload: Callable[[Served], Awaitable[None]]) -> None:
        while True:
            await asyncio.sleep(WATCH_INTERVAL_S)
            before = self.reloads
            try:
                await self.check()
                if self.reloads != before:
                    await on_reload(self.current)
            except Exception:  # watching goes on, whatever happened to one look
                log.exception("cannot look for changed files")

    async def _load_next(self, files: Fingerprint) -> None:
        try:
            loaded = _Version(await asyncio.to_thread(self._load), files)
        except KGQAError as error:
            self._problem, self._refused = error.detail, files
            log.warning("the files have changed, but cannot be loaded, so the old ones are served: %s", error.detail)
            return
        if await asyncio.to_thread(self._look) != files:
            await loaded.served.close()  # may hold parts of two versions
            return
        self._next = loaded

    def _replace(self, version: _Version[Served]) -> None:
        retired, self._current, self._next = self._current, version, None
        self._problem, self._refused = "", None
        self.reloads += 1
        self._close_if_unused(retired)

    def _close_if_unused(self, version: _Version[Served]) -> None:
        if version is not self._current and not version.users:
            task = asyncio.get_running_loop().create_task(_close(version.served))
            self._closing.add(task)
            task.add_done_callback(self._closing.discard)

    async def _drop_next(self) -> None:
        dropped, self._next = self._next, None
        if dropped is not None:
            await dropped.served.close()


async def _is_ready(served: Reloadable) -> bool:
    try:
        return await served.ready()
    except DependencyError:
        return False


async def _close(served: Reloadable) -> None:
    await served.close()
    if gc.get_freeze_count():
        # What was frozen for speed includes the closed version, which would otherwise never be freed.
        gc.unfreeze()
        gc.collect()
        gc.freeze()
