"""Connect tests to a real Neo4j server: that of `KGQA_TEST_NEO4J_URL`, or one in a container.

`KGQA_TEST_NEO4J_URL` and `KGQA_TEST_NEO4J_PASSWORD` name an empty database. With several URLs, separated by commas, as
many workers of pytest-xdist test at once, each with a server of its own. Without a URL, the fixture `neo4j_database`
starts a server in a container where podman or docker is there.

The tests replace what earlier tests put into the database. They fail if it holds any other nodes, and never change
those nodes.
"""

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager

import neo4j
import pytest
from pydantic import SecretStr

from graph.neo4j.cypher_text import quote
from graph.neo4j.settings import Neo4jSettings
from shared.processes import free_port
from tests.support.containers import ContainerFailedError, find_engine, neo4j_container
from tests.support.waiting import wait_until

URLS = os.environ.get("KGQA_TEST_NEO4J_URL", "").replace(",", " ").split()
_HOW = "set KGQA_TEST_NEO4J_URL and KGQA_TEST_NEO4J_PASSWORD to an empty database"
_STARTS_AFTER_S = 240.0


def worker_number(name: str) -> int:
    """Return 1 for `gw1`, which connects to the second server."""
    return int(name.removeprefix("gw"))


_CONTAINER_PORT = None if URLS else free_port()
"""The port of a container that starts when the first test needs it."""
URL = (
    URLS[worker_number(os.environ.get("PYTEST_XDIST_WORKER", "gw0")) % len(URLS)]
    if URLS
    else f"bolt://127.0.0.1:{_CONTAINER_PORT}"
)
PASSWORD = os.environ.get("KGQA_TEST_NEO4J_PASSWORD", "") if URLS else f"test-{secrets.token_hex(8)}"

needs_neo4j = pytest.mark.usefixtures("neo4j_database")


@contextmanager
def running_database() -> Iterator[None]:
    """Provide the server behind URL until the exit, or skip the test, with how to provide one."""
    if _CONTAINER_PORT is None:
        yield
        return
    engine = find_engine()
    if engine is None:
        pytest.skip(f"needs a Neo4j: install docker or podman, or {_HOW}")
    try:
        with neo4j_container(engine, _CONTAINER_PORT, PASSWORD):
            wait_until(_answers, "Neo4j never answered in its container", pause_s=0.5, seconds=_STARTS_AFTER_S)
            yield
    except ContainerFailedError as error:
        pytest.skip(f"needs a Neo4j: {engine} cannot start one ({error}); {_HOW}")


def _answers() -> bool:
    try:
        ask("RETURN 1")
    except (neo4j.exceptions.DriverError, neo4j.exceptions.Neo4jError):
        return False
    return True


def settings(**changes: object) -> Neo4jSettings:
    """Return the settings of the database, with `changes`."""
    return Neo4jSettings(url=URL, password=SecretStr(PASSWORD), seconds_allowed=120).model_copy(update=changes)


def ask(text: str, **parameters: object) -> list[neo4j.Record]:
    """Run a query, and return its records."""
    with neo4j.GraphDatabase.driver(URL, auth=("neo4j", PASSWORD)) as driver:
        return driver.execute_query(neo4j.Query(text), parameters).records


def require_empty() -> None:
    """Remove what imports of earlier tests left; raise AssertionError if the database holds other nodes."""
    clear()
    [record] = ask("MATCH (n) RETURN count(n) AS others")
    assert record["others"] == 0, "the database has nodes of others; use an empty one"


def clear() -> None:
    """Remove the nodes that imports of earlier tests left, and the indexes, by which names would be looked up."""
    ask("MATCH (n) WHERE n:KgqaEntity OR n:KgqaImport DETACH DELETE n")
    for record in ask("SHOW FULLTEXT INDEXES YIELD name"):
        ask(f"DROP INDEX {quote(record['name'])} IF EXISTS")
