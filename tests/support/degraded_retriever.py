"""Serve a small graph over HTTP with a real retriever, so that tests can take its index and its model away."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx

from ingestion.importer import import_files
from services.retriever.app import create_app
from services.retriever.settings import RetrieverSettings
from shared.paths import graph_file
from tests.fakes.serving import serving
from training.dense.triple_index import index_graph

GRAPH = "lands"
_FACTS = """\
Ardenia\tcapital\tVeltmar
Ardenia\tcurrency\tCrown
Ardenia\tanthem\tHail
Borland\tborders\tArdenia
Corland\tborders\tArdenia
Veltmar\tmayor\tAda Quist
Borland\tcapital\tBorville
Borville\tmayor\tBob Stone
Corland\tcurrency\tCor
"""
# With the threshold of `settings`, `plan` answers none of these.
BY_NEIGHBOURHOOD = "What is the currency of Ardenia?"
"""A question that `neighbourhood` answers, in agreement with `plan`."""
BY_DENSE = "Who is the mayor of Borland?"
"""A question that `dense` answers, in agreement with `plan`; the model writes steps for it."""
BY_CYPHER = "Why is Borland so odd?"
"""A question that only a query of the model can answer."""
QUERY = "MATCH (a {name: 'Borland'})-[:capital]->(b) RETURN b"
ANSWER = "Borville"
_ALL_ABSTAIN = 0.99


def write_graph(folder: Path, more_facts: str = "") -> None:
    """Write the graph file under KGQA_HOME; `folder` keeps its facts."""
    facts = folder / "facts.tsv"
    facts.write_text(_FACTS + more_facts, encoding="utf-8")
    graph_file(GRAPH).parent.mkdir(parents=True, exist_ok=True)
    import_files([facts], graph_file(GRAPH))


def write_index() -> None:
    """Index the graph file."""
    index_graph(GRAPH, lambda done, total: None)


@asynccontextmanager
async def retriever(model_url: str | None = None, **changes: Any) -> AsyncIterator[httpx.AsyncClient]:
    """Serve the graph with the language model at a URL, and yield a client of the retriever."""
    model = {"llm_url": model_url, "llm_model": "coder"} if model_url else {}
    settings = RetrieverSettings.model_validate({"graph": GRAPH, "threshold": _ALL_ABSTAIN, **model, **changes})
    async with (
        serving(create_app(settings)) as url,
        httpx.AsyncClient(base_url=url, trust_env=False, timeout=None) as client,
    ):
        yield client


async def retrieve(
    client: httpx.AsyncClient, question: str, strategy: str = "auto", milliseconds: int | None = None, **options: Any
) -> dict[str, Any]:
    """Ask, with a deadline if there are `milliseconds`, and return the reply."""
    reply = await send(client, question, strategy, milliseconds, **options)
    assert reply.status_code == 200, reply.text
    response: dict[str, Any] = reply.json()
    return response


async def refusal(
    client: httpx.AsyncClient, question: str, strategy: str, milliseconds: int | None = None
) -> dict[str, Any]:
    """Ask, and return the problem that the reply must be."""
    reply = await send(client, question, strategy, milliseconds)
    assert reply.headers["content-type"] == "application/problem+json", reply.text
    problem: dict[str, Any] = reply.json()
    assert problem["status"] == reply.status_code
    return problem


async def send(
    client: httpx.AsyncClient, question: str, strategy: str, milliseconds: int | None = None, **options: Any
) -> httpx.Response:
    """Ask; whatever has failed, the reply is neither an internal error nor a traceback."""
    headers = {} if milliseconds is None else {"X-Timeout-Ms": str(milliseconds)}
    body = {"question": question, "strategy": strategy, **options}
    reply = await client.post("/retrieve", json=body, headers=headers)
    assert reply.status_code != 500, reply.text
    assert "Traceback" not in reply.text and ".py" not in reply.text
    return reply


def values(response: dict[str, Any]) -> list[Any]:
    """Return the answers of a reply."""
    return [answer["value"] for answer in response["answers"]]


def warnings(response: dict[str, Any], kind: str) -> list[str]:
    """Return the texts of the warnings of one kind."""
    return [warning["text"] for warning in response["warnings"] if warning["kind"] == kind]
