"""People confirm or correct how questions are read."""

import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from graph.sqlite.store import SqliteGraphStore
from ingestion.sqlite_writer import GraphWriter
from kgqa.cli import main
from question_sets.records import read_questions
from services.retriever.plans.planner import Planner
from shared.errors import InvalidInputError, NotFoundError
from tests.fakes.planning import ScriptedPlans
from tests.support.property_graphs import film_graph, write_graph_file
from training.planning.labelling import LabelFile, candidates_of, questions_in

_QUESTION = "How many films are there?"


async def test_readings_are_shown_with_the_beginning_of_their_answers(tmp_path: Path) -> None:
    write_graph_file(film_graph(), tmp_path / "films.sqlite")
    store = SqliteGraphStore(tmp_path / "films.sqlite", 5.0)
    script = {_QUESTION: [("KIND:Film GROUP COUNT_ROWS END", -0.1), ("KIND:Film RETURN VARIABLE:0 END", -1.0)]}

    [candidate] = [
        one async for one in candidates_of([_QUESTION], Planner(store, lambda found: ScriptedPlans(script, found)))
    ]
    await store.close()

    count, listing = candidate.readings
    assert (count.text, count.answers) == ("match film:Film → count as count", "20")
    assert listing.answers.endswith("and 16 more")


def test_labels_are_a_question_file(tmp_path: Path) -> None:
    file = LabelFile(tmp_path / "new" / "labels.jsonl")
    file.add(_QUESTION, answers=["20"])
    file.add("Who is the pope?", answers=[])

    assert [record.answers for record in read_questions(tmp_path / "new" / "labels.jsonl")] == [("20",), ()]
    assert LabelFile(tmp_path / "new" / "labels.jsonl").done == {_QUESTION, "Who is the pope?"}


def test_questions_are_read_from_plain_text_and_from_question_files(tmp_path: Path) -> None:
    (tmp_path / "q.txt").write_text("Which films?\n\n  Which   films?\nWho?\n", encoding="utf-8")
    (tmp_path / "q.jsonl").write_text('{"question": "Who?", "answers": []}\n', encoding="utf-8")

    assert questions_in(tmp_path / "q.txt") == ["Which films?", "Who?"]
    assert questions_in(tmp_path / "q.jsonl") == ["Who?"]
    with pytest.raises(NotFoundError):
        questions_in(tmp_path / "none.jsonl")
    with pytest.raises(InvalidInputError, match="cannot be read"):
        questions_in(tmp_path / "none.txt")


def _answer(monkeypatch: pytest.MonkeyPatch, *lines: str) -> None:
    typed: Iterator[str] = iter(lines)

    def read(_: str = "") -> str:
        try:
            return next(typed)
        except StopIteration:
            raise EOFError from None

    monkeypatch.setattr("builtins.input", read)


def _run(monkeypatch: pytest.MonkeyPatch, *words: str) -> None:
    monkeypatch.setattr(sys, "argv", ["kgqa", *words])
    with pytest.raises(SystemExit):
        main()
        sys.exit(0)


@pytest.fixture
def labels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Import a graph; return the file for labels."""
    monkeypatch.setenv("KGQA_HOME", str(tmp_path))
    (tmp_path / "graphs").mkdir()
    with closing(GraphWriter(tmp_path / "graphs" / "mine.sqlite")) as writer:
        for number in range(20):
            writer.add_triple(f"Film No {number}", "directed_by", f"Director {number % 5}")
            writer.add_kind(f"Film No {number}", "Film")
            writer.add_kind(f"Director {number % 5}", "Person")
        writer.finish()
    return tmp_path / "labels.jsonl"


def test_the_terminal_keeps_what_a_person_says(
    monkeypatch: pytest.MonkeyPatch, labels: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _answer(monkeypatch, "1", "?", "s", "r", "My own words?", "1", "a", "Heat; Ran", "n", "q", "1")

    _run(monkeypatch, "label", "--graph", "mine", "--out", str(labels))

    first, reworded, answered, unanswerable = read_questions(labels)
    assert first.plan is not None
    assert (reworded.question, reworded.plan is not None) == ("My own words?", True)
    assert answered.answers == ("Heat", "Ran")
    assert (unanswerable.answers, unanswerable.plan) == ((), None)
    assert "labelled 4 questions; 4 in" in capsys.readouterr().out


def test_the_next_session_does_not_ask_again(
    monkeypatch: pytest.MonkeyPatch, labels: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _answer(monkeypatch, "1", "q")
    _run(monkeypatch, "label", "--graph", "mine", "--out", str(labels))
    [first] = read_questions(labels)
    capsys.readouterr()

    _answer(monkeypatch)
    _run(monkeypatch, "label", "--graph", "mine", "--out", str(labels))

    assert first.question not in capsys.readouterr().out
