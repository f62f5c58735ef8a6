import pytest

from graph.opening import default_graph, is_file_graph


@pytest.mark.parametrize(("url", "is_file"), [("", True), ("bolt://127.0.0.1:7687", False)])
def test_an_empty_url_is_none(monkeypatch: pytest.MonkeyPatch, url: str, is_file: bool) -> None:
    monkeypatch.setenv("KGQA_NEO4J_URL", url)

    assert is_file_graph() is is_file


@pytest.mark.parametrize(
    ("url", "database", "graph"),
    [
        ("", "neo4j", "world"),
        ("bolt://127.0.0.1:7687", "neo4j", "neo4j"),
        ("bolt://127.0.0.1:7687", "movies", "movies"),
        ("bolt://127.0.0.1:7687", "films=movies,people=hr", "films"),
    ],
)
def test_a_database_gives_the_default_graph_its_name(
    monkeypatch: pytest.MonkeyPatch, url: str, database: str, graph: str
) -> None:
    monkeypatch.setenv("KGQA_NEO4J_URL", url)
    monkeypatch.setenv("KGQA_NEO4J_DATABASE", database)

    assert default_graph() == graph
