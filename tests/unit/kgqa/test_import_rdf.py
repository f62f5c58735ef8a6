"""Test what `kgqa import` says of RDF; the readers have their own tests."""

from pathlib import Path

import pytest

from tests.fakes.sparql_server import sparql_server
from tests.unit.kgqa.test_cli import run


@pytest.fixture(autouse=True)
def _empty_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KGQA_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("COLUMNS", "200")


def test_merged_graphs_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "f.nq"
    line = "<http://e.org/a> <http://e.org/p> <http://e.org/b> <http://e.org/{}> .\n"
    file.write_text(line.format("g") + line.format("h"))

    assert run(monkeypatch, "import", file, "--graph", "mine") == 0
    assert "f.nq: merged 2 graphs: <http://e.org/g> (1 triple), <http://e.org/h> (1 triple)" in capsys.readouterr().out
    assert run(monkeypatch, "import", file, "--graph", "mine", "--named-graph", "http://e.org/x") == 1
    assert "no file has the named graph <http://e.org/x>" in capsys.readouterr().err


def test_a_syntax_error_is_said_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "f.ttl").write_text("<http://e.org/a> x:p 1 .\n")

    assert run(monkeypatch, "import", tmp_path / "f.ttl", "--graph", "mine") == 1
    assert "f.ttl, line 1: column 18: the prefix x: has not been declared" in capsys.readouterr().err


def test_an_endpoint_is_imported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with sparql_server() as server:
        assert run(monkeypatch, "import", "--from-sparql", server.url, "--graph", "mine") == 0
        assert "mine: 25 triples" in capsys.readouterr().out
        words = ("import", "--from-sparql", server.url, "--named-graph", "http://e.org/g", "--graph", "mine")
        assert run(monkeypatch, *words) == 0
        assert "mine: 1 triple," in capsys.readouterr().out
        assert run(monkeypatch, "import", "f.nt", "--from-sparql", server.url, "--graph", "mine") == 1
        assert "--from-sparql cannot be combined with files" in capsys.readouterr().err
    assert not list((tmp_path / "home" / "snapshots").iterdir())
