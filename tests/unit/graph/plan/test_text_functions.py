"""Text converts to numbers and dates as the document on query plans says."""

from datetime import date, datetime

import pytest

from graph.plan.text_functions import WHITE_SPACE, date_in, datetime_in, integer_in, number_in, round_half_up


@pytest.mark.parametrize(
    ("text", "number", "integer"),
    [
        ("7", 7.0, 7),
        ("-7.9", -7.9, -7),
        ("+1e3", 1000.0, 1000),
        ("007", 7.0, 7),
        ("9223372036854775807", 2.0**63, 2**63 - 1),
        ("9223372036854775808", 2.0**63, None),
        ("1e999", None, None),
        ("1e30", 1e30, None),
        ("", None, None),
        (" 7", None, None),
        ("7\n", None, None),
        ("1.", None, None),
        (".5", None, None),
        ("0x10", None, None),
        ("1_000", None, None),
        ("inf", None, None),
        ("nan", None, None),
        ("٣", None, None),
    ],
)
def test_only_decimal_numbers_convert(text: str, number: float | None, integer: int | None) -> None:
    assert (number_in(text), integer_in(text)) == (number, integer)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1996-08-01", date(1996, 8, 1)),
        ("1996-08-01 and more", date(1996, 8, 1)),
        ("2000-02-29", date(2000, 2, 29)),
        ("2024-02-29", date(2024, 2, 29)),
        ("1900-02-29", None),
        ("2023-02-29", None),
        ("2023-04-31", None),
        ("2023-13-01", None),
        ("0000-01-01", None),
        ("96-08-01", None),
        (" 1996-08-01", None),
        ("19960801", None),
    ],
)
def test_only_days_that_exist_convert(text: str, expected: date | None) -> None:
    assert date_in(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1996-08-01 12:30:59", datetime(1996, 8, 1, 12, 30, 59)),
        ("1996-08-01T12:30:59.999Z", datetime(1996, 8, 1, 12, 30, 59, 999000)),
        ("1996-08-01T12:30:59.123456789", datetime(1996, 8, 1, 12, 30, 59, 123456)),
        ("1996-08-01", datetime(1996, 8, 1)),
        ("1996-08-01 12:30", datetime(1996, 8, 1, 12, 30)),
        ("1996-08-01 01:30:00+02:00", datetime(1996, 7, 31, 23, 30)),
        ("1996-08-01T01:30:00 -0530", datetime(1996, 8, 1, 7)),
        ("1996-08-01 12:30:00+00", datetime(1996, 8, 1, 12, 30)),
        ("1996-08-01 12:30:00 UTC", datetime(1996, 8, 1, 12, 30)),
        ("0001-01-01 12:30:00+18:00", None),
        ("9999-12-31 23:30:00-18:00", None),
        ("1996-08-01 12:30:00+19:00", None),
        ("1996-08-01 12:30:00 PST", None),
        ("1996-08-01T12", None),
        ("1996-08-01 ", None),
        ("1996-08-01 24:00:00", None),
        ("1996-08-32 12:00:00", None),
    ],
)
def test_only_times_that_exist_convert(text: str, expected: datetime | None) -> None:
    assert datetime_in(text) == expected


@pytest.mark.parametrize(("value", "rounded"), [(2.5, 3.0), (-1.5, -1.0), (-2.5, -2.0), (0.49, 0.0), (1e300, 1e300)])
def test_halves_are_rounded_up(value: float, rounded: float) -> None:
    assert round_half_up(value) == rounded


def test_no_break_spaces_are_not_white_space() -> None:
    assert set("\xa0\u2007\u202f") & set(WHITE_SPACE) == set()
    assert set(" \t\n\u3000") <= set(WHITE_SPACE)
