"""The retriever gets its language model by settings; without one, only the strategy that needs it is missing."""

from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from services.retriever.app import create_app
from services.retriever.settings import RetrieverSettings
from shared.errors import InvalidInputError
from shared.llm.client import LanguageModel
from shared.settings import load_settings
from tests.fakes.llm import FailingModel, ScriptedModel
from tests.fakes.serving import NOBODY
from tests.support.command_line import WORLD
from tests.support.property_graphs import shop_graph, write_graph_file

QUESTION = {"question": "How many products are there?", "strategy": "cypher"}
QUERY = "MATCH (p:Product) RETURN count(p) AS products"


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "graphs").mkdir()
    write_graph_file(shop_graph(), tmp_path / "graphs" / "shop.sqlite")
    monkeypatch.setenv("KGQA_HOME", str(tmp_path))


def serve(model: LanguageModel | None) -> TestClient:
    app = create_app(RetrieverSettings(graph="shop", model=WORLD / "retriever"), model)
    return TestClient(app, base_url="http://127.0.0.1")


def test_the_model_answers_over_http() -> None:
    with serve(ScriptedModel([QUERY])) as http:
        reply = http.post("/retrieve", json=QUESTION).json()

    products = sum("Product" in node.kinds for node in shop_graph().nodes)
    assert [answer["value"] for answer in reply["answers"]] == [products]
    assert reply["strategy"] == "cypher"


def test_without_a_model_the_strategy_is_not_available() -> None:
    with serve(None) as http:
        reply = http.post("/retrieve", json=QUESTION)

    assert reply.status_code == 422
    assert "KGQA_RETRIEVER_LLM_URL" in reply.json()["detail"]


def test_a_model_that_is_down_is_named_and_leaves_the_service_ready() -> None:
    with serve(FailingModel()) as http:
        reply = http.post("/retrieve", json=QUESTION)
        by_auto = http.post("/retrieve", json={**QUESTION, "strategy": "auto"})

    assert reply.status_code == 503
    assert by_auto.status_code == 200


@pytest.mark.parametrize("name", ["LLM_URL", "LLM_MODEL"])
def test_a_url_needs_a_model_and_a_model_a_url(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv(f"KGQA_RETRIEVER_{name}", NOBODY)

    with pytest.raises(InvalidInputError, match="KGQA_RETRIEVER_LLM_URL and KGQA_RETRIEVER_LLM_MODEL"):
        load_settings(RetrieverSettings).language_model()


async def test_the_settings_make_a_client_and_hide_the_key(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {"URL": NOBODY, "MODEL": "coder", "API_KEY": "top-secret"}.items():
        monkeypatch.setenv(f"KGQA_RETRIEVER_LLM_{name}", value)
    settings = load_settings(RetrieverSettings)

    client = settings.language_model()

    assert client is not None and client.name == "coder"
    assert "top-secret" not in repr(settings)
    await client.close()


def test_an_empty_variable_sets_no_model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KGQA_RETRIEVER_LLM_URL", "")
    monkeypatch.setenv("KGQA_RETRIEVER_LLM_MODEL", "")

    assert RetrieverSettings().language_model() is None
