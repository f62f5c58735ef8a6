import lzma
from pathlib import Path

import pytest

from question_sets.records import read_questions
from shared.errors import InvalidInputError, NotFoundError

GOOD = '{"question": "capital of France?", "topic": "France", "answers": ["Paris"], "path": ["capital"]}\n'


def test_reads_plain_and_compressed(tmp_path: Path) -> None:
    plain, packed = tmp_path / "q.jsonl", tmp_path / "q.jsonl.xz"
    plain.write_text(GOOD + "\n" + GOOD, encoding="utf-8")
    packed.write_bytes(lzma.compress(GOOD.encode()))
    assert len(read_questions(plain)) == 2
    assert read_questions(packed)[0].path == ("capital",)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("not json", "line 2"),
        ('{"question": "q"}', "line 2, answers"),
        ('{"question": "", "answers": []}', "line 2, question"),
        ('{"question": "q", "answers": "Paris"}', "line 2, answers"),
        ('{"question": "q", "answers": ["Paris"], "path": []}', "cannot answer"),
    ],
)
def test_a_bad_line_is_named_with_its_field(tmp_path: Path, line: str, words: str) -> None:
    file = tmp_path / "q.jsonl"
    file.write_text(f"{GOOD}{line}\n", encoding="utf-8")
    with pytest.raises(InvalidInputError, match=words):
        read_questions(file)


def test_unreadable_files(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError):
        read_questions(tmp_path / "none.jsonl")
    empty, binary, torn = tmp_path / "empty.jsonl", tmp_path / "binary.jsonl", tmp_path / "torn.jsonl.xz"
    empty.write_text("\n")
    binary.write_bytes(b"\xff\xfe\x00")
    torn.write_bytes(lzma.compress(GOOD.encode() * 1000)[:-20])
    for file in (empty, binary, torn):
        with pytest.raises(InvalidInputError, match=file.name.replace(".", r"\.")):
            read_questions(file)


def test_unknown_fields_are_ignored_with_one_warning_each(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    file = tmp_path / "q.jsonl"
    line = '{"question": "q", "answers": ["Paris"], "id": 7, "paths": ["capital"]}\n'
    file.write_text(GOOD + line * 3 + '{"question": "q", "answers": [], "source": {"a": 1}}\n', encoding="utf-8")
    assert len(read_questions(file)) == 5
    assert sorted(caplog.messages) == [
        f"warning: {file}: the field 'id', in 3 lines, is ignored; known are question, topic, answers, path",
        f"warning: {file}: the field 'paths', in 3 lines, is ignored; known are question, topic, answers, path",
        f"warning: {file}: the field 'source', in 1 line, is ignored; known are question, topic, answers, path",
    ]
