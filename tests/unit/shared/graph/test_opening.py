import pytest

from shared.graph.opening import is_file_graph


@pytest.mark.parametrize(("url", "is_file"), [("", True), ("bolt://127.0.0.1:7687", False)])
def test_an_empty_url_is_none(monkeypatch: pytest.MonkeyPatch, url: str, is_file: bool) -> None:
    monkeypatch.setenv("KGQA_NEO4J_URL", url)

    assert is_file_graph() is is_file
