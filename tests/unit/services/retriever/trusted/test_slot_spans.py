"""The places of a question that may fill the slots of trusted questions."""

from pathlib import Path

import pytest

from contracts.trusted_questions import TEXT
from graph.sqlite.store import SqliteGraphStore
from language.english.english import english
from services.retriever.trusted.slot_spans import slot_spans
from tests.support.property_graphs import write_graph_file
from tests.support.reference_evaluator import Node, PropertyGraph


@pytest.fixture
def store(tmp_path: Path) -> SqliteGraphStore:
    names = ("the US", "US Dollar", "Dollar", "Euro")
    nodes = tuple(Node(number, frozenset({"Thing"}), {"name": name}) for number, name in enumerate(names))
    write_graph_file(PropertyGraph(nodes, ()), tmp_path / "graph.sqlite")
    return SqliteGraphStore(tmp_path / "graph.sqlite", 5.0)


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("who uses the US Dollar", ["US Dollar"]),
        ("who in the US uses the Euro", ["the US", "Euro"]),
    ],
)
async def test_a_name_that_overlaps_a_longer_one_does_not_count(
    store: SqliteGraphStore, question: str, names: list[str]
) -> None:
    spans = await slot_spans(store, english(question))
    assert [question[start:end] for start, end in spans.names] == names


@pytest.mark.parametrize(
    ("question", "texts"),
    [
        ("which airport is KEF", ["KEF"]),
        ("rooms A-113 and b2b", ["A-113"]),
        ("the airport 'LIS' of IATA", ["'LIS'"]),
        ("what do I need", []),
    ],
)
async def test_a_code_needs_no_quotes(store: SqliteGraphStore, question: str, texts: list[str]) -> None:
    spans = await slot_spans(store, english(question))
    assert [question[start:end] for start, end in spans.values[TEXT]] == texts
