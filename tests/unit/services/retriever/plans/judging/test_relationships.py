import pytest

from tests.support.employees import doubts_about

_ABOVE_NAMED = "KIND:Employee OUT:Employee.rpts_to FOCUS:0 IS VALUE:0 RETURN VARIABLE:1 END"
_BELOW_NAMED = "KIND:Employee OUT:Employee.rpts_to IS VALUE:0 RETURN VARIABLE:0 END"
_LED_BY_NAMED = "KIND:Employee OUT:Employee.leads FOCUS:0 IS VALUE:0 RETURN VARIABLE:1 END"


@pytest.mark.parametrize(
    ("question", "plan", "expected"),
    [
        ("Who reports to Ann?", _ABOVE_NAMED, True),
        ("Who reports to Ann?", _BELOW_NAMED, False),
        ("Who does Ann report to?", _ABOVE_NAMED, False),
        ("Who is the boss of Ann?", _ABOVE_NAMED, False),
        ("What is led by Ann?", _LED_BY_NAMED, False),
    ],
)
def test_the_name_after_a_relationship_is_its_target(question: str, plan: str, expected: bool) -> None:
    assert ("turns-relationship-round" in doubts_about(question, plan)) is expected
