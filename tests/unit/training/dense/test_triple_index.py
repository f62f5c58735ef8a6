"""The triples of each entity are listed, and an index replaces the old one only when it is complete."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from ingestion.importer import import_files
from services.retriever.dense.index_file import read_index
from services.retriever.encoder.encoder import Vectors
from shared.errors import NotFoundError
from shared.paths import graph_file, index_file
from tests.fakes.encoder import HashingEncoder
from training.dense.triple_index import GraphTriples, index_graph

_FACTS = (
    ("Ardenia", "capital", "Veltmar"),
    ("Ardenia", "borders", "Borland"),
    ("Ardenia", "borders", "Corland"),
    ("Ardenia", "currency", "Crown"),
    ("Ardenia", "anthem", "Hail"),
    ("Borland", "capital", "Bor"),
)


@pytest.fixture(autouse=True)
def _graph(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("KGQA_HOME", str(tmp_path / "home"))
    graph_file("mine").parent.mkdir(parents=True)
    (tmp_path / "facts.tsv").write_text("".join("\t".join(fact) + "\n" for fact in _FACTS), encoding="utf-8")
    import_files([tmp_path / "facts.tsv"], graph_file("mine"))


def test_the_index_lists_the_triples_of_each_entity() -> None:
    index_graph("mine", lambda done, total: None, HashingEncoder())
    triples = GraphTriples(graph_file("mine"))

    _, (ids, starts, around, _) = read_index(index_file(graph_file("mine")))

    [capital_of_borland] = [row for row in range(len(ids)) if triples.sentence(row) == "The capital of Borland is Bor."]
    borland = ids[capital_of_borland, 0]
    assert [triples.sentence(row) for row in around[starts[borland] : starts[borland + 1]].tolist()] == [
        "Ardenia borders Borland.",
        "The capital of Borland is Bor.",
    ]


def test_every_triple_is_indexed_and_progress_ends_at_all() -> None:
    seen: list[tuple[int, int]] = []

    assert index_graph("mine", lambda done, total: seen.append((done, total)), HashingEncoder())

    header, (ids, _, _, vectors) = read_index(index_file(graph_file("mine")))
    assert header.triples == len(ids) == len(vectors) == len(_FACTS)
    assert seen[-1] == (len(_FACTS), len(_FACTS))
    assert np.allclose(np.linalg.norm(np.asarray(vectors, dtype=np.float32), axis=1), 1, atol=1e-2)


def test_a_current_index_is_not_built_again() -> None:
    index_graph("mine", lambda done, total: None, HashingEncoder())
    encoder = HashingEncoder()

    assert not index_graph("mine", lambda done, total: None, encoder)
    assert encoder.calls == []


@pytest.mark.parametrize("part", range(4))
def test_a_damaged_index_is_built_again(part: int) -> None:
    index_graph("mine", lambda done, total: None, HashingEncoder())
    built = index_file(graph_file("mine")).read_bytes()
    header, _ = read_index(index_file(graph_file("mine")))
    with index_file(graph_file("mine")).open("r+b") as file:
        file.seek(header.places[part] + 4)
        file.write(b"\xff\xff\xff\x7f")

    assert index_graph("mine", lambda done, total: None, HashingEncoder())
    assert index_file(graph_file("mine")).read_bytes() == built


def test_an_interrupted_build_leaves_the_old_index() -> None:
    index_file(graph_file("mine")).write_text("old", encoding="utf-8")

    class Interrupted(HashingEncoder):
        def encode(self, texts: Sequence[str]) -> list[Vectors]:
            if len(texts) > 1:
                raise KeyboardInterrupt
            return super().encode(texts)

    with pytest.raises(KeyboardInterrupt):
        index_graph("mine", lambda done, total: None, Interrupted())

    assert index_file(graph_file("mine")).read_text(encoding="utf-8") == "old"
    assert [file.name for file in index_file(graph_file("mine")).parent.iterdir() if file.suffix == ".partial"] == []


def test_an_unknown_graph_is_an_error() -> None:
    with pytest.raises(NotFoundError, match="graph other does not exist"):
        index_graph("other", lambda done, total: None, HashingEncoder())
