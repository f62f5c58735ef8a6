"""Test that the demo graph is installed once, and never over a user's own graph with the same name."""

import json
import shutil
from pathlib import Path

import pytest

from graph.sqlite.store import SqliteGraphStore
from ingestion import demo
from ingestion.demo import install_demo, needs_demo
from ingestion.importer import import_files
from shared.errors import NotFoundError
from shared.paths import graph_file, retriever_folder


@pytest.fixture(autouse=True)
def _empty_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KGQA_HOME", str(tmp_path / "home"))


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Replace the facts of the demo by one, because importing all takes seconds."""
    facts = tmp_path / "graph.tsv"
    facts.write_text("France\tcapital\tParis\n", encoding="utf-8")
    monkeypatch.setattr(demo, "_FACTS", facts)


async def relations() -> tuple[str, ...]:
    store = SqliteGraphStore(graph_file("world"))
    found = await store.relations()
    await store.close()
    return found


def _install_if_needed() -> None:
    if needs_demo():
        install_demo()


@pytest.mark.usefixtures("small")
async def test_puts_graph_and_retriever_in_place_once() -> None:
    _install_if_needed()
    assert await relations() == ("capital",)
    assert (retriever_folder("world") / "manifest.json").is_file()
    made = graph_file("world").stat().st_mtime_ns
    _install_if_needed()
    assert graph_file("world").stat().st_mtime_ns == made


@pytest.mark.usefixtures("small")
def test_a_plan_model_of_an_earlier_version_is_removed() -> None:
    plans = retriever_folder("world") / "plans"
    plans.mkdir(parents=True)
    _install_if_needed()
    assert not plans.exists()


async def test_the_packaged_retriever_was_trained_on_the_packaged_graph() -> None:
    _install_if_needed()
    manifest = json.loads((retriever_folder("world") / "manifest.json").read_text(encoding="utf-8"))
    store = SqliteGraphStore(graph_file("world"))
    assert await store.version() == manifest["graph_version"]
    await store.close()


@pytest.mark.usefixtures("small")
async def test_leaves_a_graph_of_the_users_own_alone(tmp_path: Path) -> None:
    own = tmp_path / "own.tsv"
    own.write_text("a\tknows\tb\n", encoding="utf-8")
    _install_if_needed()
    import_files([own], graph_file("world"))
    _install_if_needed()
    assert await relations() == ("knows",)


@pytest.mark.usefixtures("small")
async def test_an_interrupted_start_is_made_good_by_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as interrupted:
        interrupted.setattr(shutil, "copytree", lambda *_, **__: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            _install_if_needed()
    _install_if_needed()
    assert (retriever_folder("world") / "manifest.json").is_file()


def test_without_the_examples_it_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(demo, "_FACTS", tmp_path / "nowhere")
    with pytest.raises(NotFoundError, match="comes with a clone"):
        _install_if_needed()
