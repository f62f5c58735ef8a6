from datetime import date
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from language.english.english import english
from language.english.question_values import literal_values
from language.english.relative_dates import moved, relative_dates

_TODAY = date(2024, 2, 29)  # a Thursday
_LAST_YEAR = (date(2023, 1, 1), date(2023, 12, 31))
_QUESTIONS: list[tuple[str, list[tuple[str, Any]]]] = [
    ("Which tickets were opened today?", [("today", _TODAY)]),
    ("Which parcels arrive today?", [("today", _TODAY)]),
    ("Which orders are due today?", [("today", _TODAY)]),
    ("What are today's shipments?", [("today", _TODAY)]),
    ("What is the capital of Italy today?", []),
    ("Yesterday's orders", [("Yesterday", date(2024, 2, 28))]),
    ("Which flights leave tomorrow?", [("tomorrow", date(2024, 3, 1))]),
    ("What came before the day before yesterday?", [("the day before yesterday", date(2024, 2, 27))]),
    ("Who joined last week?", [("last week", (date(2024, 2, 19), date(2024, 2, 25)))]),
    ("Who joined last month?", [("last month", (date(2024, 1, 1), date(2024, 1, 31)))]),
    ("Who joined last quarter?", [("last quarter", (date(2023, 10, 1), date(2023, 12, 31)))]),
    ("Who joined last year?", [("last year", _LAST_YEAR)]),
    ("Who joined before last year?", [("last year", 2023)]),
    ("Who joined since last month?", [("last month", date(2024, 1, 1))]),
    ("Who joined this year?", [("this year", (date(2024, 1, 1), date(2024, 12, 31)))]),
    ("Who joined this month?", [("this month", (date(2024, 2, 1), date(2024, 2, 29)))]),
    ("Who joins next week?", [("next week", (date(2024, 3, 4), date(2024, 3, 10)))]),
    ("Who joins next month?", [("next month", (date(2024, 3, 1), date(2024, 3, 31)))]),
    ("Who joined two days ago?", [("two days ago", date(2024, 2, 27))]),
    ("Who joined two weeks ago?", [("two weeks ago", (date(2024, 2, 12), date(2024, 2, 18)))]),
    ("Who joined a month ago?", [("a month ago", (date(2024, 1, 1), date(2024, 1, 31)))]),
    ("Who joined a year ago?", [("a year ago", _LAST_YEAR)]),
    ("Who joined after 2 weeks ago?", [("2 weeks ago", date(2024, 2, 15))]),
    ("Who joined more than a year ago?", [("more than a year ago", (date.min, date(2023, 2, 28)))]),
    ("Who joined less than 3 days ago?", [("less than 3 days ago", (date(2024, 2, 26), _TODAY))]),
    ("Which contracts end 3 days from now?", [("3 days from now", date(2024, 3, 3))]),
    ("Who joined in the last 30 days?", [("last 30 days", (date(2024, 1, 30), _TODAY))]),
    ("Who joined over the past three years?", [("past three years", (date(2021, 2, 28), _TODAY))]),
    ("Who joined within the last year?", [("last year", (date(2023, 2, 28), _TODAY))]),
    ("What expires in the next twenty-one days?", [("next twenty-one days", (_TODAY, date(2024, 3, 21)))]),
    ("What were the sales for the last 2 days?", [("last 2 days", (date(2024, 2, 27), _TODAY))]),
    ("Who has been here for the last two years?", []),
    ("Who joined in the last two years of the war?", []),
    ("Which is the last year with sales?", []),
    ("What happened in his last year?", []),
    ("Who was hired in the last week of the sale?", []),
    ("What is the last name of Ann?", []),
    ("List the last 3 orders.", []),
    ("Who lives next to Ann this time?", []),
    ("Who directed Next Week and Only Yesterday?", []),
    ("Who joined 9999 years ago?", []),
    ("Who joined many years ago?", []),
    ("Who joined two and a half years ago?", []),
    ("Who joined 2.5 years ago?", []),
]


@pytest.mark.parametrize(("question", "expected"), _QUESTIONS, ids=[question for question, _ in _QUESTIONS])
def test_dates_that_are_counted_from_the_day_of_the_question(question: str, expected: list[tuple[str, Any]]) -> None:
    found = [(question[one.start : one.end], one.value) for one in relative_dates(question, _TODAY)]
    assert found == expected


def test_a_question_has_the_dates_of_its_day() -> None:
    [value] = english("Who joined in the last 30 days?", _TODAY).stated
    assert (value.form, value.value, value.text) == ("period", (date(2024, 1, 30), _TODAY), "last 30 days")


def test_the_words_of_a_date_are_no_operators() -> None:
    question = english("Who of the last 3 joined last month, and who more than two years ago?", _TODAY)
    phrases = [question.text[one.start : one.end] for one in question.phrases]
    assert phrases == ["last"]


def test_without_a_day_nothing_is_counted_from_it() -> None:
    assert [value.value for value in literal_values("Who joined in the last 30 days?")] == [30]


def test_a_date_goes_before_one_that_is_counted() -> None:
    [value, _] = english("Who joined in the last week of March 2001?", _TODAY).stated
    assert value.value == (date(2001, 3, 25), date(2001, 3, 31))


@given(st.dates(), st.integers(-40_000, 40_000), st.sampled_from(("day", "week", "month", "quarter", "year")))
def test_a_day_moves_by_a_unit_or_leaves_the_calendar(day: date, count: int, unit: str) -> None:
    try:
        found = moved(day, count, unit)
    except (OverflowError, ValueError):
        return
    assert (found > day) == (count > 0)
    assert (found < day) == (count < 0)


_WORDS = "more than in the last past next this 9999 2 two a years week ago from now today of"


@given(
    st.dates(),
    st.lists(
        st.sampled_from(_WORDS.split()),
        max_size=9,
    ).map(" ".join),
)
def test_the_dates_of_any_words_are_spans(day: date, question: str) -> None:
    for one in relative_dates(question, day):
        assert 0 <= one.start < one.end <= len(question)
