from pathlib import Path

import pytest

from question_sets.pathquestion import SEEDS, convert_pathquestion
from question_sets.records import QuestionRecord, read_questions
from shared.errors import InvalidInputError, NotFoundError

QUESTION = "what is ann_lee 's couple 's job ?\tactor(actor/film_maker/)\tann_lee#spouse#bo_kim#job#actor#<end>#actor\n"


def _folder(root: Path, question: str = QUESTION) -> Path:
    root.mkdir()
    for hops in (2, 3):
        (root / f"{hops}H-kb.txt").write_text("ann_lee\tspouse\tbo_kim\nbo_kim\tjob\tactor\n", encoding="utf-8")
        (root / f"PQ-{hops}H.txt").write_text(question, encoding="utf-8")
    return root


def _split(folder: Path, seed: int) -> list[list[QuestionRecord]]:
    return [read_questions(folder / f"2-hop-seed{seed}-{split}.jsonl") for split in ("train", "valid", "test")]


def test_graphs_and_questions_are_converted(tmp_path: Path) -> None:
    lines = "".join(QUESTION.replace("what is", f"what{n} is") for n in range(20))
    written = convert_pathquestion(_folder(tmp_path / "in", lines), tmp_path / "out")
    assert len(written) == 2 * (1 + 3 * len(SEEDS))
    graph = (tmp_path / "out" / "2-hop-graph.tsv").read_text(encoding="utf-8")
    assert graph == "ann lee\tspouse\tbo kim\nbo kim\tjob\tactor\n"
    question = read_questions(tmp_path / "out" / "3-hop-seed0-test.jsonl")[0]
    assert question.question.endswith("is ann lee 's couple 's job ?")
    assert (question.topic, question.answers, question.path) == ("ann lee", ("actor", "film maker"), ("spouse", "job"))


def test_each_seed_splits_all_questions_without_overlap(tmp_path: Path) -> None:
    lines = "".join(QUESTION.replace("what is", f"what{n} is") for n in range(20))
    convert_pathquestion(_folder(tmp_path / "in", lines), tmp_path / "out")
    splits = [_split(tmp_path / "out", seed) for seed in SEEDS]
    for parts in splits:
        assert [len(part) for part in parts] == [16, 2, 2]
        assert len({question.question for part in parts for question in part}) == 20
    assert len({tuple(question.question for question in parts[2]) for parts in splits}) > 1


@pytest.mark.parametrize("line", ["q\ta(a/)\n", "q\ta\tt#r#a\n", "q\ta()\tt#r#a\n"])
def test_an_error_names_the_line_and_leaves_no_partial_file(tmp_path: Path, line: str) -> None:
    with pytest.raises(InvalidInputError, match=r"PQ-2H\.txt, line 1"):
        convert_pathquestion(_folder(tmp_path / "in", line), tmp_path / "out")
    assert not list((tmp_path / "out").glob("*seed*"))


def test_a_folder_of_something_else_is_rejected(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match=r"2H-kb\.txt"):
        convert_pathquestion(tmp_path, tmp_path / "out")
