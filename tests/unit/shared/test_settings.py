import os
import subprocess
import sys
from pathlib import Path

import pytest

from services.answerer.settings import AnswererSettings
from services.rewriter.settings import RewriterSettings
from shared.errors import InvalidInputError
from shared.settings import load_settings


def test_a_bad_variable_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KGQA_ANSWERER_PORT", "many")
    with pytest.raises(InvalidInputError, match="KGQA_ANSWERER_PORT"):
        load_settings(AnswererSettings)


def test_services_listen_on_loopback_unless_told_otherwise() -> None:
    assert load_settings(AnswererSettings).host == "127.0.0.1"


def test_a_key_is_never_printed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KGQA_ANSWERER_LLM_API_KEY", "top-secret")
    assert "top-secret" not in repr(load_settings(AnswererSettings))


@pytest.mark.parametrize(
    ("variable", "value", "said"),
    [
        ("KGQA_RETRIEVER_PORT", "none", "KGQA_RETRIEVER_PORT is invalid"),
        ("KGQA_RETRIEVER_GRAPH", "atlantis", "graph atlantis does not exist; import one with"),
    ],
)
def test_a_service_that_cannot_start_says_why_in_one_line(tmp_path: Path, variable: str, value: str, said: str) -> None:
    environment = {**os.environ, "KGQA_HOME": str(tmp_path), variable: value}
    command = [sys.executable, "-m", "services.retriever"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 1
    assert said in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("KGQA_ANSWERER_LLM_TIMEOUT_S", "-1"),
        ("KGQA_ANSWERER_LLM_TIMEOUT_S", "inf"),
        ("KGQA_REWRITER_CACHE_ENTRIES", "-1"),
    ],
)
def test_a_number_that_makes_no_sense_is_refused(monkeypatch: pytest.MonkeyPatch, variable: str, value: str) -> None:
    monkeypatch.setenv(variable, value)
    with pytest.raises(InvalidInputError, match=variable):
        load_settings(AnswererSettings if "ANSWERER" in variable else RewriterSettings)
