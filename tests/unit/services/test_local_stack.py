"""Environment of the processes that use the embedded language model."""

import pytest

from services.llm.settings import KEY_VARIABLE
from services.local_stack import embedded_llm_environment, external_model_checks, service_keys
from shared.api_keys import ApiKeys, caller_keys

URL = "http://127.0.0.1:8003"
CLIENTS = ("KGQA_REWRITER_LLM", "KGQA_ANSWERER_LLM")


@pytest.fixture(autouse=True)
def _no_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (
        KEY_VARIABLE,
        "KGQA_ANSWERER_WORDING",
        *(f"{client}_{what}" for client in CLIENTS for what in ("URL", "API_KEY")),
    ):
        monkeypatch.delenv(name, raising=False)


def test_server_and_clients_share_a_random_key() -> None:
    first, second = embedded_llm_environment(8003), embedded_llm_environment(8003)
    for variables in (first, second):
        key = variables[KEY_VARIABLE]
        assert len(key) >= 32
        urls = {f"{client}_URL": URL for client in CLIENTS}
        keys = {f"{client}_API_KEY": key for client in CLIENTS}
        assert variables == {KEY_VARIABLE: key, "KGQA_ANSWERER_WORDING": "grammar"} | urls | keys
    assert first[KEY_VARIABLE] != second[KEY_VARIABLE]


def test_a_key_of_the_environment_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(KEY_VARIABLE, "mine")
    variables = embedded_llm_environment(8003)
    assert {variables[KEY_VARIABLE], *(variables[f"{client}_API_KEY"] for client in CLIENTS)} == {"mine"}


def test_another_server_does_not_get_the_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KGQA_REWRITER_LLM_URL", "https://api.example.com")
    answerer = {"KGQA_ANSWERER_LLM_URL", "KGQA_ANSWERER_LLM_API_KEY", "KGQA_ANSWERER_WORDING"}
    assert set(embedded_llm_environment(8003)) == {KEY_VARIABLE} | answerer


def test_grammar_words_the_answers_only_in_place_of_the_embedded_model(monkeypatch: pytest.MonkeyPatch) -> None:
    assert embedded_llm_environment(8003)["KGQA_ANSWERER_WORDING"] == "grammar"
    monkeypatch.setenv("KGQA_ANSWERER_WORDING", "model")
    assert "KGQA_ANSWERER_WORDING" not in embedded_llm_environment(8003)
    monkeypatch.delenv("KGQA_ANSWERER_WORDING")
    monkeypatch.setenv("KGQA_ANSWERER_LLM_URL", "https://api.example.com")
    assert "KGQA_ANSWERER_WORDING" not in embedded_llm_environment(8003)


def test_a_key_for_another_server_is_not_sent_to_the_embedded_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KGQA_REWRITER_LLM_URL", f"{URL}/v1")
    monkeypatch.setenv("KGQA_REWRITER_LLM_API_KEY", "of a hosted model")
    variables = embedded_llm_environment(8003)
    assert variables["KGQA_REWRITER_LLM_API_KEY"] == variables[KEY_VARIABLE]


@pytest.mark.parametrize(
    ("rewriter", "answerer", "checks"),
    [
        (None, None, []),
        (f"{URL}/v1", URL, []),
        (None, "https://api.example.com/v1", ["llm"]),
        ("https://api.example.com", None, ["rewriter"]),
        ("https://api.example.com", "https://api.example.com", ["rewriter", "llm"]),
    ],
)
def test_only_models_of_other_servers_may_be_missing(
    rewriter: str | None, answerer: str | None, checks: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for client, url in zip(CLIENTS, (rewriter, answerer), strict=True):
        if url:
            monkeypatch.setenv(f"{client}_URL", url)
    assert external_model_checks(8003) == checks


def test_the_answerer_sends_keys_that_the_other_services_know_and_no_other_has() -> None:
    variables = service_keys({})
    sent = [variables[f"KGQA_ANSWERER_{name}_API_KEY"] for name in ("RETRIEVER", "REWRITER")]
    known = [ApiKeys(caller_keys(variables[f"KGQA_{name}_API_KEYS"])) for name in ("RETRIEVER", "REWRITER")]
    assert [keys.caller(key) for keys, key in zip(known, sent, strict=True)] == ["answerer", "answerer"]
    assert known[0].caller(sent[1]) is None
    assert not set(sent) & set(service_keys({}).values())


@pytest.mark.parametrize("variable", ["KGQA_RETRIEVER_API_KEYS", "KGQA_ANSWERER_RETRIEVER_API_KEY"])
def test_keys_of_the_environment_are_kept(variable: str) -> None:
    assert set(service_keys({variable: "mine"})) == {"KGQA_REWRITER_API_KEYS", "KGQA_ANSWERER_REWRITER_API_KEY"}
