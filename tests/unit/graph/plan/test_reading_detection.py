from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph.plan.content_types import content_of, content_type
from graph.plan.reading_detection import Spelling, Unread, is_exact, text_content
from graph.plan.text_readings import TextReading, value_in
from graph.plan.values import ValueType

_NUMBERS = st.integers(-(10**9), 10**9) | st.floats(-1e9, 1e9).map(lambda number: round(number, 3))


@pytest.mark.parametrize(
    ("texts", "reading"),
    [
        (["12.50", "13.00", "7"], TextReading.DECIMALS),
        (["3.10", "3.11"], TextReading.DECIMALS),
        (["0.125", "1.250"], TextReading.DECIMALS),
        (["1,250.00", "980.50", "75"], TextReading.COMMA_GROUPS),
        (["1,234,567"], TextReading.COMMA_GROUPS),
        (["1.250,00", "3"], TextReading.POINT_GROUPS),
        (["12,5", "3"], TextReading.POINT_GROUPS),
        (["28/02/2021", "1/7/2021"], TextReading.DAY_FIRST),
        (["12.05.2023", "31.12.2023"], TextReading.DAY_FIRST),
        (["12/31/2023", "1/2/2024"], TextReading.MONTH_FIRST),
        (["5/5/2021"], TextReading.DAY_FIRST),
        (["2021/08/31", "2021-8-5"], TextReading.YEAR_FIRST),
        (["4 February 2021", "11 Jan 2022", "3-sept-2020"], TextReading.DAY_OF_NAMED_MONTH),
        (["March 2, 2021", "Mar. 3 2021"], TextReading.NAMED_MONTH_AND_DAY),
        (["Sept 2021", "May 2020"], TextReading.NAMED_MONTH),
    ],
)
def test_texts_that_all_have_one_reading(texts: list[str], reading: TextReading) -> None:
    found = content_of("value", texts)

    assert (found.reading, found.type, found.unread) == (reading, reading.content, None)


@pytest.mark.parametrize(
    ("texts", "unread"),
    [
        (["6.10", "6.9", "6.1"], Unread.NO_READING),
        (["12E5", "3E10"], Unread.NO_READING),
        (["007", "12"], Unread.NO_READING),
        (["+5", "3"], Unread.NO_READING),
        (["12 km", "5 km"], Unread.NO_READING),
        (["v1.2", "v1.10"], Unread.NO_READING),
        (["4 February 2021", "2021-07-05", "20.11.2021"], Unread.NO_READING),
        (["31/02/2021", "1/13/2021"], Unread.NO_READING),
        (["12/05/21", "03/06/21"], Unread.NO_READING),
        (["3/4/2021", "5/6/2021"], Unread.TWO_DATE_ORDERS),
        (["1,250", "980"], Unread.TWO_NUMBERS),
        (["1.250", "12.400"], Unread.TWO_NUMBERS),
    ],
)
def test_texts_that_look_like_numbers_or_dates_but_stay_texts(texts: list[str], unread: Unread) -> None:
    found = content_of("value", texts)

    assert (found.reading, found.type, found.unread) == (None, ValueType.STRING, unread)


@pytest.mark.parametrize(
    ("key", "texts"),
    [
        ("city", ["Oslo", "Rome"]),
        ("code", ["12", "7a"]),
        ("title", ["1984", "2001: A Space Odyssey"]),
        ("postcode", ["01067", "4109"]),
        ("area", ["01067", "04109"]),
        ("opens", ["09:15", "14:30"]),
    ],
)
def test_texts_whose_order_is_that_of_their_letters(key: str, texts: list[str]) -> None:
    found = content_of(key, texts)

    assert (found.reading, found.type, found.unread) == (None, ValueType.STRING, None)


@pytest.mark.parametrize("dates", [TextReading.DAY_FIRST, TextReading.MONTH_FIRST])
def test_a_given_order_of_dates_decides_only_where_two_are_possible(dates: TextReading) -> None:
    assert content_of("at", ["3/4/2021"], dates).reading is dates
    assert content_of("at", ["28/4/2021"], dates).reading is TextReading.DAY_FIRST
    assert content_of("at", ["4/28/2021"], dates).reading is TextReading.MONTH_FIRST


@pytest.mark.parametrize("key", ["version", "release", "model", "amount", "x"])
def test_the_name_of_a_property_does_not_decide_what_its_numbers_are(key: str) -> None:
    assert content_type(key, ["6.10", "6.9"]) is ValueType.STRING
    assert content_type(key, ["6.1", "6.9"]) is ValueType.FLOAT


@given(st.lists(_NUMBERS, min_size=1))
def test_numbers_that_a_program_writes_are_numbers(numbers: list[int | float]) -> None:
    assert content_type("amount", [str(number) for number in numbers]) in (ValueType.INTEGER, ValueType.FLOAT)


@given(st.text("0123456789.-+eE", min_size=1, max_size=12))
def test_an_exact_number_is_the_only_one_with_its_value(text: str) -> None:
    if is_exact(text) and "e" not in text.lower():
        written = repr(float(text)) if "." in text else str(int(text))
        assert float(text) == float(written)
        assert len(text) == len(written) or "e" in written or len(text) > 16


@given(st.lists(st.dates(), min_size=1), st.sampled_from(["/", ".", "-"]))
def test_dates_with_the_day_first_are_read_or_remain_texts(days: list[date], sign: str) -> None:
    texts = [f"{day.day:02d}{sign}{day.month:02d}{sign}{day.year:04d}" for day in days]

    found = content_of("at", texts)

    if found.reading is None:
        assert found.unread is Unread.TWO_DATE_ORDERS
    else:
        assert [value_in(text, found.reading) for text in texts] == days


@given(st.lists(st.text("0123456789/.,- 'JanuaryMay", max_size=12), min_size=1, max_size=4))
def test_a_reading_reads_all_texts(texts: list[str]) -> None:
    found = text_content(texts)

    for spelling in found.spellings:
        assert all(map(spelling.fits, texts))
        assert spelling.reading is None or all(value_in(text, spelling.reading) is not None for text in texts)


def test_a_spelling_has_as_many_decimals_as_the_first_numbers() -> None:
    [prices] = text_content(["12.50", "7"]).spellings

    assert prices == Spelling(TextReading.DECIMALS, 2)
    assert (prices.fits("3.90"), prices.fits("8"), prices.fits("3.9")) == (True, True, False)


def test_days_beside_times_sort_as_texts() -> None:
    assert text_content(["2020-01-15", "2021-03-02 10:00:00", "2021-04"]).unread is None
    assert text_content(["2020-01-15", "15.01.2020 10:00"]).unread is Unread.NO_READING
