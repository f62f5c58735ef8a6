"""Graphs that are served together do not depend on each other."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from graph.sqlite.store import SqliteGraphStore
from ingestion.importer import import_files
from services.retriever.app import create_app
from services.retriever.serving import served_graphs
from services.retriever.serving.hot_reload import HotReload, fingerprint
from services.retriever.serving.served_graph import ServedGraph, load_graph, watched_files
from services.retriever.serving.served_graphs import ServedGraphs
from services.retriever.settings import RetrieverSettings
from shared.errors import DependencyError, InvalidInputError, UnknownGraphError
from shared.paths import graph_file
from tests.support.waiting import until

ROOT = Path(__file__).parents[5]


def _import(folder: Path, graph: str, *rows: str) -> None:
    source = folder / f"{graph}.tsv"
    source.write_text("\n".join(rows) + "\n", encoding="utf-8")
    graph_file(graph).parent.mkdir(parents=True, exist_ok=True)
    import_files([source], graph_file(graph))


@pytest.fixture
def reloads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, HotReload[ServedGraph]]]:
    monkeypatch.setenv("KGQA_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("KGQA_NEO4J_URL", raising=False)
    _import(tmp_path, "lands", "France\tcapital\tParis")
    _import(tmp_path, "films", "Alien\tdirected_by\tRidley Scott")

    def reload(settings: RetrieverSettings) -> HotReload[ServedGraph]:
        files = watched_files(settings)
        return HotReload(lambda: load_graph(settings), lambda: fingerprint(*files))

    yield {name: reload(one) for name, one in RetrieverSettings(graph="lands,films").of_each_graph().items()}


async def _close(reloads: dict[str, HotReload[ServedGraph]]) -> None:
    for reload in reloads.values():
        await reload.current.close()


async def test_a_retriever_of_another_graph_is_named_in_the_log(
    reloads: dict[str, HotReload[ServedGraph]], caplog: pytest.LogCaptureFixture
) -> None:
    demo = RetrieverSettings(graph="films", model=ROOT / "examples" / "world" / "retriever")
    served = load_graph(demo)

    await served.warn_if_relations_differ()

    [warning] = [
        record.message for record in caplog.records if record.name == "services.retriever.serving.served_graph"
    ]
    assert "trained on another graph, as it knows none of the relations of films" in warning
    assert "KGQA_RETRIEVER_MODEL" in warning
    await served.close()
    await _close(reloads)


def test_each_graph_is_asked_whether_it_is_ready_before_anybody_asks_a_question(
    reloads: dict[str, HotReload[ServedGraph]], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[SqliteGraphStore] = []

    async def ready(store: SqliteGraphStore) -> bool:
        asked.append(store)
        raise DependencyError("the index of names is being built")

    monkeypatch.setattr(SqliteGraphStore, "ready", ready)
    with TestClient(create_app(RetrieverSettings(graph=",".join(reloads)))):
        assert len(asked) == len(reloads)
    asyncio.run(_close(reloads))


async def test_the_first_graph_is_the_default_and_others_are_named(
    reloads: dict[str, HotReload[ServedGraph]],
) -> None:
    graphs = ServedGraphs(reloads)
    for asked, expected in ((None, "lands"), ("lands", "lands"), ("films", "films")):
        with graphs.use(asked) as served:
            assert served.graph == expected
    with pytest.raises(UnknownGraphError, match="no graph 'books'"), graphs.use("books"):
        pass
    await _close(reloads)


async def test_a_changed_graph_is_replaced_alone(reloads: dict[str, HotReload[ServedGraph]], tmp_path: Path) -> None:
    graphs = ServedGraphs(reloads)
    before = graphs.current()
    _import(tmp_path, "films", "Alien\tdirected_by\tRidley Scott", "Heat\tdirected_by\tMichael Mann")

    async def is_replaced() -> bool:
        for reload in reloads.values():
            await reload.check()
        return reloads["films"].reloads == 1

    await until(is_replaced)
    assert [reload.reloads for reload in reloads.values()] == [0, 1]
    assert graphs.current()[0] is before[0]
    await _close(reloads)


async def test_a_damaged_graph_is_reported_and_the_others_are_served(
    reloads: dict[str, HotReload[ServedGraph]],
) -> None:
    graphs = ServedGraphs(reloads)
    graph_file("films").unlink()
    for _ in range(3):
        await reloads["films"].check()
    with pytest.raises(DependencyError, match=r"^films: .*graph films does not exist"):
        await graphs.up_to_date()
    assert await graphs.responds()
    await _close(reloads)


async def test_a_graph_that_is_being_read_does_not_keep_others_from_being_asked(
    reloads: dict[str, HotReload[ServedGraph]], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def is_ready() -> bool:
        return True

    async def is_being_read() -> bool:
        raise DependencyError("it is being read", "it is being read")

    def set_states(lands: Callable[[], Awaitable[bool]], films: Callable[[], Awaitable[bool]]) -> None:
        for name, state in (("lands", lands), ("films", films)):
            monkeypatch.setattr(reloads[name].current.retriever, "ready", state)

    graphs = ServedGraphs(reloads)
    set_states(is_being_read, is_being_read)
    with pytest.raises(DependencyError, match=r"^lands: it is being read; films: it is being read$"):
        await graphs.ready()
    set_states(is_being_read, is_ready)
    assert await graphs.ready()
    with pytest.raises(DependencyError, match=r"^lands: it is being read$"):
        await graphs.all_ready()
    set_states(is_ready, is_ready)
    assert await graphs.all_ready()
    assert await graphs.models_are_current()
    await _close(reloads)


def test_a_graph_may_be_named_once() -> None:
    with pytest.raises(InvalidInputError, match="names a graph twice"):
        RetrieverSettings(graph="a,b,a").of_each_graph()
    several = RetrieverSettings(graph=" a , b", model=Path("/models/a")).of_each_graph()
    assert {name: (one.graph, one.model) for name, one in several.items()} == {
        "a": ("a", Path("/models/a")),
        "b": ("b", None),
    }


async def test_a_graph_that_does_not_respond_is_named(
    reloads: dict[str, HotReload[ServedGraph]], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def hang() -> bool:
        await asyncio.Event().wait()
        return True

    async def is_down() -> bool:
        raise DependencyError("bolt://10.0.0.1 is down", "the database does not respond")

    monkeypatch.setattr(served_graphs, "_PATIENCE_S", 0.0)
    graphs = ServedGraphs({"films": reloads["films"]})
    for check, reason in ((hang, "the graph does not respond in time"), (is_down, "the database does not respond")):
        monkeypatch.setattr(reloads["films"].current.retriever, "ready", check)
        with pytest.raises(DependencyError) as raised:
            await graphs.ready()
        assert raised.value.public_detail == f"films: {reason}"
    await _close(reloads)
