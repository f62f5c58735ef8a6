import pytest

from services.answerer.settings import AnswererSettings
from shared.errors import InvalidInputError
from shared.service import load_settings


def test_a_bad_variable_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KGQA_ANSWERER_PORT", "many")
    with pytest.raises(InvalidInputError, match="KGQA_ANSWERER_PORT"):
        load_settings(AnswererSettings)


def test_services_listen_on_loopback_unless_told_otherwise() -> None:
    assert load_settings(AnswererSettings).host == "127.0.0.1"


def test_a_key_is_never_printed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KGQA_ANSWERER_LLM_API_KEY", "top-secret")
    assert "top-secret" not in repr(load_settings(AnswererSettings))
