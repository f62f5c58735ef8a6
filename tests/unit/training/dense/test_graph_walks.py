"""Walks follow relation paths, and negatives take other steps than the walk."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingestion.importer import import_files
from training.dense.graph_walks import WalkedGraph

_FACTS = (
    ("Ardenia", "capital", "Veltmar"),
    ("Ardenia", "currency", "Crown"),
    ("Borland", "borders", "Ardenia"),
    ("Borland", "capital", "Bor"),
    ("Corland", "borders", "Borland"),
    ("Veltmar", "mayor", "Ada Quist"),
    ("Veltmar", "river", "Quill"),
)


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> WalkedGraph:
    folder = tmp_path_factory.mktemp("graph")
    (folder / "facts.tsv").write_text("".join("\t".join(fact) + "\n" for fact in _FACTS), encoding="utf-8")
    import_files([folder / "facts.tsv"], Path(folder / "mine.sqlite"))
    return WalkedGraph(folder / "mine.sqlite")


def sentences(graph: WalkedGraph, rows: list[int]) -> list[str]:
    return sorted(graph.triples.sentence(row) for row in rows)


def test_a_walk_follows_the_steps_of_a_path(graph: WalkedGraph) -> None:
    walk = graph.walk(graph.entities["Borland"], graph.steps(("borders", "capital", "mayor")), np.random.default_rng(1))

    assert walk is not None
    assert [graph.triples.sentence(row) for row in walk.rows] == [
        "Borland borders Ardenia.",
        "The capital of Ardenia is Veltmar.",
        "The mayor of Veltmar is Ada Quist.",
    ]
    assert walk.end == graph.entities["Ada Quist"]


def test_a_path_that_leads_nowhere_has_no_walk(graph: WalkedGraph) -> None:
    assert graph.walk(graph.entities["Ardenia"], graph.steps(("mayor",)), np.random.default_rng(1)) is None


@given(seed=st.integers(0, 99))
def test_negatives_compete_with_the_right_triple(graph: WalkedGraph, seed: int) -> None:
    random = np.random.default_rng(seed)
    walk = graph.walk(graph.entities["Ardenia"], graph.steps(("capital", "mayor")), random)
    assert walk is not None

    first, second, end = (graph.negatives(walk, hop, 4, random) for hop in range(3))

    assert sentences(graph, first) == ["Borland borders Ardenia.", "The currency of Ardenia is Crown."]
    assert sentences(graph, second) == ["The capital of Ardenia is Veltmar.", "The river of Veltmar is Quill."]
    assert sentences(graph, end) == ["The mayor of Veltmar is Ada Quist."]


def test_no_more_negatives_are_sampled_than_asked_for(graph: WalkedGraph) -> None:
    random = np.random.default_rng(1)
    walk = graph.walk(graph.entities["Ardenia"], graph.steps(("capital",)), random)
    assert walk is not None

    assert len(graph.negatives(walk, 0, 1, random)) == 1


def test_a_triple_with_the_relation_of_the_right_one_is_no_negative(graph: WalkedGraph) -> None:
    random = np.random.default_rng(1)
    walk = graph.walk(graph.entities["Ardenia"], graph.steps(("^borders", "^borders")), random)
    assert walk is not None

    assert sentences(graph, graph.negatives(walk, 1, 4, random)) == ["The capital of Borland is Bor."]
