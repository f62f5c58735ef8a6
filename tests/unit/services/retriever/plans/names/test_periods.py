import pytest

from language.english.english import english
from services.retriever.plans.names.periods import period_of


@pytest.mark.parametrize(
    ("question", "phrase", "period"),
    [
        ("How many jobs were there per year?", "per year", "year"),
        ("jobs by quarter", "by quarter", "quarter"),
        ("the number of jobs for each Month", "for each Month", "month"),
        ("the weekly number of jobs", "weekly", "week"),
        ("daily jobs", "daily", "day"),
    ],
)
def test_a_period_by_which_a_question_groups(question: str, phrase: str, period: str) -> None:
    start = question.index(phrase)

    assert period_of(english(question)) == (start, start + len(phrase), period)


def test_other_periods_group_nothing() -> None:
    assert period_of(english("How many jobs were there in this year?")) is None
