import itertools
import re
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from language.english.number_words import numbers_in_words
from language.english.question_values import literal_values

_BELOW_TWENTY = """
zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen
nineteen
"""
_ONES = _BELOW_TWENTY.split()
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_SCALES = ((10**12, "trillion"), (10**9, "billion"), (10**6, "million"), (1000, "thousand"), (100, "hundred"))


def _spelt(number: int, hyphen: str, conjunction: str) -> str:
    """Write a number in words, with a sign within tens and with a word behind hundreds."""
    for value, name in _SCALES:
        if number >= value:
            rest = number % value
            joint = conjunction if value == 100 or rest < 100 else " "
            tail = f"{joint}{_spelt(rest, hyphen, conjunction)}" if rest else ""
            return f"{_spelt(number // value, hyphen, conjunction)} {name}{tail}"
    if number < 20:
        return _ONES[number]
    return _TENS[number // 10 - 2] + (f"{hyphen}{_ONES[number % 10]}" if number % 10 else "")


_NUMBERS = st.one_of(st.integers(0, 10_000), st.integers(0, 10**15 - 1))
_STYLES = {"hyphen": st.sampled_from(("-", " ")), "conjunction": st.sampled_from((" and ", " "))}


def _values(question: str) -> list[Any]:
    return [value.value for value in literal_values(question)]


@given(number=_NUMBERS, **_STYLES)
@example(number=250, hyphen="-", conjunction=" and ")
@example(number=102_000, hyphen="-", conjunction=" and ")
def test_a_number_in_words_is_read_as_a_whole(number: int, hyphen: str, conjunction: str) -> None:
    words = _spelt(number, hyphen, conjunction)
    [value] = literal_values(f"Which towns have more than {words} people?")
    assert (value.value, value.text) == (number, words)


@given(first=_NUMBERS, second=_NUMBERS, **_STYLES)
@example(first=100, second=200, hyphen="-", conjunction=" and ")
@example(first=100, second=50, hyphen="-", conjunction=" and ")
@example(first=20, second=5, hyphen="-", conjunction=" ")
@example(first=1_100, second=1_000, hyphen="-", conjunction=" and ")
def test_two_bounds_are_two_numbers(first: int, second: int, hyphen: str, conjunction: str) -> None:
    bounds = [_spelt(one, hyphen, conjunction) for one in (first, second)]
    assert _values(f"Which towns have from {bounds[0]} to {bounds[1]} people?") == [first, second]
    # `Between fifteen thousand and one hundred and one` may begin with 15,000 or with 15,100.
    if " and " not in bounds[1]:
        assert _values(f"Which towns have between {bounds[0]} and {bounds[1]} people?") == [first, second]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("three and a half million people", [("three and a half million", 3_500_000)]),
        ("3 and a half million people", [("3 and a half million", 3_500_000)]),
        ("rated three and a half", [("three and a half", 3.5)]),
        ("two point five million people", [("two point five million", 2_500_000)]),
        ("above zero point seven five", [("zero point seven five", 0.75)]),
        ("what is the point of one", [("one", 1)]),
        ("a hundred and five", [("a hundred and five", 105)]),
        ("twelve hundred", [("twelve hundred", 1200)]),
        ("half a million", [("half a million", 500_000)]),
        ("half a dozen", [("half a dozen", 6)]),
        ("two dozen", [("two dozen", 24)]),
        ("dozen", [("dozen", 12)]),
        ("two thirds of the votes", [("two thirds", 2 / 3)]),
        ("a quarter of the staff", [("a quarter", 0.25)]),
        ("a quarter of an hour", []),
        ("two quarters of 2001", [("two", 2), ("2001", 2001)]),
        ("two halves", [("two", 2)]),
        ("the twenty-first film", []),
        ("the third one", [("third", 3), ("one", 1)]),
        ("one hundred and two hundred", [("one hundred", 100), ("two hundred", 200)]),
        ("two thousand and three thousand", [("two thousand", 2000), ("three thousand", 3000)]),
        ("between one hundred and two thousand", [("one hundred", 100), ("two thousand", 2000)]),
        ("two, three, or four", [("two", 2), ("three", 3), ("four", 4)]),
        ("nineteen ninety-nine", [("nineteen ninety-nine", 1999)]),
        ("twenty twenty-three", [("twenty twenty-three", 2023)]),
        ("two thousand and nineteen", [("two thousand and nineteen", 2019)]),
        ("nineteen hundred", [("nineteen hundred", 1900)]),
        ("of these three", []),
        ("second, once, and both", [("second", 2), ("once", 1), ("both", 2)]),
        ("hundreds of thousands", []),
    ],
)
def test_numbers_in_words(question: str, expected: list[tuple[str, float]]) -> None:
    assert [(value.text, value.value) for value in literal_values(question)] == expected


@pytest.mark.parametrize("year", ["nineteen ninety-nine", "twenty twenty", "two thousand nineteen"])
def test_a_year_in_words_compares_with_dates(year: str) -> None:
    [value] = literal_values(f"Which films appeared in {year}?")
    assert value.form == "year"


_PARTS = "a an and half hundred thousand million dozen two twenty nineteen point of third first between -"


@given(st.lists(st.sampled_from(_PARTS.split()), max_size=12).map(" ".join))
def test_the_numbers_of_any_words_are_spans_in_their_order(question: str) -> None:
    found = list(numbers_in_words(question))
    assert all(0 <= one.start < one.end <= len(question) for one in found)
    assert all(one.end <= other.start for one, other in itertools.pairwise(found))
    assert all(re.fullmatch(r"[a-z][a-z -]*[a-z]", question[one.start : one.end]) for one in found)
