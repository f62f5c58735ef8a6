import pytest

from graph.plan.result import PlanResult
from graph.plan.values import NodeRef
from question_sets.records import QuestionRecord
from training.planning.calibration.judging import gives, is_as_true, is_right


def _rows(*rows: tuple[object, ...]) -> PlanResult:
    return PlanResult(tuple(f"column {place}" for place in range(len(rows[0]) if rows else 1)), rows)


def test_a_reading_is_right_if_some_column_has_the_wanted_values() -> None:
    wanted = _rows((NodeRef("1", "Oslo"), 3), (NodeRef("2", "Bern"), 4))
    assert is_right(wanted, _rows((9, "Bern"), (8, "Oslo")))
    assert not is_right(wanted, _rows((3, "Bern"), (4, "Rome")))
    assert not is_right(None, wanted)


def test_numbers_are_equal_whatever_their_type() -> None:
    assert is_right(_rows(("7",), (2,)), _rows((7.0,), (2.0000000001,)))
    assert not is_right(_rows((1,)), _rows((2,)))


def test_a_count_is_as_true_as_a_truth_value() -> None:
    assert is_as_true(_rows((3,)), _rows((True,)))
    assert is_as_true(_rows((0,)), _rows((False,)))
    assert not is_as_true(_rows((0,)), _rows((True,)))
    assert not is_as_true(_rows((3,)), _rows((3,), (4,)))


@pytest.mark.parametrize(
    ("question", "answers", "rows", "is_given"),
    [
        ("who manages Oslo", ("Ann",), (("Oslo", "ANN"),), True),
        ("who manages Oslo", ("Ann",), (("Ann",), ("Bo",)), False),
        ("average pay", ("3.14",), ((3.14159,),), True),
        ("is Oslo a depot", ("true",), ((True,),), True),
        ("is Oslo a depot", ("false",), ((True,),), False),
        ("is Oslo a depot", ("yes",), ((True,),), True),
        ("is Oslo a depot", ("yes",), ((0,),), False),
        ("is there a depot", ("no",), ((0,),), True),
        ("is there a depot", ("yes",), (("Oslo",), ("Bern",)), True),
        ("who flies", (), (("Ann",),), False),
    ],
)
def test_gold_answers_are_compared_as_people_write_them(
    question: str, answers: tuple[str, ...], rows: tuple[tuple[object, ...], ...], is_given: bool
) -> None:
    record = QuestionRecord(question=question, topic=None, answers=answers, path=None if answers else ())
    assert gives(record, _rows(*rows)) is is_given
