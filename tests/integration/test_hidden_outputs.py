"""Nothing that the services and commands write shows a hidden property, or that there is one."""

import asyncio
import os
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.types import Receive, Scope, Send

from services.launcher import server_process, wait_until_ready
from shared.processes import free_port
from tests.fakes.serving import serving
from tests.neo4j_server import PASSWORD, URL, ask, clear, needs_neo4j
from tests.support.command_line import WORLD, clean_environment
from tests.support.own_process import kgqa

pytestmark = needs_neo4j

_SECRETS = ("078-05-1120", "219-09-9999", "4711.25", "Agent Zero", "Cuckoo")
_KEYS = ("ssn_number", "wage_secret")
_PERSON, _STAFF, _AGENT = "HiddenOutputPerson", "HiddenOutputStaff", "HiddenOutputAgent"
_CREATE = f"""
CREATE (a:{_PERSON} {{name: 'Ruritania', ssn_number: $secrets[0], age: 40}}),
    (b:{_STAFF}:{_PERSON} {{name: 'Strelsau', ssn_number: $secrets[1], age: 50}}),
    (a)-[:capital {{wage_secret: toFloat($secrets[2]), since: 1894}}]->(b), (b)-[:located_in]->(a),
    (a)-[:capital]->(:{_AGENT} {{name: $secrets[3], aliases: [$secrets[4]], rank: 7}})
"""
_INDEX = "hidden_output_names"
_QUESTION = "What is the capital of Ruritania?"


def _match(where: object = None) -> dict[str, object]:
    nodes = [{"variable": "n", "kinds": [_PERSON]}, {"variable": "m"}]
    link = {"source": "n", "target": "m", "types": ["capital"], "variable": "r"}
    return {"op": "match", "nodes": nodes, "relationships": [link], "where": where}


def _property(variable: str, key: str) -> dict[str, object]:
    return {"op": "property", "variable": variable, "key": key, "as_stored": True}


def _project(**columns: object) -> dict[str, object]:
    return {"op": "project", "columns": [{"name": name, "value": value} for name, value in columns.items()]}


_NODES = _project(
    n={"op": "variable", "name": "n"}, m={"op": "variable", "name": "m"}, r={"op": "variable", "name": "r"}
)
_SSN, _WAGE = _property("m", _KEYS[0]), _property("r", _KEYS[1])
_FIRST_DIGIT = {"op": "comparison", "operator": "starts_with", "left": _SSN, "right": {"op": "constant", "value": "2"}}
_PLANS_WITHOUT_KEYS = [[_match()], [_match(), _NODES]]
_PLANS_WITH_KEYS = [
    [_match(), _project(x=_SSN, y=_WAGE)],
    [_match(), {"op": "order", "keys": [{"value": _SSN}]}, {"op": "slice", "limit": 1}],
    [_match(_FIRST_DIGIT)],
    [_match(), {"op": "group", "keys": [], "aggregates": [{"name": "x", "function": "max", "value": _WAGE}]}],
    [_match(), _project(x=_SSN | {"as_stored": False})],
    [_match(), {"op": "filter", "condition": _SSN | {"op": "nonsense"}}],
]


@pytest.fixture(scope="module", autouse=True)
def _graph() -> Iterator[None]:
    clear()
    ask(_CREATE, secrets=_SECRETS)
    ask(f"CREATE FULLTEXT INDEX {_INDEX} FOR (n:{_PERSON}|{_AGENT}) ON EACH [n.name, n.aliases, n.ssn_number]")
    ask("CALL db.awaitIndexes(60)")
    yield
    ask(f"DROP INDEX {_INDEX}")
    ask(f"MATCH (n:{_PERSON}|{_AGENT}) DETACH DELETE n")


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """Hide the properties, and log as much as possible."""
    return clean_environment(tmp_path / "home") | {
        "KGQA_NEO4J_URL": URL,
        "KGQA_NEO4J_SECONDS_ALLOWED": "120",
        "KGQA_NEO4J_PASSWORD": PASSWORD,
        "KGQA_NEO4J_HIDE": f"{_PERSON}.{_KEYS[0]},{_KEYS[1]},{_AGENT}.name,{_AGENT}.aliases",
        "KGQA_NEO4J_NAMES": f"{_STAFF}.{_KEYS[0]}",
        "KGQA_NEO4J_NAMES_INDEX": _INDEX,
        "KGQA_RETRIEVER_MODEL": str(WORLD / "retriever"),
        "KGQA_RETRIEVER_THRESHOLD": "0",
        **{f"KGQA_{name}_LOG_LEVEL": "DEBUG" for name in ("RETRIEVER", "REWRITER", "ANSWERER")},
    }


