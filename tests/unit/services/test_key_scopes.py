"""`kgqa up` warns of API keys whose scope does not fit a graph."""

from pathlib import Path

import pytest

from services.answerer.settings import AnswererSettings
from services.key_scopes import KEYS_FILE_VARIABLE, KEYS_VARIABLE, scoped_keys, stored_keys
from services.local_stack import check_servable
from shared.errors import InvalidInputError
from shared.paths import keys_file
from shared.settings import load_settings
from tests.unit.kgqa.test_cli import run


@pytest.fixture(autouse=True)
def _graph(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("KGQA_HOME", str(tmp_path / "home"))
    monkeypatch.delenv(KEYS_VARIABLE, raising=False)
    (tmp_path / "nodes.csv").write_text(":ID,:LABEL,name,age:int\n1,Pet,Rex,3\n", encoding="utf-8")
    assert run(monkeypatch, "import", tmp_path / "nodes.csv", "--graph", "vet") == 0


async def _warnings(tmp_path: Path) -> list[str]:
    warnings: list[str] = []
    await check_servable("vet", tmp_path / "none", warnings.append)
    return [warning for warning in warnings if "kgqa keys" in warning]


def _add(monkeypatch: pytest.MonkeyPatch, name: str, scope: str = "Pet.age = 3", *words: str) -> None:
    assert run(monkeypatch, "keys", "add", name, "--scope", scope, *words) == 0


async def test_a_scope_that_does_not_fit_is_warned_of(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    _add(monkeypatch, "good", "Pet.age = 3")
    _add(monkeypatch, "elsewhere", "Nope.x = 1", "--graph", "films")
    assert await _warnings(tmp_path) == []

    _add(monkeypatch, "bad", "Nope.x = 1", "--graph", "vet")
    _add(monkeypatch, "worse", 'Pet.age = "old"')
    unknown, wrong_type = await _warnings(tmp_path)
    assert "the key bad about the graph vet are refused" in unknown
    assert "its scope Nope.x = 1 does not fit: there is no property Nope.x" in unknown
    assert "the key worse" in wrong_type


def test_keys_of_the_environment_replace_those_of_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    assert scoped_keys("vet") == {}
    _add(monkeypatch, "bad", "Nope.x = 1")
    assert [*scoped_keys("vet")] == ["bad"]
    monkeypatch.setenv(KEYS_VARIABLE, "")
    assert scoped_keys("vet") == {}


def test_a_damaged_file_is_named() -> None:
    keys_file().write_text("{", encoding="utf-8")
    with pytest.raises(InvalidInputError, match=r"api-keys\.json: expected JSON"):
        scoped_keys("vet")


def test_the_answerer_reads_the_file_unless_its_settings_name_other_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    assert stored_keys(load_settings(AnswererSettings)) == {}
    _add(monkeypatch, "page")
    assert stored_keys(load_settings(AnswererSettings)) == {KEYS_FILE_VARIABLE: str(keys_file())}
    monkeypatch.setenv(KEYS_VARIABLE, "")
    assert stored_keys(load_settings(AnswererSettings)) == {}
