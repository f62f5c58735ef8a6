"""`kgqa index` writes an index, which a running retriever picks up."""

from pathlib import Path

import httpx
import pytest

from services.retriever.app import create_app
from services.retriever.serving import hot_reload
from services.retriever.settings import RetrieverSettings
from shared.paths import graph_file, index_file
from tests.fakes.serving import serving
from tests.support.waiting import until
from tests.unit.kgqa.test_cli import run


@pytest.fixture(autouse=True)
def _graph(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("KGQA_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.delenv("KGQA_NEO4J_URL", raising=False)
    (tmp_path / "facts.tsv").write_text("France\tcapital\tParis\nFrance\tcurrency\tEuro\n", encoding="utf-8")
    assert run(monkeypatch, "import", tmp_path / "facts.tsv", "--graph", "mine") == 0
    capsys.readouterr()


def test_a_second_run_finds_the_index_up_to_date(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(monkeypatch, "index", "--graph", "mine") == 0
    assert f"wrote {index_file(graph_file('mine'))}" in capsys.readouterr().err
    assert run(monkeypatch, "index", "--graph", "mine") == 0
    assert "is up to date" in capsys.readouterr().err


def test_a_database_that_does_not_respond_is_an_error(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("KGQA_NEO4J_URL", "bolt://127.0.0.1:1")
    assert run(monkeypatch, "index", "--graph", "mine") == 1
    assert "Neo4j at bolt://127.0.0.1:1" in capsys.readouterr().err


def test_an_index_is_removed_with_its_graph(monkeypatch: pytest.MonkeyPatch) -> None:
    assert run(monkeypatch, "index", "--graph", "mine") == 0
    assert run(monkeypatch, "remove", "mine", "--yes") == 0
    assert not index_file(graph_file("mine")).exists()


async def test_a_running_retriever_picks_the_index_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hot_reload, "WATCH_INTERVAL_S", 0.01)
    question = {"question": "What is the currency of France?", "strategy": "dense", "min_confidence": 0.01}
    async with (
        serving(create_app(RetrieverSettings(graph="mine"))) as url,
        httpx.AsyncClient(base_url=url, trust_env=False, timeout=None) as client,
    ):
        refused = await client.post("/retrieve", json=question)
        assert refused.status_code == 422
        assert "build one with: kgqa index --graph mine; use one of: auto, plan" in refused.text

        assert run(monkeypatch, "index", "--graph", "mine") == 0

        async def is_available() -> bool:
            return (await client.post("/retrieve", json=question)).status_code == 200

        await until(is_available)
        reply = (await client.post("/retrieve", json=question)).json()
    assert (reply["strategy"], [answer["value"] for answer in reply["answers"]]) == ("dense", ["Euro"])
