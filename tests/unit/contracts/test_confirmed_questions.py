from pathlib import Path

import pytest

from contracts.confirmed_questions import ConfirmedQuestion, read_confirmed
from contracts.json_lines import write_lines
from shared.errors import InvalidInputError

_COUNT = ConfirmedQuestion(question="How many films?", actions=(("KIND", "Film"), ("PROPERTY", False, "Film", "year")))


def test_a_file_is_read_as_it_was_written(tmp_path: Path) -> None:
    file = tmp_path / "films.jsonl"
    file.write_text(write_lines([_COUNT, _COUNT]), encoding="utf-8")

    assert read_confirmed(file) == [_COUNT, _COUNT]


def test_without_a_file_nothing_is_confirmed(tmp_path: Path) -> None:
    assert read_confirmed(tmp_path / "films.jsonl") == []


def test_a_malformed_line_is_named(tmp_path: Path) -> None:
    file = tmp_path / "films.jsonl"
    file.write_text(write_lines([_COUNT]) + '{"question": "How many?"}\n', encoding="utf-8")

    with pytest.raises(InvalidInputError, match="line 2: this is no confirmed question"):
        read_confirmed(file)
