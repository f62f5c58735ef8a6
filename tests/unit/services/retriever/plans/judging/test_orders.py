from datetime import date

import pytest

from tests.support.employees import ANN, BO, doubts_about


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Who leads or plans a project?", True),
        ("Who was born first?", False),
        ("Who is the youngest of all?", False),
        ("What is the top salary?", False),
    ],
)
def test_the_first_of_some_rows_has_to_be_asked_for(question: str, expected: bool) -> None:
    plan = "KIND:Employee SORT PROPERTY:Employee.name ASCENDING LIMIT ONE RETURN VARIABLE:0 END"

    assert ("ranks-unasked" in doubts_about(question, plan)) is expected


def test_rows_without_what_they_are_sorted_by_are_in_no_order() -> None:
    plan = "KIND:Employee SORT PROPERTY:Employee.born ASCENDING RETURN VARIABLE:0 END"

    assert "sorts-by-nothing" in doubts_about("Who are the oldest employees?", plan, (ANN, None), (BO, None))
    some = doubts_about("Who are the oldest employees?", plan, (ANN, date(1980, 2, 3)), (BO, None))
    assert "sorts-by-nothing" not in some


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Which employee is the longest?", True),
        ("Which employee has the longest name?", False),
        ("Which name of an employee has the most letters?", False),
    ],
)
def test_nothing_is_long_because_its_name_is(question: str, expected: bool) -> None:
    plan = "KIND:Employee SORT SIZE PROPERTY:Employee.name DESCENDING RETURN VARIABLE:0 END"

    assert ("sorts-by-letters" in doubts_about(question, plan)) is expected
