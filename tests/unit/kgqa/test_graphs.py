"""Graph files are listed, backed up, removed, and restored from the command line."""

from contextlib import ExitStack
from pathlib import Path

import pytest
import typer

from shared.paths import graph_file, meaning_file
from tests.unit.kgqa.test_cli import run
from tests.unit.kgqa.test_status import start


@pytest.fixture(autouse=True)
def _graph(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("KGQA_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.delenv("KGQA_NEO4J_URL", raising=False)
    (tmp_path / "facts.tsv").write_text("France\tcapital\tParis\n", encoding="utf-8")
    assert run(monkeypatch, "import", tmp_path / "facts.tsv", "--graph", "mine") == 0
    capsys.readouterr()


def test_graphs_are_listed_with_damaged_ones(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    graph_file("other").write_text("not a graph", encoding="utf-8")
    with ExitStack() as stack:
        start(stack, 4321)
        assert run(monkeypatch, "graphs") == 0
    shown = capsys.readouterr().out
    rows = {line.split()[0]: line.split() for line in shown.splitlines() if not line.startswith(" ")}
    assert rows["graph"][:3] == ["graph", "entities", "triples"]
    assert rows["mine"][:3] == ["mine", "2", "1"]
    assert "4321" in rows["mine"]
    assert rows["other"][:3] == ["other", "?", "?"]
    assert "create one with" in " ".join(shown.split())


def test_a_graph_is_backed_up_removed_and_restored(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(monkeypatch, "backup", "mine") == 0
    assert "mine.kgqa.tar.gz: 1 file of the graph mine" in capsys.readouterr().out
    assert run(monkeypatch, "remove", "mine", "--yes") == 0
    assert run(monkeypatch, "graphs") == 0
    assert "there are no graphs" in capsys.readouterr().err
    assert run(monkeypatch, "restore", "mine.kgqa.tar.gz") == 0
    assert "restored mine: 2 entities, 1 triple; the packaged base model" in capsys.readouterr().out
    assert run(monkeypatch, "restore", "mine.kgqa.tar.gz") == 1
    assert "--replace" in capsys.readouterr().err
    assert run(monkeypatch, "restore", "mine.kgqa.tar.gz", "--replace") == 0


def test_a_backup_hides_what_its_graph_hid_and_a_removal_leaves_nothing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    meaning_file("mine").parent.mkdir()
    meaning_file("mine").write_text("[relationships.capital]\nhidden = true\n", encoding="utf-8")
    assert run(monkeypatch, "backup", "mine", tmp_path / "mine.tar.gz") == 0
    assert "2 files of the graph mine" in capsys.readouterr().out
    assert run(monkeypatch, "remove", "mine", "--yes") == 0
    assert f"removed {meaning_file('mine')}" in capsys.readouterr().err.replace("\n", "")
    assert not meaning_file("mine").exists()
    assert run(monkeypatch, "restore", tmp_path / "mine.tar.gz", "--graph", "copy") == 0
    assert "hidden = true" in meaning_file("copy").read_text(encoding="utf-8")


@pytest.mark.parametrize(("answer", "code"), [(True, 0), (False, 1)])
def test_removal_is_confirmed(monkeypatch: pytest.MonkeyPatch, code: int, *, answer: bool) -> None:
    monkeypatch.setattr(typer, "confirm", lambda _: answer)
    assert run(monkeypatch, "remove", "mine") == code
    assert graph_file("mine").exists() is not answer


def test_nothing_is_asked_about_a_graph_that_does_not_exist(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(typer, "confirm", lambda _: pytest.fail("nothing is there to remove"))
    assert run(monkeypatch, "remove", "mina") == 1
    assert "there is no graph 'mina'" in capsys.readouterr().err


def test_a_served_graph_is_not_removed(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    with ExitStack() as stack:
        start(stack, 4321)
        assert run(monkeypatch, "remove", "mine", "--yes") == 1
    assert "kgqa up serves mine on port 4321; stop it first" in capsys.readouterr().err
    assert graph_file("mine").exists()


def test_a_database_is_backed_up_by_its_own_tools(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("KGQA_NEO4J_URL", "bolt://127.0.0.1:1")
    assert run(monkeypatch, "backup", "elsewhere") == 1
    assert "neo4j-admin database dump" in capsys.readouterr().err


def test_without_a_terminal_each_graph_has_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("COLUMNS")

    assert run(monkeypatch, "graphs") == 0

    head, row = capsys.readouterr().out.splitlines()
    assert (head.split()[0], row.split()[0]) == ("graph", "mine")
    assert row.endswith("kgqa confirm --graph mine --questions FILE")
