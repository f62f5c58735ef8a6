"""Secrets as files, the way Kubernetes and Compose mount them, in place of environment variables."""

from pathlib import Path

import pytest

from services.answerer.settings import AnswererSettings
from services.rewriter.settings import RewriterSettings
from shared.errors import InvalidInputError
from shared.graph.neo4j.settings import Neo4jSettings
from shared.settings import load_settings


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("KGQA_SECRETS_DIR", str(tmp_path))
    return tmp_path


def test_a_secret_is_read_from_the_file_of_its_name(folder: Path) -> None:
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


def test_a_folder_that_is_not_mounted_is_an_error(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KGQA_SECRETS_DIR", str(folder / "missing"))
    with pytest.raises(InvalidInputError, match="KGQA_SECRETS_DIR"):
        load_settings(Neo4jSettings)


def test_a_file_that_cannot_be_read_is_named(folder: Path) -> None:
    (folder / "KGQA_NEO4J_PASSWORD").write_bytes(b"\xff\xfe")
    with pytest.raises(InvalidInputError, match=r"KGQA_SECRETS_DIR.*password"):
        load_settings(Neo4jSettings)
