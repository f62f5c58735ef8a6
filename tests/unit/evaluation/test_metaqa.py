import lzma
from pathlib import Path

import pytest

from evaluation.readers.metaqa import convert_metaqa, relation_path
from shared.errors import InvalidInputError, NotFoundError
from shared.questions import read_questions


def _folder(root: Path, question: str = "who directed [Heat]\tMichael Mann\n") -> Path:
    (root / "1-hop").mkdir(parents=True)
    (root / "kb.txt.xz").write_bytes(lzma.compress(b"Heat|directed_by|Michael Mann\n"))
    (root / "1-hop" / "qa_dev.txt").write_text(question, encoding="utf-8")
    (root / "1-hop" / "qa_dev_qtype.txt").write_text("movie_to_director\n", encoding="utf-8")
    return root


@pytest.mark.parametrize(
    ("question_type", "path"),
    [
        ("movie_to_director", ("directed_by",)),
        ("tag_to_movie", ("^has_tags",)),
        ("movie_to_actor_to_movie", ("starred_actors", "^starred_actors")),
        ("movie_to_writer_to_movie_to_year", ("written_by", "^written_by", "release_year")),
        ("movie_to_imdbrating", ("has_imdb_rating",)),
    ],
)
def test_question_types_are_relation_paths(question_type: str, path: tuple[str, ...]) -> None:
    assert relation_path(question_type) == path


def test_converts_graph_and_questions(tmp_path: Path) -> None:
    written = convert_metaqa(_folder(tmp_path / "in"), tmp_path / "out")
    assert [(w.file.name, w.lines) for w in written] == [("graph.tsv", 1), ("1-hop-dev.jsonl", 1)]
    assert (tmp_path / "out" / "graph.tsv").read_text(encoding="utf-8") == "Heat\tdirected_by\tMichael Mann\n"
    (question,) = read_questions(tmp_path / "out" / "1-hop-dev.jsonl")
    assert question.question == "who directed Heat"
    assert (question.topic, question.answers, question.path) == ("Heat", ("Michael Mann",), ("directed_by",))


@pytest.mark.parametrize("line", ["no topic\tx\n", "who directed [Heat]\n", "a\tb\tc\n"])
def test_a_bad_line_is_named_and_nothing_half_written(tmp_path: Path, line: str) -> None:
    with pytest.raises(InvalidInputError, match=r"qa_dev\.txt, line 1"):
        convert_metaqa(_folder(tmp_path / "in", line), tmp_path / "out")
    assert not list((tmp_path / "out").glob("*dev*"))


def test_another_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match=r"kb\.txt"):
        convert_metaqa(tmp_path, tmp_path / "out")
