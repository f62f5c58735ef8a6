"""`kgqa trust` pins questions only if they fit the graph, and keeps them when the graph is imported again."""

import json
import sys
from pathlib import Path

import pytest

from contracts.trusted_questions import read_file
from graph.plan.algebra import Constant
from graph.plan.traversal import walk
from kgqa.cli import main
from question_sets.records import read_questions

FACTS = "France\tcapital\tParis\nSpain\tcapital\tMadrid\nFrance\t:LABEL\tCountry\nSpain\t:LABEL\tCountry\n"
WORDINGS = ("capital of {country:Country}", "Which city governs {country:Country}?")
PLAN = {
    "steps": [
        {
            "op": "match",
            "nodes": [{"variable": "c", "kinds": ["Country"]}, {"variable": "city"}],
            "relationships": [{"source": "c", "target": "city", "types": ["capital"]}],
            "where": {
                "op": "comparison", "operator": "=",
                "left": {"op": "property", "variable": "c", "key": "name"},
                "right": {"op": "constant", "value": "{country}"},
            },
        },
        {"op": "project", "columns": [{"name": "city", "value": {"op": "variable", "name": "city"}}]},
    ]
}  # fmt: skip


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("KGQA_HOME", str(tmp_path / "home"))
    (tmp_path / "facts.tsv").write_text(FACTS, encoding="utf-8")
    (tmp_path / "plan.json").write_text(json.dumps(PLAN), encoding="utf-8")
    assert run(monkeypatch, "import", tmp_path / "facts.tsv", "--graph", "mine") == 0
    return tmp_path


def run(monkeypatch: pytest.MonkeyPatch, *words: str | Path) -> int:
    monkeypatch.setattr(sys, "argv", ["kgqa", *map(str, words)])
    with pytest.raises(SystemExit) as ended:
        main()
        sys.exit(0)
    return int(ended.value.code or 0)


def add(monkeypatch: pytest.MonkeyPatch, home: Path, name: str, *wordings: str) -> int:
    return run(monkeypatch, "trust", "add", name, *wordings, "--plan", home / "plan.json", "--graph", "mine")


def test_questions_are_added_replaced_listed_and_removed(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert add(monkeypatch, home, "Capitals", *WORDINGS) == 0
    assert add(monkeypatch, home, "Capitals", WORDINGS[0]) == 0
    assert add(monkeypatch, home, "Governments", WORDINGS[1]) == 0
    assert run(monkeypatch, "import", home / "facts.tsv", "--graph", "mine") == 0
    capsys.readouterr()

    assert run(monkeypatch, "trust", "list", "--graph", "mine") == 0
    listed = capsys.readouterr()
    assert listed.out == f"Capitals\n  {WORDINGS[0]}\nGovernments\n  {WORDINGS[1]}\n"
    assert listed.err == ""

    assert run(monkeypatch, "trust", "remove", "Capitals", "--graph", "mine") == 0
    assert [one.name for one in read_file(home / "home" / "trusted" / "mine.jsonl")] == ["Governments"]


@pytest.mark.parametrize("command", ["list", "export"])
def test_that_there_are_no_questions_is_said(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], command: str
) -> None:
    capsys.readouterr()
    assert run(monkeypatch, "trust", command, "--graph", "mine") == 0
    said = "the graph mine has no trusted questions; add one: kgqa trust add --graph mine --help\n"
    assert capsys.readouterr() == ("", said)


def test_a_plan_that_is_no_text_is_explained(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (home / "plan.json").write_bytes(b"\xff\xfe")
    assert add(monkeypatch, home, "Capitals", WORDINGS[0]) == 1
    assert "plan.json is not UTF-8; " in capsys.readouterr().err


def test_what_does_not_fit_is_refused_or_named(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert add(monkeypatch, home, "Capitals", "capital of {country:Land}") == 1
    assert "the slot 'country' has the type 'Land'" in capsys.readouterr().err
    assert add(monkeypatch, home, "Capitals") == 2
    assert run(monkeypatch, "trust", "remove", "Capitals", "--graph", "mine") == 1
    assert "there is no trusted question 'Capitals'" in capsys.readouterr().err
    (home / "plan.json").write_text("[", encoding="utf-8")
    assert add(monkeypatch, home, "Capitals", WORDINGS[0]) == 1
    assert "Invalid JSON" in capsys.readouterr().err
    assert not (home / "home" / "trusted").exists()


def test_a_graph_that_changed_is_warned_of(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert add(monkeypatch, home, "Capitals", WORDINGS[0]) == 0
    (home / "facts.tsv").write_text(FACTS.replace("capital", "seat"), encoding="utf-8")
    assert run(monkeypatch, "import", home / "facts.tsv", "--graph", "mine") == 0
    capsys.readouterr()

    assert run(monkeypatch, "trust", "list", "--graph", "mine") == 0
    assert "warning: not used: Capitals: " in capsys.readouterr().err


def test_training_questions_have_names_of_the_graph_in_their_slots(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert add(monkeypatch, home, "Capitals", *WORDINGS) == 0
    capsys.readouterr()

    assert run(monkeypatch, "trust", "export", "--graph", "mine") == 0
    (home / "questions.jsonl").write_text(capsys.readouterr().out, encoding="utf-8")
    records = read_questions(home / "questions.jsonl")

    asked = {text.replace("{country:Country}", name) for text in WORDINGS for name in ("France", "Spain")}
    assert {record.question for record in records} == asked
    assert len(records) == len(asked)
    for record in records:
        [name] = [name for name in ("France", "Spain") if name in record.question]
        assert Constant(name) in list(walk(record.plan))


def test_the_steps_of_a_reply_are_a_plan(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (home / "plan.json").write_text(json.dumps(PLAN["steps"]), encoding="utf-8")
    assert add(monkeypatch, home, "Capitals", WORDINGS[0]) == 0

    [question] = read_file(home / "home" / "trusted" / "mine.jsonl")
    assert question.plan == PLAN


def test_other_json_than_a_plan_is_explained(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (home / "plan.json").write_text("7", encoding="utf-8")
    assert add(monkeypatch, home, "Capitals", WORDINGS[0]) == 1
    assert capsys.readouterr().err.count("\n") == 1
