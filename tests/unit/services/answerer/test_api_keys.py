"""The answerer asks for API keys if it has any, and does not serve strangers by accident."""

import json
import re
from pathlib import Path

import httpx
import openai
import pytest

from services.answerer.app import create_app
from services.answerer.settings import AnswererSettings
from shared.api_keys import CallerKey, hash_of
from shared.errors import InvalidInputError, UnauthenticatedError
from shared.settings import load_settings
from tests.fakes.llm import ScriptedModel
from tests.fakes.serving import NOBODY, serving

_KEY = "kgqa_" + 43 * "k"
_KEYS = {"chatbot": hash_of(_KEY)}
_QUESTION = {"question": "capital of France?"}


def _settings(**changes: object) -> AnswererSettings:
    return AnswererSettings.model_validate({"retriever_url": NOBODY, "rewriter_url": NOBODY, **changes})


async def _status(headers: dict[str, str], route: str = "/ask", method: str = "POST") -> tuple[int, httpx.Response]:
    app = create_app(_settings(api_keys=_KEYS), model=ScriptedModel([]))
    async with serving(app) as url, httpx.AsyncClient(base_url=url, trust_env=False) as client:
        reply = await client.request(method, route, headers=headers, json=_QUESTION if method == "POST" else None)
    return reply.status_code, reply


@pytest.mark.parametrize(
    "headers",
    [{"Authorization": f"Bearer {_KEY}"}, {"Authorization": f"bearer  {_KEY}"}, {"X-API-Key": _KEY}],
)
async def test_callers_with_a_key_are_served(headers: dict[str, str]) -> None:
    status, _ = await _status(headers)
    assert status == 503  # the retriever is not there


@pytest.mark.parametrize(
    ("headers", "said"),
    [
        ({}, "requires an API key"),
        ({"Authorization": f"Basic {_KEY}"}, "requires an API key"),
        ({"Authorization": "Bearer"}, "requires an API key"),
        ({"Authorization": f"Bearer x{_KEY}"}, "is not valid"),
        ({"X-API-Key": _KEY[:-1]}, "is not valid"),
        ({"Authorization": f"Bearer {hash_of(_KEY)}"}, "is not valid"),
    ],
)
async def test_others_are_not_served(headers: dict[str, str], said: str) -> None:
    status, reply = await _status(headers)
    assert (status, reply.json()["type"]) == (401, f"urn:kgqa:error:{UnauthenticatedError.kind}")
    assert said in reply.json()["detail"]
    assert reply.headers["www-authenticate"] == "Bearer"


@pytest.mark.parametrize("route", ["/healthz", "/readyz", "/metrics", "/docs", "/openapi.json", "/evidence/0"])
async def test_probes_documentation_and_cited_evidence_need_no_key(route: str) -> None:
    status, _ = await _status({}, route, "GET")
    assert status != 401


@pytest.mark.parametrize("route", ["/ask/stream", "/ask/batch", "/v1/chat/completions", "/feedback"])
@pytest.mark.parametrize(("key", "expected"), [(None, 401), ("wrong", 401)])
async def test_questions_of_every_kind_need_a_key(route: str, key: str | None, expected: int) -> None:
    status, reply = await _status({"X-API-Key": key} if key else {}, route)
    assert status == expected
    assert reply.headers["www-authenticate"] == "Bearer"
    with_key, _ = await _status({"X-API-Key": _KEY}, route)
    assert with_key != 401


@pytest.mark.parametrize("route", ["/v1/models", "/evidence", "/healthz/", "/nothing"])
async def test_everything_else_needs_one(route: str) -> None:
    status, _ = await _status({}, route, "GET")
    assert status == 401


async def test_the_openai_client_raises_its_own_error() -> None:
    async with serving(create_app(_settings(api_keys=_KEYS), model=ScriptedModel([]))) as url:
        async with openai.AsyncOpenAI(base_url=f"{url}/v1", api_key="wrong", max_retries=0) as client:
            with pytest.raises(openai.AuthenticationError, match="is not valid"):
                await client.models.list()
        async with openai.AsyncOpenAI(base_url=f"{url}/v1", api_key=_KEY, max_retries=0) as client:
            assert [model.id async for model in client.models.list()] == ["kgqa"]


