"""Configure all tests."""

import functools
import gc
import inspect
from collections.abc import AsyncIterator, Generator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import httpx
import pytest
import pytest_asyncio
from blockbuster import BlockBuster
from hypothesis import HealthCheck, core, settings
from xdist.scheduler import LoadScopeScheduling
from xdist.workermanage import WorkerController

from tests import neo4j_server
from tests.support.seeds import SEED
from tests.support.skip_summary import pytest_terminal_summary as pytest_terminal_summary
from tests.support.worker_memory import share_models

if TYPE_CHECKING:
    from playwright.async_api import Browser

ROOT = Path(__file__).parents[1]
_YOUNGER_COLLECTIONS = 100
"""After so many collections of younger objects, old ones are looked through: about as rarely as among all tests."""

pytest.register_assert_rewrite("tests.graph_contract", "tests.unit.services.rewriter.cache.contract")

# The duration of an example shows how busy the machine is, not whether the code is correct.
settings.register_profile("kgqa", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("kgqa")

# Clients without a time limit of their own give up after 5 s, which a busy machine may take for any reply.
# All of them share one default.
_default_limit: httpx.Timeout = inspect.signature(httpx.AsyncClient).parameters["timeout"].default
for _phase in ("connect", "read", "write", "pool"):
    setattr(_default_limit, _phase, 120.0)

# Each client would read the certificates of all authorities, which takes longer than most of its requests.
_certificates = httpx.create_ssl_context()
for _client in (httpx.Client, httpx.AsyncClient):
    _defaults = _client.__init__.__kwdefaults__ or {}
    _defaults["verify"] = _certificates


def pytest_configure(config: pytest.Config) -> None:
    """Let hypothesis start from the printed seed."""
    if config.getoption("hypothesis_seed", None) is None:
        core.global_force_seed = SEED  # type: ignore[assignment]


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection() -> Generator[None, object, object]:
    """Search for garbage among what the tests create, and not among the tests and modules, which live until the end.

    Looking through all of them again takes a second each time.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()
        gc.set_threshold(*gc.get_threshold()[:2], _YOUNGER_COLLECTIONS)


def pytest_collection_finish() -> None:
    """Share models between the tests that were collected, which have imported the modules that load them."""
    share_models()


@pytest.fixture(scope="session", autouse=True)
def fail_if_a_service_blocks_its_event_loop() -> Iterator[None]:
    """Raise an error where a coroutine of a service sleeps or uses a socket without awaiting.

    Short reads of files and of the graph file are allowed; services move long ones to threads.
    """
    # Commands start, watch, and stop services with these; no service does.
    blockbuster = BlockBuster(
        ["services", "graph", "shared"], excluded_modules=["services.launcher", "shared.processes"]
    )
    watched = [call for name, call in blockbuster.functions.items() if name.startswith(("time.", "socket.", "ssl."))]
    for call in watched:
        call.activate()
    yield
    for call in watched:
        call.deactivate()


def pytest_report_header() -> str:
    """Print the seed, so that a failure can be repeated."""
    return f"KGQA_TEST_SEED={SEED}"


@pytest.fixture(scope="session")
def neo4j_database() -> Iterator[None]:
    """Provide the Neo4j server that tests with `needs_neo4j` connect to, or skip them."""
    with neo4j_server.running_database():
        yield


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def browser() -> AsyncIterator["Browser"]:
    """Launch one browser for a module; its tests run in that event loop, by `asyncio(loop_scope="module")`."""
    from tests.support.browser import launched

    async with launched() as started:
        yield started


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> LoadScopeScheduling:
    """Keep the tests that share something slow to start, or that is not to be shared by two, on one worker."""
    return _Scheduling(config, log)


class _Scheduling(LoadScopeScheduling):  # type: ignore[misc]
    """Give each worker whole modules, all modules that ask the running demo, or all that use one Neo4j server."""

    def _split_scope(self, nodeid: str) -> str:
        return _group(nodeid.partition("::")[0])

    def _assign_work_unit(self, node: WorkerController) -> None:
        """Give a Neo4j server's modules to the worker that connects to it, if other work is left for this one."""
        own = f"neo4j {neo4j_server.worker_number(node.gateway.id)}"
        for scope in self.workqueue:
            if scope == own or not scope.startswith("neo4j "):
                self.workqueue.move_to_end(scope, last=False)
                break
        super()._assign_work_unit(node)


@functools.cache
def _group(module: str) -> str:
    if module in _neo4j_modules():
        return f"neo4j {_neo4j_modules().index(module) % max(1, len(neo4j_server.URLS))}"
    return "demo" if module.startswith("tests/e2e/") and "running: Running" in _text(module) else module


@functools.cache
def _neo4j_modules() -> list[str]:
    modules = sorted(str(file.relative_to(ROOT)) for file in ROOT.glob("tests/**/test_*.py"))
    return [module for module in modules if "neo4j_server" in _text(module)]


def _text(module: str) -> str:
    return (ROOT / module).read_text(encoding="utf-8")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Start with the tests that share a server, which take longest; others that start programs come next."""
    items.sort(key=lambda item: _turn(item.nodeid.partition("::")[0]))


def _turn(module: str) -> int:
    if _group(module) != module:
        return 0
    return 2 if module.startswith("tests/unit/") else 1
