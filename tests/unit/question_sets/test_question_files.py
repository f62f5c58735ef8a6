import pytest

from question_sets.records import QuestionRecord


@pytest.mark.parametrize(
    ("answers", "path", "is_right"),
    [
        (["spain", "Luxembourg"], [], True),
        (["Spain"], [], False),
        (["Spain", "Luxembourg", "Paris"], [], False),
        (["Spain", "Luxembourg", "Paris"], ["borders"], True),
        ([], ["borders"], False),
    ],
)
def test_an_answer_set_is_right_as_a_whole_or_by_its_path(answers: list[str], path: list[str], is_right: bool) -> None:
    record = QuestionRecord(question="q", answers=("Luxembourg", "Spain"), path=("borders",))

    assert record.is_answered_by(answers, path) == is_right


def test_silence_is_right_where_the_graph_has_no_answer() -> None:
    record = QuestionRecord(question="q", answers=(), path=())

    assert record.is_answered_by([], [])
    assert not record.is_answered_by(["Spain"], ["borders"])
