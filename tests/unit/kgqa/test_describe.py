"""`kgqa describe` drafts what an owner may say, checks it, and never replaces it unasked."""

from pathlib import Path

import pytest

from contracts.meaning_file import parse_meaning
from shared.paths import meaning_file
from tests.support.command_here import run_here

_FACTS = "Ann\t:LABEL\tEmp\nBo\t:LABEL\tEmp\nBo\trpts_to\tAnn\nAnn\tamt_eur\t12\nBo\tamt_eur\t7\n"


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("KGQA_HOME", str(tmp_path / "home"))
    (tmp_path / "facts.tsv").write_text(_FACTS, encoding="utf-8")
    assert run_here(monkeypatch, "import", tmp_path / "facts.tsv", "--graph", "mine") == 0
    return meaning_file("mine")


def test_a_draft_has_all_that_is_known_and_marks_what_says_little(
    file: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_here(monkeypatch, "describe", "--graph", "mine", "--draft") == 0

    text = file.read_text(encoding="utf-8")
    found = parse_meaning(text)
    assert not found.problems
    assert {("kinds", "Emp"), ("relationships", "rpts_to"), ("properties", "amt_eur")} <= found.meanings.keys()
    assert "# CRYPTIC: describe this one first.\n# (Emp)-[rpts_to]->(Emp); 1 in all\n[relationships.rpts_to]" in text
    assert "# 2 nodes, such as 'Ann', 'Bo'" in text
    assert "describe first what says little: Emp, rpts_to, amt_eur" in capsys.readouterr().err
    assert run_here(monkeypatch, "describe", "--graph", "mine", "--check") == 0


def test_a_file_is_replaced_only_if_told_and_its_entries_are_kept(
    file: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    said = '# mine\n[relationships.rpts_to]\nnames = ["boss"]\n'
    file.parent.mkdir()
    file.write_text(said, encoding="utf-8")

    assert run_here(monkeypatch, "describe", "--graph", "mine", "--draft") == 1
    assert file.read_text(encoding="utf-8") == said
    assert "exists; edit it" in capsys.readouterr().err
    assert run_here(monkeypatch, "describe", "--graph", "mine", "--draft", "--force") == 0
    replaced = parse_meaning(file.read_text(encoding="utf-8"))
    assert replaced.meanings[("relationships", "rpts_to")].names == ("boss",)
    assert ("kinds", "Emp") in replaced.meanings


def test_a_check_names_lines_and_fails(
    file: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_here(monkeypatch, "describe", "--graph", "mine", "--check") == 1
    file.parent.mkdir()
    file.write_text('[kinds.Emp]\nnames = ["x"]\n[relationships.rpt_to]\nnames = ["y"]\n', encoding="utf-8")

    assert run_here(monkeypatch, "describe", "--graph", "mine", "--check") == 1
    error = capsys.readouterr().err
    assert "line 3: [relationships.rpt_to] is left out" in error
    assert "did you mean 'rpts_to'?" in error


def test_the_schema_shows_names(
    file: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file.parent.mkdir()
    said = '[kinds.Emp]\nnames = ["employee"]\ndescription = "Who works here."\n[properties.amt_eur]\nnames = ["pay"]\n'
    file.write_text(said + '[relationships.rpts_to]\ninverse_names = ["manages"]\n', encoding="utf-8")

    assert run_here(monkeypatch, "schema", "--graph", "mine") == 0

    shown = capsys.readouterr().out
    for text in ("employee", "Who works here.", "pay", "manages"):
        assert text in shown
