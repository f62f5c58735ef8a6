import lzma
from pathlib import Path

import pytest

from question_sets.metaqa import convert_metaqa, relation_path
from question_sets.records import read_questions
from shared.errors import InvalidInputError, NotFoundError


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
def test_a_question_type_determines_the_relation_path(question_type: str, path: tuple[str, ...]) -> None:
    assert relation_path(question_type) == path


def test_graph_and_questions_are_converted(tmp_path: Path) -> None:
    written = convert_metaqa(_folder(tmp_path / "in"), tmp_path / "out")
    assert [(file.name, lines) for file, lines in written.items()] == [("graph.tsv", 1), ("1-hop-dev.jsonl", 1)]
    assert (tmp_path / "out" / "graph.tsv").read_text(encoding="utf-8") == "Heat\tdirected_by\tMichael Mann\n"
    (question,) = read_questions(tmp_path / "out" / "1-hop-dev.jsonl")
    assert question.question == "who directed Heat"
    assert (question.topic, question.answers, question.path) == ("Heat", ("Michael Mann",), ("directed_by",))


@pytest.mark.parametrize("line", ["no topic\tx\n", "who directed [Heat]\n", "a\tb\tc\n"])
def test_an_error_names_the_line_and_leaves_no_partial_file(tmp_path: Path, line: str) -> None:
    with pytest.raises(InvalidInputError, match=r"qa_dev\.txt, line 1"):
        convert_metaqa(_folder(tmp_path / "in", line), tmp_path / "out")
    assert not list((tmp_path / "out").glob("*dev*"))


def test_a_folder_of_something_else_is_rejected(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match=r"kb\.txt"):
        convert_metaqa(tmp_path, tmp_path / "out")


def _many(root: Path) -> Path:
    folder = _folder(root)
    wordings = [f"who wording{n} [Heat]\tMichael Mann\n" for n in range(10)] * 2
    for split in ("dev", "test"):
        (folder / "1-hop" / f"qa_{split}.txt").write_text("".join(wordings), encoding="utf-8")
        (folder / "1-hop" / f"ntm_qa_{split}.txt").write_text(
            "".join(wordings).replace("who", "whom"), encoding="utf-8"
        )
        (folder / "1-hop" / f"qa_{split}_qtype.txt").write_text("movie_to_director\n" * 20, encoding="utf-8")
    return folder


def test_the_unseen_split_shares_no_template(tmp_path: Path) -> None:
    convert_metaqa(_many(tmp_path / "in"), tmp_path / "out")
    training, test = (
        {question.question for question in read_questions(tmp_path / "out" / f"1-hop-unseen-{split}.jsonl")}
        for split in ("train", "test")
    )
    assert (len(training), len(test)) == (8, 2)
    assert not training & test


def test_paraphrases_use_the_question_types_of_the_vanilla_questions(tmp_path: Path) -> None:
    convert_metaqa(_many(tmp_path / "in"), tmp_path / "out")
    question = read_questions(tmp_path / "out" / "1-hop-ntm-dev.jsonl")[0]
    assert (question.question, question.path) == ("whom wording0 Heat", ("directed_by",))