class _RecordingModel:
    """Serve a language model that records the prompts it receives."""

    def __init__(self) -> None:
        self.prompts: list[str] = []

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        body = await Request(scope, receive).body()
        if scope["method"] == "GET":
            await JSONResponse({"data": [{"id": "rewriter"}, {"id": "answerer"}]})(scope, receive, send)
            return
        self.prompts.append(body.decode())
        await JSONResponse({"choices": [{"message": {"content": "Strelsau"}}]})(scope, receive, send)


@asynccontextmanager
async def _stack(environment: dict[str, str], model: _RecordingModel, logs: Path) -> AsyncIterator[dict[str, str]]:
    """Run the three services as processes; yield their URLs."""
    ports = {name: free_port() for name in ("retriever", "rewriter", "answerer")}
    urls = {name: f"http://127.0.0.1:{port}" for name, port in ports.items()}
    async with AsyncExitStack() as stack:
        llm = await stack.enter_async_context(serving(model))
        variables = {f"KGQA_{name.upper()}_PORT": str(port) for name, port in ports.items()}
        variables |= {f"KGQA_ANSWERER_{name.upper()}_URL": urls[name] for name in ("retriever", "rewriter")}
        variables |= {"KGQA_REWRITER_LLM_URL": llm, "KGQA_ANSWERER_LLM_URL": llm}
        servers = [
            stack.enter_context(
                server_process(name, f"services.{name}", environment=environment | variables, log=logs / f"{name}.log")
            )
            for name in ports
        ]
        await asyncio.to_thread(wait_until_ready, f"{urls['answerer']}/readyz", servers)
        yield urls


def _logs(folder: Path) -> str:
    return "".join(file.read_text(encoding="utf-8") for file in folder.glob("*.log"))


def _assert_hidden(what: str, text: str, keys: tuple[str, ...] = _KEYS) -> None:
    assert [one for one in (*_SECRETS, *keys) if one in text] == [], what


@pytest.mark.parametrize("index", [_INDEX, "none"])
async def test_the_services_show_nothing(environment: dict[str, str], tmp_path: Path, index: str) -> None:
    model = _RecordingModel()
    environment |= {"KGQA_NEO4J_NAMES_INDEX": index}
    async with _stack(environment, model, tmp_path) as urls, httpx.AsyncClient(trust_env=False, timeout=60) as client:

        async def post(service: str, path: str, body: dict[str, Any]) -> httpx.Response:
            return await client.post(urls[service] + path, json=body)

        replies = [await post("retriever", "/plan", {"plan": {"steps": steps}}) for steps in _PLANS_WITHOUT_KEYS]
        replies.append(await post("retriever", "/retrieve", {"question": _QUESTION}))
        replies.append(await post("answerer", "/ask", {"question": _QUESTION}))
        replies.append(await post("retriever", "/retrieve", {"question": "What is the capital of Atlantis?"}))
        replies += [await client.get(f"{url}{path}") for url in urls.values() for path in ("/metrics", "/openapi.json")]
        logs = _logs(tmp_path)
        guesses = [
            await post("retriever", "/retrieve", {"question": f"What is the capital of {secret}?"})
            for secret in _SECRETS
        ]
        echoed = [await post("retriever", "/plan", {"plan": {"steps": steps}}) for steps in _PLANS_WITH_KEYS]

    assert [reply.status_code for reply in replies[:4]] == [200, 200, 200, 200]
    assert "Strelsau" in replies[2].text
    assert replies[3].json()["evidence"]
    assert [reply.status_code for reply in echoed] == [422] * len(echoed)
    assert all("unknown property" in reply.json()["detail"] for reply in echoed[:-1])
    assert [guess.json()["topic_entities"] for guess in guesses] == [[] for _ in _SECRETS]
    for reply in replies:
        _assert_hidden(str(reply.url), reply.text)
    for reply in echoed:  # a reply to a plan may repeat the keys that the plan contains
        _assert_hidden(str(reply.url), reply.text, keys=())
    assert model.prompts
    _assert_hidden("prompts", "".join(model.prompts))
    _assert_hidden("logs", logs)
    assert "ruritania" not in logs.lower()  # questions and facts are never logged
    _assert_hidden("logs", _logs(tmp_path), keys=())


@pytest.mark.parametrize("words", [("schema",), ("schema", "--json"), ("import", URL, "--graph", "people")])
def test_the_commands_show_nothing(environment: dict[str, str], words: tuple[str, ...]) -> None:
    ended = kgqa(environment, *words)
    assert ended.code == 0, ended.err
    _assert_hidden("output", ended.out + ended.err)
    for folder, _, files in os.walk(environment["KGQA_HOME"]):
        for file in files:
            _assert_hidden(file, (Path(folder) / file).read_bytes().decode("latin-1"))


def test_suggestions_show_nothing(environment: dict[str, str]) -> None:
    ended = kgqa(environment | {"KGQA_PROPERTY_TYPES": f"{_PERSON}.ssn_numbe=string"}, "schema")
    assert ended.code == 1
    assert "lists an unknown property" in ended.err
    _assert_hidden("errors", ended.out + ended.err)
