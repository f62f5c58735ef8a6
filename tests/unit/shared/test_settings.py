import os
import subprocess
import sys
from pathlib import Path

import pytest

from graph.neo4j.settings import Neo4jSettings
from services.answerer.settings import AnswererSettings
from services.rewriter.settings import RewriterSettings
from shared.errors import InvalidInputError
from shared.settings import load_settings


def test_names_an_invalid_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KGQA_ANSWERER_PORT", "many")
    with pytest.raises(InvalidInputError, match="KGQA_ANSWERER_PORT"):
        load_settings(AnswererSettings)


def test_services_listen_on_loopback_by_default() -> None:
    assert load_settings(AnswererSettings).host == "127.0.0.1"


def test_never_prints_a_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KGQA_ANSWERER_LLM_API_KEY", "top-secret")
    assert "top-secret" not in repr(load_settings(AnswererSettings))


@pytest.mark.parametrize(
    ("variable", "value", "said"),
    [
        ("KGQA_RETRIEVER_PORT", "none", "KGQA_RETRIEVER_PORT is invalid"),
        ("KGQA_RETRIEVER_GRAPH", "atlantis", "graph atlantis does not exist; import one with"),
        ("KGQA_RETRIEVER_GRAPH", "atlantis,atlantis", "names a graph twice"),
        ("KGQA_RETRIEVER_GRAPH", "atlantis,", "KGQA_RETRIEVER_GRAPH is invalid"),
        ("KGQA_HOME", __file__, f"KGQA_HOME is {__file__}, but {__file__} is a file; set KGQA_HOME to a folder"),
    ],
)
def test_a_service_that_cannot_start_prints_one_line(tmp_path: Path, variable: str, value: str, said: str) -> None:
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
def test_rejects_an_invalid_number(monkeypatch: pytest.MonkeyPatch, variable: str, value: str) -> None:
    monkeypatch.setenv(variable, value)
    with pytest.raises(InvalidInputError, match=variable):
        load_settings(AnswererSettings if "ANSWERER" in variable else RewriterSettings)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("KGQA_SECRETS_DIR", str(tmp_path))
    return tmp_path


def test_reads_a_secret_from_the_file_of_the_same_name(folder: Path) -> None:
    (folder / "KGQA_NEO4J_PASSWORD").write_text("from-a-file\n", encoding="utf-8")
    (folder / "KGQA_ANSWERER_LLM_API_KEY").write_text("key", encoding="utf-8")
    (folder / "unrelated").write_text("x", encoding="utf-8")

    assert load_settings(Neo4jSettings).password.get_secret_value() == "from-a-file"
    key = load_settings(AnswererSettings).llm_api_key
    assert key is not None and key.get_secret_value() == "key"
    assert load_settings(RewriterSettings).llm_api_key is None


def test_the_environment_overrides_a_file(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "KGQA_NEO4J_PASSWORD").write_text("from-a-file", encoding="utf-8")
    monkeypatch.setenv("KGQA_NEO4J_PASSWORD", "from-the-environment")

    assert load_settings(Neo4jSettings).password.get_secret_value() == "from-the-environment"


def test_rejects_a_missing_folder_of_secrets(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KGQA_SECRETS_DIR", str(folder / "missing"))
    with pytest.raises(InvalidInputError, match="KGQA_SECRETS_DIR"):
        load_settings(Neo4jSettings)


def test_names_an_unreadable_secret(folder: Path) -> None:
    (folder / "KGQA_NEO4J_PASSWORD").write_bytes(b"\xff\xfe")
    with pytest.raises(InvalidInputError, match=r"KGQA_SECRETS_DIR.*password"):
        load_settings(Neo4jSettings)
