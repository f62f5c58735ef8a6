"""Configure all tests."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from blockbuster import BlockBuster
from hypothesis import settings

from tests.support.seeds import SEED

pytest.register_assert_rewrite("tests.graph_contract", "tests.unit.services.rewriter.cache.contract")

# The duration of an example shows how busy the machine is, not whether the code is correct.
settings.register_profile("kgqa", deadline=None)
settings.load_profile("kgqa")


@pytest.fixture(scope="session", autouse=True)
def fail_if_a_service_blocks_its_event_loop() -> Iterator[None]:
    """Raise an error where a coroutine of a service sleeps or uses a socket without awaiting.

    Short reads of files and of the graph file are allowed; services move long ones to threads.
    """
    # Commands and tests start services from a thread of their own, whose loop runs nothing else.
    blockbuster = BlockBuster(["services", "shared"], excluded_modules=["services.launcher"])
    watched = [call for name, call in blockbuster.functions.items() if name.startswith(("time.", "socket.", "ssl."))]
    for call in watched:
        call.activate()
    yield
    for call in watched:
        call.deactivate()


def pytest_report_header() -> str:
    """Print the seed, so that a failure can be repeated."""
    return f"KGQA_TEST_SEED={SEED}"


@pytest.hookimpl(tryfirst=True)  # before xdist reads the groups
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Keep the tests of a module on one worker, and all tests that use the Neo4j server on the same one.

    The group that shares the server is the longest, so it starts first; the modules that start programs come next.
    """
    for item in items:
        item.add_marker(pytest.mark.xdist_group(_group(item)))
    items.sort(key=_turn)


def _group(item: pytest.Item) -> str:
    return "neo4j" if _uses_neo4j(item) else str(item.path)


def _uses_neo4j(item: pytest.Item) -> bool:
    module = item.getparent(pytest.Module)
    return module is not None and (hasattr(module.obj, "needs_neo4j") or hasattr(module.obj, "neo4j_server"))


def _turn(item: pytest.Item) -> int:
    if _uses_neo4j(item):
        return 0
    return 2 if "unit" in Path(item.path).parts else 1
