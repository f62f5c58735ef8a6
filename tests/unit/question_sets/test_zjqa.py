import lzma
from pathlib import Path

import pytest

from question_sets.records import read_questions
from question_sets.zjqa import convert_zjqa
from shared.errors import InvalidInputError, NotFoundError

QUESTION = "马振霞是哪里人\t马振霞\t出生地\t山东|青岛\t1\n"


def _folder(root: Path, question: str = QUESTION) -> Path:
    root.mkdir()
    (root / "triple.txt").write_text("马振霞\t出生地\t山东\n", encoding="utf-8")
    (root / "train.txt.xz").write_bytes(lzma.compress(question.encode()))
    return root


def test_graph_and_questions_are_converted(tmp_path: Path) -> None:
    written = convert_zjqa(_folder(tmp_path / "in"), tmp_path / "out")
    assert [(file.name, lines) for file, lines in written.items()] == [("graph.tsv", 1), ("train.jsonl", 1)]
    assert (tmp_path / "out" / "graph.tsv").read_text(encoding="utf-8") == "马振霞\t出生地\t山东\n"
    (question,) = read_questions(tmp_path / "out" / "train.jsonl")
    assert (question.topic, question.answers, question.path) == ("马振霞", ("山东", "青岛"), ("出生地",))


@pytest.mark.parametrize("line", ["q\tt\tr\ta\n", "q\tt\tr|s\ta\t1\n", "q\tt\tr\ta\tone\n", "q\tt\tr\t\t1\n"])
def test_an_error_names_the_line_and_leaves_no_partial_file(tmp_path: Path, line: str) -> None:
    with pytest.raises(InvalidInputError, match=r"train\.txt\.xz, line 2"):
        convert_zjqa(_folder(tmp_path / "in", QUESTION + line), tmp_path / "out")
    assert not list((tmp_path / "out").glob("*train*"))


def test_a_folder_of_something_else_is_rejected(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match=r"triple\.txt"):
        convert_zjqa(tmp_path, tmp_path / "out")
    (tmp_path / "triple.txt").write_text("a\tr\tb\n", encoding="utf-8")
    with pytest.raises(NotFoundError, match="no questions"):
        convert_zjqa(tmp_path, tmp_path / "out")
