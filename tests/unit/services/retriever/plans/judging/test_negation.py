import pytest

from tests.support.employees import doubts_about


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Which employees report to Ann?", True),
        ("Who reports to Ann for more than a year?", True),
        ("Which employees do not report to Ann?", False),
        ("which employees dont report to Ann", False),
        ("Who reports to someone other than Ann?", False),
        ("Who is unconnected to Ann?", False),
    ],
)
def test_nobody_is_left_out_unless_the_question_asks_for_it(question: str, expected: bool) -> None:
    plan = "KIND:Employee NOT_EXISTS FOCUS:0 OUT:Employee.rpts_to IS VALUE:0 CLOSE RETURN VARIABLE:0 END"

    assert ("negates-unasked" in doubts_about(question, plan)) is expected
