"""A plan cannot use more memory than a server can spare."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from graph.plan.algebra import (
    Aggregate,
    AggregateFunction,
    Column,
    Group,
    ListOf,
    Match,
    NodePattern,
    Plan,
    Project,
    Property,
    Slice,
    Step,
    Variable,
)
from graph.sqlite.store import SqliteGraphStore
from shared.errors import PlanLimitError
from tests.support.property_graphs import write_graph_file
from tests.support.reference_evaluator import Node, PropertyGraph

_LONG = "x" * 1_000_000
_TEXT = Property("a", "body")
_TEXTS = (Match((NodePattern("a"),)), Project((Column("t", _TEXT),)))
_COLLECTED = Group((), (Aggregate("t", AggregateFunction.COLLECT, Variable("t")),))


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("graph") / "long.sqlite"
    nodes = tuple(Node(place, frozenset({"Text"}), {"body": f"{place:02}{_LONG}"}) for place in range(60))
    write_graph_file(PropertyGraph(nodes, ()), file)
    return file


@pytest.fixture
async def store(file: Path) -> AsyncIterator[SqliteGraphStore]:
    opened = SqliteGraphStore(file, 20)
    yield opened
    await opened.close()


@pytest.mark.parametrize(
    "steps",
    [
        _TEXTS,
        (*_TEXTS, _COLLECTED),
        (*_TEXTS, Slice(8), _COLLECTED, Project((Column("t", ListOf((Variable("t"),) * 2)),))),
    ],
)
async def test_too_large_a_result_is_refused(store: SqliteGraphStore, steps: tuple[Step, ...]) -> None:
    with pytest.raises(PlanLimitError, match="too large"):
        await store.run(Plan(steps))


async def test_long_texts_are_returned(store: SqliteGraphStore) -> None:
    (row,) = (await store.run(Plan((*_TEXTS, Slice(8), _COLLECTED)))).rows

    assert [len(text) for text in row[0]] == [len(_LONG) + 2] * 8