def test_strangers_are_served_only_if_someone_said_so() -> None:
    with pytest.raises(InvalidInputError, match="KGQA_ANSWERER_ALLOW_ANONYMOUS"):
        create_app(_settings(host="0.0.0.0"))
    for allowed in (_settings(host="0.0.0.0", allow_anonymous=True), _settings(host="0.0.0.0", api_keys=_KEYS)):
        create_app(allowed, model=ScriptedModel([]))


async def test_a_key_that_is_removed_from_the_file_stops_working_at_once(tmp_path: Path) -> None:
    file = tmp_path / "keys.json"
    file.write_text(json.dumps({"other": hash_of("other"), **_KEYS}), encoding="utf-8")
    app = create_app(_settings(api_keys_file=file), model=ScriptedModel([]))
    async with serving(app) as url, httpx.AsyncClient(base_url=url, headers={"X-API-Key": _KEY}) as client:
        assert (await client.post("/ask", json=_QUESTION)).status_code == 503  # the retriever is not there
        file.write_text(json.dumps({"other": hash_of("other")}), encoding="utf-8")
        assert (await client.post("/ask", json=_QUESTION)).status_code == 401
        assert (await client.post("/ask", json=_QUESTION, headers={"X-API-Key": "other"})).status_code == 503
        file.write_text("{}", encoding="utf-8")
        assert (await client.post("/ask", json=_QUESTION, headers={"X-API-Key": "other"})).status_code == 401


@pytest.mark.parametrize("content", ["{}", None])
async def test_a_service_that_starts_with_a_file_without_keys_is_closed(tmp_path: Path, content: str | None) -> None:
    file = tmp_path / "keys.json"
    if content is not None:
        file.write_text(content, encoding="utf-8")
    app = create_app(_settings(api_keys_file=file), model=ScriptedModel([]))
    async with serving(app) as url, httpx.AsyncClient(base_url=url) as client:
        assert (await client.post("/ask", json=_QUESTION)).status_code == 401
        file.write_text(json.dumps(_KEYS), encoding="utf-8")
        assert (await client.post("/ask", json=_QUESTION, headers={"X-API-Key": _KEY})).status_code == 503


def test_keys_come_from_one_place(tmp_path: Path) -> None:
    file = tmp_path / "keys.json"
    with pytest.raises(InvalidInputError, match="only one of"):
        create_app(_settings(api_keys=_KEYS, api_keys_file=file))


@pytest.mark.parametrize(
    ("published", "is_open"),
    [
        ("127.0.0.1:8000", False),
        ("[::1]:8000", False),
        ("localhost:9000", False),
        ("0.0.0.0:8000", True),
        ("192.168.1.5:8000", True),
        ("[::]:8000", True),
        ("8000", True),
    ],
)
def test_in_a_container_the_published_address_counts(published: str, is_open: bool) -> None:
    settings = {"host": "0.0.0.0", "published_at": published}
    if is_open:
        with pytest.raises(InvalidInputError, match=f"KGQA_PUBLISH is {re.escape(published)}, where others can reach"):
            _settings(**settings).keys()
    else:
        assert _settings(**settings).keys() is None
    assert _settings(**settings, allow_anonymous=True).keys() is None
    assert _settings(**settings, api_keys=_KEYS).keys() is not None


def test_a_secret_file_has_the_hashes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "KGQA_ANSWERER_API_KEYS").write_text(json.dumps(_KEYS) + "\n", encoding="utf-8")
    monkeypatch.setenv("KGQA_SECRETS_DIR", str(tmp_path))
    assert load_settings(AnswererSettings).api_keys == {"chatbot": CallerKey(_KEYS["chatbot"])}


@pytest.mark.parametrize("value", [_KEY, "{", f'{{"chatbot": "{_KEY}"}}'])
def test_a_key_in_place_of_its_hash_is_explained_and_not_printed(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    monkeypatch.setenv("KGQA_ANSWERER_API_KEYS", value)
    with pytest.raises(InvalidInputError, match=r"KGQA_ANSWERER_API_KEYS is invalid.*kgqa keys export") as raised:
        load_settings(AnswererSettings)
    assert _KEY not in str(raised.value)
