"""`kgqa up` warns of entries of `meaning.toml` that do not do what they say."""

from pathlib import Path

import pytest

from services.local_stack import check_servable
from shared.errors import InvalidInputError
from shared.paths import meaning_file
from tests.unit.kgqa.test_cli import run


@pytest.fixture(autouse=True)
def _graph(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("KGQA_HOME", str(tmp_path / "home"))
    (tmp_path / "nodes.csv").write_text(":ID,:LABEL,name,age:int\n1,Pet,Rex,3\n", encoding="utf-8")
    assert run(monkeypatch, "import", tmp_path / "nodes.csv", "--graph", "vet") == 0
    meaning_file("vet").parent.mkdir()


async def _warnings(tmp_path: Path, said: str) -> list[str]:
    meaning_file("vet").write_text(said, encoding="utf-8")
    warnings: list[str] = []
    await check_servable("vet", tmp_path / "none", warnings.append)
    return [warning for warning in warnings if "train retriever" not in warning]


async def test_what_is_hidden_is_no_problem(tmp_path: Path) -> None:
    assert await _warnings(tmp_path, "[kinds.Pet]\nhidden = true") == []


async def test_a_misspelt_key_or_name_is_warned_of_with_the_near_one(tmp_path: Path) -> None:
    misspelt_key, misspelt_kind = await _warnings(tmp_path, "[kinds.Pet]\nhiden = true\n[kinds.Pett]\nhidden = true")

    assert f"{meaning_file('vet')}, line 2: [kinds.Pet] is hidden" in misspelt_key
    assert "did you mean 'hidden'?" in misspelt_key
    assert "line 3: [kinds.Pett] is left out: the graph has no kind 'Pett'; did you mean 'Pet'?" in misspelt_kind


async def test_of_many_problems_the_first_are_shown(tmp_path: Path) -> None:
    said = "".join(f"[kinds.Nope{number}]\n" for number in range(7))

    *shown, more = await _warnings(tmp_path, said)

    assert len(shown) == 5
    assert "and 2 more; see them all with: kgqa describe --check --graph vet" in more


async def test_a_file_that_is_no_toml_is_refused_before_anything_starts(tmp_path: Path) -> None:
    with pytest.raises(InvalidInputError, match="not TOML"):
        await _warnings(tmp_path, "[kinds.Pet")
