import pytest

from tests.support.employees import doubts_about


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Who reports to Ann but does not lead a project?", False),
        ("Who leads a project but does not report to Ann?", True),
        ("Who leads a project and never reports to Ann?", True),
        ("Who is no friend of Ann?", False),
    ],
)
def test_what_the_question_negates_is_negated(question: str, expected: bool) -> None:
    plan = (
        "KIND:Employee OUT:Employee.rpts_to FOCUS:0 NOT_EXISTS FOCUS:0 OUT:Employee.leads CLOSE RETURN VARIABLE:0 END"
    )

    assert ("negates-another" in doubts_about(question, plan)) is expected


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


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Who does not report to anyone and does not lead a project?", True),
        ("Who isn't a lead and never reported to anyone?", True),
        ("Who does not lead a project?", False),
        ("Who leads a project or not, and does not report to anyone?", False),
    ],
)
def test_each_negation_of_the_question_is_one_of_the_plan(question: str, expected: bool) -> None:
    once = "KIND:Employee NOT_EXISTS FOCUS:0 OUT:Employee.leads CLOSE RETURN VARIABLE:0 END"
    twice = once.replace("CLOSE", "CLOSE NOT_EXISTS FOCUS:0 OUT:Employee.rpts_to CLOSE")

    assert ("negates-less" in doubts_about(question, once)) is expected
    assert "negates-less" not in doubts_about(question, twice)
