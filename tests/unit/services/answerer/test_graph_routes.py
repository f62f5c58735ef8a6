"""The answerer passes requests about the graph itself on to the retriever, here a real one."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import httpx
import pytest
import pytest_asyncio

from contracts.graphs import SchemaResponse
from services.answerer.app import create_app
from services.answerer.settings import AnswererSettings
from services.retriever.app import create_app as create_retriever
from services.retriever.settings import RetrieverSettings
from tests.fakes.llm import ScriptedModel
from tests.fakes.serving import NOBODY, serving
from tests.support.command_line import WORLD
from tests.support.property_graphs import shop_graph, write_graph_file

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def http(home: Path) -> AsyncIterator[httpx.AsyncClient]:
    (home / "graphs").mkdir()
    write_graph_file(shop_graph(), home / "graphs" / "shop.sqlite")
    retriever = create_retriever(RetrieverSettings(graph="shop", model=WORLD / "retriever"))
    async with AsyncExitStack() as stack:
        url = await stack.enter_async_context(serving(retriever))
        settings = AnswererSettings(retriever_url=url, rewriter_url=NOBODY)
        answerer = await stack.enter_async_context(serving(create_app(settings, model=ScriptedModel([]))))
        yield await stack.enter_async_context(httpx.AsyncClient(base_url=answerer, trust_env=False))


def nodes(kind: str = "Product") -> dict[str, Any]:
    return {"plan": {"steps": [{"op": "match", "nodes": [{"variable": "p", "kinds": [kind]}]}]}}


async def test_the_graph_is_described_searched_and_explored(http: httpx.AsyncClient) -> None:
    schema = SchemaResponse.model_validate_json((await http.get("/schema")).content)
    assert "Product" in schema.kinds

    rows = (await http.post("/plan", json=nodes())).json()["rows"]
    assert len(rows) == schema.kinds["Product"].count

    node = rows[0][0]
    found = (await http.post("/neighbours", json={"id": node["id"]})).json()
    assert found["entity"] == node
    assert found["properties"].keys() <= schema.kinds["Product"].properties.keys()
    assert found["properties"]
    assert {one["relation"] for one in found["neighbours"]} <= schema.relationships.keys()


@pytest.mark.parametrize(
    ("route", "body", "status", "kind"),
    [
        ("/plan", nodes("Produkt"), 422, "invalid-input"),
        ("/plan", {**nodes(), "max_rows": 1}, 422, "plan-limit"),
        ("/neighbours", {"entity": "Nothing of the kind"}, 404, "unknown-topic-entity"),
        ("/neighbours", {}, 422, "invalid-input"),
    ],
)
async def test_errors_keep_their_kinds(
    http: httpx.AsyncClient, route: str, body: dict[str, Any], status: int, kind: str
) -> None:
    reply = await http.post(route, json=body)
    assert (reply.status_code, reply.json()["type"]) == (status, f"urn:kgqa:error:{kind}")
