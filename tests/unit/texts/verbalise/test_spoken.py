from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph.plan.durations import Duration, duration_in
from texts.verbalise.spoken import duration_in_words, said, said_text, seconds_in_words


@pytest.mark.parametrize(
    ("label", "value", "expected"),
    [
        ("fee_eur", 18000, ("fee", "18,000 EUR")),
        ("fee_eur", 10625.0, ("fee", "10,625 EUR")),
        ("average rating", 3.66666666667, ("average rating", "3.67")),
        ("share", 0.000123456, ("share", "0.000123")),
        ("badge", 10000, ("badge", "10000")),
        ("value of a.x - b.y", 2, ("value of a.x - b.y", "2")),
        ("isOpen", True, ("is open", "true")),
        ("startTime", "2023-06-16T15:00:00", ("start time", "2023-06-16 15:00")),
        ("factor", float("inf"), ("factor", "inf")),
    ],
)
def test_a_value_has_its_unit(label: str, value: Any, expected: tuple[str, str]) -> None:
    assert said(label, value) == expected


def test_a_computed_number_of_seconds_is_a_duration() -> None:
    assert said("duration_seconds", 9900, is_time=True) == ("duration", "2 hours 45 minutes")
    assert said("average time from start to end in seconds", 5064.7, is_time=True) == (
        "average time from start to end",
        "1 hour 24 minutes",
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2023-06-16T15:00:00Z", "2023-06-16 15:00 UTC"),
        ("2023-06-16T15:00:30.5+02:00", "2023-06-16 15:00:30.5+02:00"),
        ("PT26M", "26 minutes"),
        ("P1DT2H", "1 day 2 hours"),
        ("P1Y6M", "1 year 6 months"),
        ("PT0S", "0 seconds"),
        ("PT1.5S", "1.5 seconds"),
        ("P45D", "P45D"),
        ("PT-5M", "minus 5 minutes"),
        ("P1DT-5M", "P1DT-5M"),
        ("2023-06-16", "2023-06-16"),
        ("2023-06-16T15:00:00 (twice)", "2023-06-16T15:00:00 (twice)"),
    ],
)
def test_durations_and_moments_are_said(text: str, expected: str) -> None:
    assert said_text(text) == expected


@pytest.mark.parametrize(
    ("label", "text", "expected"),
    [
        ("downtime", "P10D", "10 days"),
        ("lead_time", "P7D", "7 days"),
        ("noticePeriod", "P1M", "1 month"),
        ("warranty", "P2Y", "2 years"),
        ("longest downtime", "P10D", "10 days"),
        ("part_code", "P45D", "P45D"),
        ("", "P45D", "P45D"),
        ("downtime", "P10", "P10"),
        ("downtime", "none", "none"),
    ],
)
def test_a_short_duration_is_said_if_its_label_names_a_length_of_time(label: str, text: str, expected: str) -> None:
    assert said_text(text, label) == expected
    assert said(label, text)[1] == expected


def test_a_duration_is_said_if_the_graph_says_that_it_is_one() -> None:
    assert said("took", "P45D", is_duration=True) == ("took", "45 days")
    assert said("took", "soon", is_duration=True) == ("took", "soon")


@given(st.text().filter(lambda text: not text.startswith("P") and "T" not in text))
def test_other_texts_stay_as_they_are(text: str) -> None:
    assert said_text(text) == text


@pytest.mark.parametrize(
    ("seconds", "expected"),
    [
        (0, "0 seconds"), (1, "1 second"), (0.25, "0.25 seconds"), (59.6, "1 minute"), (86_400, "1 day"),
        (90_061, "1 day 1 hour 1 minute 1 second"), (200_000.5, "2 days 8 hours"), (-60, "minus 1 minute"),
    ],
)  # fmt: skip
def test_seconds_are_rounded_by_their_length(seconds: float, expected: str) -> None:
    assert seconds_in_words(seconds) == expected


@given(st.integers(0, 500), st.integers(0, 400), st.integers(0, 86_399))
def test_words_state_the_whole_duration(months: int, days: int, seconds: int) -> None:
    sizes = {"year": "Y", "month": "M", "day": "D", "hour": "H", "minute": "M", "second": "S"}
    words = duration_in_words(Duration(months, days, seconds * 10**9)).split()
    parts = [(number, unit.removesuffix("s")) for number, unit in zip(words[::2], words[1::2], strict=True)]
    written = "".join(f"{number}{sizes[unit]}" for number, unit in parts if unit in ("year", "month", "day"))
    clock = "".join(f"{number}{sizes[unit]}" for number, unit in parts if unit in ("hour", "minute", "second"))
    assert duration_in(f"P{written}{'T' * bool(clock)}{clock}") == Duration(months, days, seconds * 10**9)
