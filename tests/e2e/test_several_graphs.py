"""`kgqa up` with two graphs, two keys, and a scope: nothing of one reaches the callers of the other, by any way."""

import json
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import httpx2
import openai
import pytest
from mcp import Client as Agent
from mcp.client.streamable_http import streamable_http_client
from playwright.async_api import Browser, expect

from ingestion.importer import import_files
from kgqa.client import Client, UnknownGraphError
from tests.support.browser import needs_chromium, opened
from tests.support.command_line import Running, kgqa_up
from tests.support.own_process import new_key
from tests.support.property_graphs import write_graph_file
from tests.support.tenants import HIDDEN_WORDS, VISIBLE_SCOPE, tenant_graph

_LANDS = "Atlantis\tcapital\tPoseidonis\nAtlantis\tprophet\tPythia\nLemuria\tcapital\tMuria\n"
LANDS_WORDS = ("Poseidonis", "Pythia", "prophet", "Muria")
"""Texts that only the graph `lands` has."""
TOLD = [
    "Which documents did Ada Lind write?",
    "How many documents are there?",
    "Which documents does Solar Report cite?",
    "Which document has the most pages?",
    "What is the capital of Atlantis?",
    "Who wrote Oil?",
]


@dataclass(frozen=True)
class Deployment:
    """A running `kgqa up`, and the keys of its callers: `lands`, `tenant` (a part of `docs`), and `operator`."""

    running: Running
    home: Path
    keys: dict[str, str]

    @property
    def url(self) -> str:
        return self.running.urls["answerer"]

    def http(self, caller: str) -> httpx.Client:
        return httpx.Client(
            base_url=self.url,
            headers={"Authorization": f"Bearer {self.keys[caller]}", "Accept": "application/json, text/event-stream"},
            trust_env=False,
            timeout=None,
        )


@pytest.fixture(scope="module")
def deployment(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Deployment]:
    home = tmp_path_factory.mktemp("home")
    (home / "lands.tsv").write_text(_LANDS, encoding="utf-8")
    (home / "graphs").mkdir()
    write_graph_file(tenant_graph(), home / "graphs" / "docs.sqlite")
    import_files([home / "lands.tsv"], home / "graphs" / "lands.sqlite")
    limits = {
        "lands": ["--graph", "lands"],
        "tenant": ["--graph", "docs", "--scope", VISIBLE_SCOPE],
        "operator": [],
    }
    always = ["--cost-of-wrong", "0"]  # whether answers are certain enough is another matter
    keys = {caller: new_key(home, caller, *always, *options) for caller, options in limits.items()}
    with kgqa_up(home, "--graph", "docs", "--graph", "lands") as running:
        yield Deployment(running, home, keys)


def _everything(http: httpx.Client, graph: str | None = None) -> str:
    """Ask for everything that there is over HTTP, and return all that is said, without what was asked."""
    named = {"graph": graph} if graph else {}
    nodes = [{"op": "match", "nodes": [{"variable": "n"}]}]
    bodies: list[tuple[str, dict[str, Any]]] = [("/plan", {"plan": {"steps": nodes}, **named})]
    bodies += [("/neighbours", {"entity": name, **named}) for name in ("Solar Report", "Bo Rask", "Atlantis")]
    for question in TOLD:
        bodies += [("/ask", {"question": question, "explain": True, "strategy": "auto", **named})]
        bodies += [("/ask/stream", {"question": question, **named})]
        bodies += [("/ask/batch", {"requests": [{"question": question, **named}]})]
        messages = [{"role": "user", "content": question}]
        bodies += [("/v1/chat/completions", {"model": f"kgqa:{graph}" if graph else "kgqa", "messages": messages})]
    said = [http.post(route, json=body).text for route, body in bodies]
    said += [
        http.get(route, params=named).text for route in ("/schema", "/graphs", "/v1/models", "/readyz", "/metrics")
    ]
    text = "\n".join(said)
    for question in TOLD:
        text = text.replace(question, "")
    return text


def test_callers_are_told_only_of_what_their_keys_are_for(deployment: Deployment) -> None:
    with deployment.http("operator") as operator:
        told = _everything(operator) + _everything(operator, "lands")
        assert [word for word in (*LANDS_WORDS, *HIDDEN_WORDS) if word not in told] == ["whispers"]
    with deployment.http("tenant") as tenant, deployment.http("lands") as lands:
        for _ in range(2):  # nothing that was kept for others is told, either
            told = _everything(tenant)
            assert "Solar Report" in told
            assert [word for word in (*LANDS_WORDS, *HIDDEN_WORDS, "lands") if word in told] == []
            told = _everything(lands)
            assert "Poseidonis" in told
            assert [word for word in (*HIDDEN_WORDS, "Wind Report", "WROTE", "tenant", '"docs"') if word in told] == []


