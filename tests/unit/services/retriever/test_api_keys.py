"""The retriever asks for keys if it has any, also for plans."""

from pathlib import Path

import httpx
import pytest

from ingestion.importer import import_files
from services.retriever.app import create_app
from services.retriever.settings import RetrieverSettings
from shared.api_keys import hash_of
from shared.errors import InvalidInputError
from shared.paths import graph_file
from tests.fakes.serving import serving

_PLAN = {"steps": [{"op": "match", "nodes": [{"variable": "n"}]}]}
_BODIES = {"/plan": {"plan": _PLAN}, "/retrieve": {"question": "capital of France?"}}


async def test_plans_and_questions_need_a_key_and_probes_do_not(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("KGQA_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("KGQA_NEO4J_URL", raising=False)
    (tmp_path / "facts.tsv").write_text("France\tcapital\tParis\n", encoding="utf-8")
    graph_file("mine").parent.mkdir(parents=True)
    import_files([tmp_path / "facts.tsv"], graph_file("mine"))
    settings = RetrieverSettings.model_validate({"graph": "mine", "api_keys": {"answerer": hash_of("a")}})
    async with (
        serving(create_app(settings)) as url,
        httpx.AsyncClient(base_url=url, trust_env=False, timeout=None) as client,
    ):
        for route, body in _BODIES.items():
            for headers in ({}, {"X-API-Key": "b"}):
                assert (await client.post(route, json=body, headers=headers)).status_code == 401
            assert (await client.post(route, json=body, headers={"Authorization": "Bearer a"})).status_code == 200
        assert (await client.get("/healthz")).status_code == 200


@pytest.mark.parametrize("limits", [{"graphs": ["mine"]}, {"scope": ["Document.tenant = 42"]}])
def test_keys_that_it_would_not_restrict_are_refused(limits: dict[str, list[str]]) -> None:
    keys = {"chatbot": {"hash": hash_of("a"), **limits}}
    with pytest.raises(InvalidInputError, match="KGQA_RETRIEVER_API_KEYS has keys for some graphs"):
        RetrieverSettings.model_validate({"api_keys": keys}).keys()
