"""`kgqa confirm` keeps questions whose plans are proposed for others, and says which it cannot use."""

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from contracts.confirmed_questions import read_confirmed
from shared.paths import confirmed_file
from tests.support.command_here import run_here
from tests.support.property_graphs import film_graph, write_graph_file
from training.planning.confirmed_check import ConfirmedCheck, Readings

_YEARS = range(1980, 1990)


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("KGQA_HOME", str(tmp_path))
    (tmp_path / "graphs").mkdir()
    write_graph_file(film_graph(), tmp_path / "graphs" / "films.sqlite")
    return tmp_path


def _questions(folder: Path, years: Sequence[int], *more: Mapping[str, object]) -> Path:
    of_years = (
        {"question": f"Which films are from {year}?", "cypher": f"MATCH (f:Film) WHERE f.year = {year} RETURN f"}
        for year in years
    )
    file = folder / "questions.jsonl"
    file.write_text("".join(json.dumps(one) + "\n" for one in (*of_years, *more)), encoding="utf-8")
    return file


def test_questions_with_queries_are_kept_with_the_actions_of_their_plans(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    wrong = {"question": "Which ships are from 1980?", "cypher": "MATCH (s:Ship) WHERE s.year = 1980 RETURN s"}

    assert run_here(monkeypatch, "confirm", "--graph", "films", "--questions", _questions(home, _YEARS, wrong)) == 0

    found = read_confirmed(confirmed_file("films"))
    assert [one.question for one in found] == [f"Which films are from {year}?" for year in _YEARS]
    assert ("PROPERTY", False, "Film", "year") in found[0].actions
    assert ("VALUE", 21, 25) in found[0].actions
    said = capsys.readouterr()
    assert "confirmed 10 questions" in said.out
    assert '"Which ships are from 1980?" (line 11)' in " ".join(said.err.split())


def test_a_line_that_is_no_question_costs_that_line_and_is_named(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = _questions(home, _YEARS, {"question": "Which films are old?"})
    file.write_text("not JSON\n" + file.read_text(encoding="utf-8"), encoding="utf-8")

    assert run_here(monkeypatch, "confirm", "--graph", "films", "--questions", file) == 0

    said = " ".join(capsys.readouterr().err.split())
    assert len(read_confirmed(confirmed_file("films"))) == 10
    assert "questions.jsonl, line 1: expected a JSON object" in said
    assert "questions.jsonl, line 12, line: `answers` is required" in said


def test_questions_that_cannot_be_confirmed_say_what_to_do(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    unstated = {"question": "Which films are old?", "cypher": "MATCH (f:Film) WHERE f.year = 1931 RETURN f"}
    compared = {"question": "Are films new?", "cypher": "MATCH (f:Film) RETURN f.year > 1990 AS is_new"}
    wrong = {"question": "How many films?", "answers": ["-7"]}

    file = _questions(home, _YEARS, unstated, compared, wrong)
    assert run_here(monkeypatch, "confirm", "--graph", "films", "--questions", file) == 0

    said = " ".join(capsys.readouterr().err.split())
    assert "its plan uses 1931, which the question does not state" in said
    assert 'write a simpler query, or trust the question with kgqa trust: "Are films new?" (line 12)' in said
    assert "no plan was found that gives the answers; correct these" in said


def test_too_few_questions_change_nothing(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_here(monkeypatch, "confirm", "--graph", "films", "--questions", _questions(home, _YEARS)) == 0

    assert run_here(monkeypatch, "confirm", "--graph", "films", "--questions", _questions(home, [1980])) == 1

    assert "1 question of" in capsys.readouterr().err
    assert len(read_confirmed(confirmed_file("films"))) == 10


def test_enough_questions_are_asked_while_they_are_not_confirmed(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    more = {
        "question": "how many films",
        "cypher": "MATCH (f:Film) RETURN count(*) AS number",
    }

    file = _questions(home, range(1980, 1992), more)
    assert run_here(monkeypatch, "confirm", "--graph", "films", "--questions", file) == 0

    said = " ".join(capsys.readouterr().out.split())
    assert "of 13 questions, each asked without itself and a fifth of the others, read right: " in said
    assert re.search(
        r"read right: 1[0-3] before, 1[0-3] now; wrong with a confidence of 0.5 or more: 0 before, 0", said
    )


def test_what_is_confirmed_can_be_forgotten(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_here(monkeypatch, "confirm", "--graph", "films", "--questions", _questions(home, _YEARS)) == 0

    assert run_here(monkeypatch, "confirm", "--graph", "films", "--remove") == 0
    assert not confirmed_file("films").exists()
    assert run_here(monkeypatch, "confirm", "--graph", "films", "--remove") == 1
    assert "no questions about the graph films are confirmed" in capsys.readouterr().err


def test_a_file_or_removal_is_needed_and_not_both(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run_here(monkeypatch, "confirm", "--graph", "films") == 2
    assert run_here(monkeypatch, "confirm", "--graph", "films", "--remove", "--questions", home) == 2


@pytest.mark.parametrize("words", [[], ["--force"]])
def test_questions_that_mislead_others_are_confirmed_only_by_force(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], words: list[str]
) -> None:
    async def worse(*_: object) -> ConfirmedCheck:
        return ConfirmedCheck(10, Readings(("Who?", "Where?")), Readings(("Who?",), ("When?",)))

    monkeypatch.setattr("training.planning.confirmed_check.check_confirmed", worse)

    code = run_here(monkeypatch, "confirm", "--graph", "films", "--questions", _questions(home, _YEARS), *words)

    assert (code, confirmed_file("films").exists()) == ((0, True) if words else (4, False))
    said = capsys.readouterr()
    assert "2 before, 1 now" in " ".join(said.out.split())
    assert "only confirmed with --force. Read worse: Where?; When?" in " ".join(said.err.split())


def test_an_answer_of_yes_or_no_shows_how_a_question_is_read(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = _questions(home, _YEARS, {"question": "Are there films from 1980?", "answers": [True]})

    assert run_here(monkeypatch, "confirm", "--graph", "films", "--questions", file) == 0
    assert "confirmed 11 questions" in capsys.readouterr().out