def test_graphs_of_others_do_not_exist(deployment: Deployment) -> None:
    with Client(deployment.url, deployment.keys["tenant"]) as client:
        assert [graph.name for graph in client.graphs()] == ["docs"]
        assert [one.value for one in client.ask(TOLD[1]).answers] == [2]
        for graph in ("lands", "missing"):
            with pytest.raises(UnknownGraphError, match=f"there is no graph '{graph}' that you may ask"):
                client.ask(TOLD[4], graph=graph)
    with Client(deployment.url, deployment.keys["operator"]) as client:
        assert [one.value for one in client.ask(TOLD[1]).answers] == [5]
        assert [one.value for one in client.ask(TOLD[4], graph="lands").answers] == ["Poseidonis"]
    with openai.OpenAI(base_url=f"{deployment.url}/v1", api_key=deployment.keys["operator"], max_retries=0) as client:
        assert {"kgqa", "kgqa:docs", "kgqa:lands", "kgqa:lands:auto"} <= {model.id for model in client.models.list()}
        asked: Any = [{"role": "user", "content": TOLD[4]}]
        reply = client.chat.completions.create(model="kgqa:lands", messages=asked)
        assert "Poseidonis" in str(reply.choices[0].message.content)


@asynccontextmanager
async def _agent(deployment: Deployment, caller: str) -> AsyncIterator[Agent]:
    allowed = httpx2.AsyncClient(headers={"X-API-Key": deployment.keys[caller]}, trust_env=False, timeout=None)
    async with allowed, Agent(streamable_http_client(f"{deployment.url}/mcp", http_client=allowed)) as connected:
        yield connected


async def test_agents_are_told_only_of_what_their_keys_are_for(deployment: Deployment) -> None:
    async with _agent(deployment, "operator") as operator:
        found = (await operator.call_tool("ask", {"question": TOLD[0], "graph": "docs"})).structured_content
        kept = [one["id"] for one in found["evidence"]]
        assert any("Coal Memo" in one["text"] for one in found["evidence"])
    async with _agent(deployment, "tenant") as tenant:
        calls: list[tuple[str, dict[str, Any]]] = [("ask", {"question": question}) for question in TOLD]
        calls += [("neighbours", {"entity": "Bo Rask"}), ("schema", {}), ("schema", {"graph": "lands"})]
        calls += [("plan", {"plan": {"steps": [{"op": "match", "nodes": [{"variable": "n"}]}]}})]
        calls += [("evidence", {"id": id_}) for id_ in kept]
        told = "\n".join([str(await tenant.call_tool(tool, arguments)) for tool, arguments in calls])
        assert "Solar Report" in told
        assert [word for word in (*LANDS_WORDS, *HIDDEN_WORDS) if word in told.replace(TOLD[4], "")] == []


def test_logs_and_files_of_feedback_keep_graphs_apart(deployment: Deployment) -> None:
    for caller, answers in (("tenant", [2]), ("lands", ["Muria"])):
        with deployment.http(caller) as http:
            assert http.post("/feedback", json={"question": "What?", "answers": answers}).status_code == 201
    for graph, answers in (("docs", [2]), ("lands", ["Muria"])):
        lines = (deployment.home / "feedback" / f"{graph}.jsonl").read_text(encoding="utf-8").splitlines()
        assert [json.loads(line)["answers"] for line in lines] == [answers]
    logs = "".join(file.read_text(encoding="utf-8") for file in (deployment.home / "logs").rglob("*.log"))
    assert "/ask" in logs
    assert [word for word in (*LANDS_WORDS, *HIDDEN_WORDS, "Solar", "Atlantis") if word in logs] == []


@needs_chromium
@pytest.mark.asyncio(loop_scope="module")
async def test_the_page_shows_only_what_the_key_is_for(deployment: Deployment, browser: Browser) -> None:
    async with opened(browser, deployment.url) as page:

        async def ask(caller: str, question: str) -> None:
            await page.get_by_label("API key").fill(deployment.keys[caller])
            await page.get_by_label("API key").press("Tab")
            await page.get_by_label("Question").fill(question)
            await page.keyboard.press("Enter")

        choice = page.get_by_label("Graph", exact=True)
        await ask("tenant", TOLD[0])
        await expect(page.locator(".answer")).to_contain_text("Wind Report")
        await expect(choice).to_be_hidden()
        shown = await page.content()
        assert [word for word in (*LANDS_WORDS, *HIDDEN_WORDS) if word in shown] == []

        await page.get_by_label("API key").fill(deployment.keys["operator"])
        await page.get_by_label("API key").press("Tab")
        await choice.select_option("lands")
        await page.get_by_label("Question").fill(TOLD[4])
        await page.keyboard.press("Enter")
        await expect(page.locator(".answer")).to_contain_text("Poseidonis")
