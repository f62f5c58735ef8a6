"""Changed files replace what is served, for new requests and as a whole."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, field, replace
from pathlib import Path

import httpx
import pytest

from graph.sqlite.connection import summarise_file
from graph.store import WalkRule
from ingestion.importer import import_files
from services.retriever.app import create_app
from services.retriever.paths.model_folder import MANIFEST_FILE, Manifest
from services.retriever.serving import hot_reload
from services.retriever.serving.hot_reload import HotReload, fingerprint
from services.retriever.serving.served_graph import load_graph
from services.retriever.settings import RetrieverSettings
from shared.errors import DependencyError, InvalidInputError
from shared.paths import graph_file, retriever_folder
from tests.fakes.serving import serving
from tests.support.waiting import until


@dataclass
class FakeVersion:
    content: str
    is_ready: bool = True
    closed: int = 0

    async def ready(self) -> bool:
        if not self.is_ready:
            raise DependencyError("the graph is being read")
        return True

    async def close(self) -> None:
        self.closed += 1


@dataclass
class Files:
    """Load versions of one file; `during_load` runs after each load, before it is used."""

    file: Path
    is_ready: bool = True
    loaded: list[FakeVersion] = field(default_factory=list)
    second_write: str = ""

    def write(self, content: str) -> None:
        fresh = self.file.with_suffix(".new")
        fresh.write_text(content, encoding="utf-8")
        fresh.replace(self.file)

    def load(self) -> FakeVersion:
        content = self.file.read_text(encoding="utf-8")
        if content == "damaged":
            raise InvalidInputError("the file is damaged")
        self.loaded.append(FakeVersion(content, self.is_ready))
        if self.second_write:
            self.write(self.second_write)
            self.second_write = ""
        return self.loaded[-1]


@pytest.fixture
def files(tmp_path: Path) -> Files:
    found = Files(tmp_path / "graph")
    found.write("one")
    return found


@pytest.fixture
def reload(files: Files) -> HotReload[FakeVersion]:
    return HotReload(files.load, lambda: fingerprint(files.file))


async def _settle() -> None:
    """Let tasks that are ready run."""
    for _ in range(5):
        await asyncio.sleep(0)


async def test_nothing_is_loaded_again_while_nothing_changes(files: Files, reload: HotReload[FakeVersion]) -> None:
    for _ in range(3):
        await reload.check()
    assert (reload.reloads, len(files.loaded)) == (0, 1)


async def test_a_change_is_loaded_once_it_has_settled(files: Files, reload: HotReload[FakeVersion]) -> None:
    files.write("two")
    await reload.check()
    assert (reload.current.content, len(files.loaded)) == ("one", 1)
    await reload.check()
    await reload.check()
    assert (reload.current.content, reload.reloads, len(files.loaded)) == ("two", 1, 2)


async def test_requests_in_flight_end_on_the_version_they_began_with(
    files: Files, reload: HotReload[FakeVersion]
) -> None:
    first = reload.current
    with reload.use() as one, reload.use():
        files.write("two")
        await reload.check()
        await reload.check()
        with reload.use() as new:
            assert (one.content, new.content) == ("one", "two")
        await _settle()
        assert first.closed == 0
    await _settle()
    assert (first.closed, reload.current.closed) == (1, 0)


async def test_the_old_version_serves_while_the_new_one_is_read(files: Files, reload: HotReload[FakeVersion]) -> None:
    files.is_ready = False
    files.write("two")
    for _ in range(4):
        await reload.check()
    assert (reload.current.content, len(files.loaded)) == ("one", 2)
    files.loaded[1].is_ready = True
    await reload.check()
    assert reload.current.content == "two"


async def test_a_version_that_is_overtaken_while_it_is_read_is_never_served(
    files: Files, reload: HotReload[FakeVersion]
) -> None:
    files.is_ready = False
    files.write("two")
    await reload.check()
    await reload.check()
    files.is_ready = True
    files.write("three")
    await reload.check()
    await reload.check()
    await _settle()
    assert (reload.current.content, reload.reloads) == ("three", 1)
    assert [version.closed for version in files.loaded] == [1, 1, 0]


async def test_a_change_during_loading_is_not_served(files: Files, reload: HotReload[FakeVersion]) -> None:
    files.write("two")
    files.second_write = "three"
    await reload.check()
    await reload.check()
    assert reload.current.content == "one"
    await reload.check()
    await reload.check()
    assert (reload.current.content, reload.reloads) == ("three", 1)


async def test_damaged_files_are_reported_once_and_the_old_version_serves(
    files: Files, reload: HotReload[FakeVersion], caplog: pytest.LogCaptureFixture
) -> None:
    assert await reload.up_to_date()
    files.write("damaged")
    for _ in range(4):
        await reload.check()
    assert reload.current.content == "one"
    with pytest.raises(DependencyError, match="cannot be loaded: the file is damaged"):
        await reload.up_to_date()
    assert len(caplog.records) == 1
    files.write("two")
    await reload.check()
    await reload.check()
    assert await reload.up_to_date()
    assert reload.current.content == "two"


def _import_graph(folder: Path, capital: str) -> str:
    source = folder / "facts.tsv"
    source.write_text(f"France\tcapital\t{capital}\n", encoding="utf-8")
    graph_file("mine").parent.mkdir(parents=True, exist_ok=True)
    import_files([source], graph_file("mine"))
    return summarise_file(graph_file("mine")).version


@pytest.fixture
async def client(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> AsyncIterator[httpx.AsyncClient]:
    monkeypatch.setenv("KGQA_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("KGQA_NEO4J_URL", raising=False)
    monkeypatch.setattr(hot_reload, "WATCH_INTERVAL_S", 0.01)
    _import_graph(tmp_path, "Paris")
    async with (
        serving(create_app(RetrieverSettings(graph="mine"))) as url,
        httpx.AsyncClient(base_url=url, trust_env=False, timeout=None) as client,
    ):
        yield client


_NAMES = {"steps": [{"op": "match", "nodes": [{"variable": "n"}]}, {"op": "project", "columns": [
    {"name": "name", "value": {"op": "property", "variable": "n", "key": "name"}}]}]}  # fmt: skip


async def _names(client: httpx.AsyncClient) -> tuple[str, set[str]]:
    reply = (await client.post("/plan", json={"plan": _NAMES})).raise_for_status().json()
    return reply["graph_version"], {row[0] for row in reply["rows"]}


async def test_the_retriever_serves_an_imported_graph_without_a_restart(
    client: httpx.AsyncClient, tmp_path: Path
) -> None:
    version, names = await _names(client)
    assert names == {"France", "Paris"}
    new_version = _import_graph(tmp_path, "Lyon")
    assert new_version != version

    async def has_changed() -> bool:
        found = await _names(client)
        assert found in [(version, {"France", "Paris"}), (new_version, {"France", "Lyon"})]
        return found[0] == new_version

    await until(has_changed)


async def test_a_graph_that_is_removed_is_served_on_and_reported(client: httpx.AsyncClient) -> None:
    graph_file("mine").unlink()

    async def is_reported() -> bool:
        report = (await client.get("/readyz")).json()
        return not report["checks"].get("reload", True) and "does not exist" in report["reasons"]["reload"]

    await until(is_reported)
    assert (await _names(client))[1] == {"France", "Paris"}


async def test_a_damaged_model_is_reported_and_the_old_one_serves(client: httpx.AsyncClient) -> None:
    retriever_folder("mine").mkdir(parents=True)
    (retriever_folder("mine") / MANIFEST_FILE).write_text("{}", encoding="utf-8")

    async def is_reported() -> bool:
        report = (await client.get("/readyz")).json()
        return not report["checks"].get("reload", True) and MANIFEST_FILE in report["reasons"]["reload"]

    await until(is_reported)
    assert (await _names(client))[1] == {"France", "Paris"}


async def test_a_model_older_than_the_graph_is_reported(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("KGQA_HOME", str(tmp_path / "home"))
    version = _import_graph(tmp_path, "Paris")
    rule, steps = WalkRule(), ("capital",)
    paths = Manifest(graph="mine", graph_version=version, data={}, seed=0, walk_rule=rule, steps=steps, max_hops=1)
    served = replace(load_graph(RetrieverSettings(graph="mine")), paths=paths)
    assert await served.model_is_current()
    older = replace(served, paths=paths.model_copy(update={"graph_version": "0"}))
    with pytest.raises(DependencyError, match="was trained on a different version of this graph; retrain"):
        await older.model_is_current()
    await served.close()
