from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import BaseModel

from question_sets.journal import Journal
from shared.errors import InvalidInputError

WORK = {"graph": "1", "llm": "scripted"}


class Note(BaseModel):
    number: int
    text: str = "\u2028"


def journal(file: Path, begun_with: dict[str, str] = WORK) -> Journal[Note]:
    return Journal(file, begun_with, Note)


def noted(file: Path, count: int) -> list[int]:
    """Writes down what the journal lacks of `count` notes; all that it holds then."""
    with journal(file) as notes:
        held = {note.number for note in notes}
        for number in range(count):
            if number not in held:
                notes.add(Note(number=number))
        return [note.number for note in notes]


@given(cut=st.integers(0, 400))
@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_kill_anywhere_loses_and_doubles_nothing(tmp_path: Path, cut: int) -> None:
    file = tmp_path / "journal"
    file.unlink(missing_ok=True)
    noted(file, 8)
    file.write_bytes(file.read_bytes()[:cut])
    assert noted(file, 8) == list(range(8))
    assert noted(file, 0) == list(range(8))


def test_another_work_does_not_go_on_in_it(tmp_path: Path) -> None:
    noted(tmp_path / "journal", 1)
    with pytest.raises(InvalidInputError, match="begun with graph '1', not '2': go on with that, or remove"):
        journal(tmp_path / "journal", {**WORK, "graph": "2"})
    assert noted(tmp_path / "journal", 1) == [0]


def test_a_journal_without_a_line_is_begun_anew(tmp_path: Path) -> None:
    noted(tmp_path / "journal", 0)
    with journal(tmp_path / "journal", {**WORK, "graph": "2"}) as notes:
        notes.add(Note(number=7))
    with pytest.raises(InvalidInputError, match="begun with graph '2'"):
        journal(tmp_path / "journal")


def test_two_runs_do_not_write_into_one_journal(tmp_path: Path) -> None:
    with journal(tmp_path / "journal"), pytest.raises(InvalidInputError, match="another run is at work"):
        journal(tmp_path / "journal")
    assert noted(tmp_path / "journal", 1) == [0]


def test_a_folder_is_no_journal(tmp_path: Path) -> None:
    with pytest.raises(InvalidInputError, match="is not a journal"):
        journal(tmp_path)


@pytest.mark.parametrize("content", ["no json\n", '{"question": "q"}\n', "half a line"])
def test_another_file_is_no_journal_and_stays_as_it_was(tmp_path: Path, content: str) -> None:
    (tmp_path / "journal").write_text(content)
    with pytest.raises(InvalidInputError, match="is not a journal"):
        journal(tmp_path / "journal")
    assert (tmp_path / "journal").read_text() == content


def test_a_damaged_line_is_named(tmp_path: Path) -> None:
    noted(tmp_path / "journal", 3)
    lines = (tmp_path / "journal").read_text(encoding="utf-8").split("\n")
    (tmp_path / "journal").write_text("\n".join([lines[0], lines[1][:-5], *lines[2:]]), encoding="utf-8")
    with pytest.raises(InvalidInputError, match="line 2: damaged"):
        journal(tmp_path / "journal")
