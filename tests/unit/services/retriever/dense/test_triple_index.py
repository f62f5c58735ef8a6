"""An index is searched by similarity, and is used only for its own graph and encoder."""

from pathlib import Path

import pytest

from ingestion.importer import import_files
from services.retriever.dense import triple_index
from services.retriever.dense.triple_index import open_index, open_index_if_any
from shared.errors import DependencyError, InvalidInputError, NotFoundError
from shared.paths import graph_file, index_file
from training.dense.triple_index import index_graph


@pytest.fixture(autouse=True)
def _graph(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("KGQA_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("KGQA_NEO4J_URL", raising=False)
    import_facts(tmp_path, "Ardenia\tcapital\tVeltmar\nArdenia\tcurrency\tCrown\n")


def import_facts(folder: Path, facts: str) -> None:
    (folder / "facts.tsv").write_text(facts, encoding="utf-8")
    graph_file("mine").parent.mkdir(parents=True, exist_ok=True)
    import_files([folder / "facts.tsv"], graph_file("mine"))


def index() -> bool:
    return index_graph("mine", lambda done, total: None)


@pytest.mark.parametrize(
    ("queries", "expected"), [(["currency"], ["Crown", "Veltmar"]), (["capital", "capital city"], ["Veltmar", "Crown"])]
)
def test_the_most_similar_triple_comes_first(queries: list[str], expected: list[str]) -> None:
    index()
    opened = open_index("mine")
    try:
        found = opened.search(queries, 5).triples
    finally:
        opened.close()

    assert [one.object.name for one in found] == expected
    assert found[0].subject.name == "Ardenia"
    assert 1.01 > found[0].similarity > found[1].similarity


def test_a_graph_that_cannot_be_read_is_a_failure_of_the_store() -> None:
    index()
    opened = open_index("mine")
    opened.close()

    with pytest.raises(DependencyError, match="cannot be read"):
        opened.search(["currency"], 5)


def test_a_graph_without_an_index_names_the_command() -> None:
    with pytest.raises(NotFoundError, match="build one with: kgqa index --graph mine"):
        open_index("mine")


def test_an_index_that_is_older_than_the_graph_is_not_used(tmp_path: Path) -> None:
    index()
    import_facts(tmp_path, "Ardenia\tcapital\tNorth Veltmar\n")

    with pytest.raises(InvalidInputError, match="another version of the graph; build it again with: kgqa index"):
        open_index("mine")
    assert index()
    open_index("mine").close()


def test_an_index_of_another_encoder_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    index()
    monkeypatch.setattr(triple_index, "encoder_fingerprint", lambda folder: "other")

    with pytest.raises(InvalidInputError, match="another encoder"):
        open_index("mine")


def test_a_damaged_index_is_a_reason() -> None:
    index_file(graph_file("mine")).write_text("not an index", encoding="utf-8")

    reason = open_index_if_any("mine")

    assert isinstance(reason, str) and reason.endswith("build it again with: kgqa index --graph mine")


def test_the_index_of_a_graph_file_is_not_that_of_a_database(monkeypatch: pytest.MonkeyPatch) -> None:
    index()
    monkeypatch.setenv("KGQA_NEO4J_URL", "bolt://127.0.0.1:1")

    assert open_index_if_any("mine") == "it needs an index of the triples; build one with: kgqa index --graph mine"
