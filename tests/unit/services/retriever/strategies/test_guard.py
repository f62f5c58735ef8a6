"""The guard lets only queries through that read, fit the schema, and are small."""

from pathlib import Path

import pytest

from graph.sqlite.store import SqliteGraphStore
from services.retriever.strategies.guard import checked_plan, read_query
from shared.errors import InvalidInputError
from tests.support.guard_queries import HARMLESS, HOSTILE
from tests.support.property_graphs import film_graph, write_graph_file


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> SqliteGraphStore:
    file = Path(tmp_path_factory.mktemp("graph")) / "films.sqlite"
    write_graph_file(film_graph(), file)
    return SqliteGraphStore(file)


def test_there_are_enough_queries() -> None:
    assert len(HOSTILE) + len(HARMLESS) >= 300
    assert not set(HOSTILE) & set(HARMLESS)


@pytest.mark.parametrize("query", HOSTILE)
async def test_a_hostile_or_broken_query_is_refused_with_a_reason(store: SqliteGraphStore, query: str) -> None:
    with pytest.raises(InvalidInputError) as refused:
        checked_plan(read_query(query), await store.schema())

    assert refused.value.detail


@pytest.mark.parametrize("query", HARMLESS)
async def test_a_harmless_query_runs(store: SqliteGraphStore, query: str) -> None:
    result = await store.run(checked_plan(read_query(query), await store.schema()), 1000)

    assert result.columns
