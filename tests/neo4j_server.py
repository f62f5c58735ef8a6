"""Connect tests to a real Neo4j server, using `KGQA_TEST_NEO4J_URL` and `KGQA_TEST_NEO4J_PASSWORD`.

With several URLs, separated by commas, as many workers of pytest-xdist test at once, each with a server of its own.

The tests replace what earlier tests put into the database. They fail if it holds any other nodes, and never change
those nodes.
"""

import os

import neo4j
import pytest
from pydantic import SecretStr

from graph.neo4j.cypher_text import quote
from graph.neo4j.settings import Neo4jSettings

URLS = os.environ.get("KGQA_TEST_NEO4J_URL", "").replace(",", " ").split()


def worker_number(name: str) -> int:
    """Return 1 for `gw1`, which connects to the second server."""
    return int(name.removeprefix("gw"))


URL = URLS[worker_number(os.environ.get("PYTEST_XDIST_WORKER", "gw0")) % len(URLS)] if URLS else None
PASSWORD = os.environ.get("KGQA_TEST_NEO4J_PASSWORD", "")

needs_neo4j = pytest.mark.skipif(
    URL is None, reason="needs a Neo4j: set KGQA_TEST_NEO4J_URL and KGQA_TEST_NEO4J_PASSWORD to an empty database"
)


def settings(**changes: object) -> Neo4jSettings:
    """Return the settings of the database, with `changes`."""
    return Neo4jSettings(url=URL, password=SecretStr(PASSWORD), seconds_allowed=120).model_copy(update=changes)


def ask(text: str, **parameters: object) -> list[neo4j.Record]:
    """Run a query, and return its records."""
    with neo4j.GraphDatabase.driver(URL or "", auth=("neo4j", PASSWORD)) as driver:
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
