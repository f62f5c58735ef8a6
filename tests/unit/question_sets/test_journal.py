from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import BaseModel

from question_sets.journal import Journal, Shard
from shared.errors import InvalidInputError

WORK = {"graph": "1", "llm": "scripted"}


class Note(BaseModel):
    number: int
    text: str = "\u2028"


def journal(file: Path, begun_with: dict[str, str] = WORK) -> Journal[Note]:
    return Journal(file, begun_with, Note)


def add_notes(file: Path, count: int) -> list[int]:
    """Add notes until the journal contains the first `count`, and return the numbers of all notes in it."""
    with journal(file) as notes:
        held = {note.number for note in notes}
        for number in range(count):
            if number not in held:
                notes.add(Note(number=number))
        return [note.number for note in notes]


@given(cut=st.integers(0, 400))
@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_kill_at_any_byte_loses_and_repeats_no_item(tmp_path: Path, cut: int) -> None:
    file = tmp_path / "journal"
    file.unlink(missing_ok=True)
    add_notes(file, 8)
    file.write_bytes(file.read_bytes()[:cut])
    assert add_notes(file, 8) == list(range(8))
    assert add_notes(file, 0) == list(range(8))


def test_different_work_does_not_resume_from_it(tmp_path: Path) -> None:
    add_notes(tmp_path / "journal", 1)
    with pytest.raises(
        InvalidInputError, match="started with graph '1', not '2'; use the same settings to resume, or delete"
    ):
        journal(tmp_path / "journal", {**WORK, "graph": "2"})
    assert add_notes(tmp_path / "journal", 1) == [0]


def test_a_journal_without_items_starts_over(tmp_path: Path) -> None:
    add_notes(tmp_path / "journal", 0)
    with journal(tmp_path / "journal", {**WORK, "graph": "2"}) as notes:
        notes.add(Note(number=7))
    with pytest.raises(InvalidInputError, match="started with graph '2'"):
        journal(tmp_path / "journal")


def test_two_runs_cannot_write_to_one_journal(tmp_path: Path) -> None:
    with journal(tmp_path / "journal"), pytest.raises(InvalidInputError, match="in use by another run"):
        journal(tmp_path / "journal")
    assert add_notes(tmp_path / "journal", 1) == [0]


def test_a_folder_is_not_a_journal(tmp_path: Path) -> None:
    with pytest.raises(InvalidInputError, match="is not a journal"):
        journal(tmp_path)


@pytest.mark.parametrize("content", ["no json\n", '{"question": "q"}\n', "half a line"])
def test_a_file_that_is_not_a_journal_is_rejected_and_left_unchanged(tmp_path: Path, content: str) -> None:
    (tmp_path / "journal").write_text(content)
    with pytest.raises(InvalidInputError, match="is not a journal"):
        journal(tmp_path / "journal")
    assert (tmp_path / "journal").read_text() == content


def test_an_error_names_a_damaged_line(tmp_path: Path) -> None:
    add_notes(tmp_path / "journal", 3)
    lines = (tmp_path / "journal").read_text(encoding="utf-8").split("\n")
    (tmp_path / "journal").write_text("\n".join([lines[0], lines[1][:-5], *lines[2:]]), encoding="utf-8")
    with pytest.raises(InvalidInputError, match="line 2 is damaged"):
        journal(tmp_path / "journal")


@given(items=st.lists(st.integers(), unique=True), of=st.integers(1, 20))
def test_every_item_is_in_exactly_one_shard(items: list[int], of: int) -> None:
    parts = [shard.part(items) for shard in Shard.all(of)]
    assert sorted(item for part in parts for item in part) == sorted(items)
    assert max(map(len, parts)) - min(map(len, parts)) <= 1


@given(of=st.integers(1, 1000), data=st.data())
def test_a_shard_survives_formatting_and_parsing(of: int, data: st.DataObject) -> None:
    shard = Shard(data.draw(st.integers(0, of - 1)), of)
    assert Shard.parse(str(shard)) == shard


@pytest.mark.parametrize("text", ["", "1", "2/2", "-1/2", "a/b", "1/", "/3", "1/2/3", "²/3"])
def test_malformed_shards_are_rejected(text: str) -> None:
    with pytest.raises(InvalidInputError, match="expected a shard such as 0/10"):
        Shard.parse(text)


def test_each_shard_has_its_own_journal() -> None:
    files = {shard.file(Path("a/journal")) for shard in Shard.all(3)}
    assert files == {Path(f"a/journal.{index}-of-3") for index in range(3)}
