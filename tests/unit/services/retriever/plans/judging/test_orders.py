import pytest

from tests.support.employees import doubts_about


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
