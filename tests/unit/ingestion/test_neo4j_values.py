import re
from datetime import date, datetime, timedelta, timezone
from typing import Any

import pytest
from neo4j.spatial import CartesianPoint
from neo4j.time import Date, DateTime, Duration, Time

from graph.plan.durations import DurationText
from ingestion.neo4j_values import storable
from ingestion.typed_values import BadValueError


@pytest.mark.parametrize(
    ("value", "stored"),
    [
        (True, True),
        (2**63 - 1, 2**63 - 1),
        (1.5, 1.5),
        (" text\n", " text\n"),
        (Date(1996, 8, 1), date(1996, 8, 1)),
        (DateTime(2020, 2, 29, 1, 30), datetime(2020, 2, 29, 1, 30)),
        (
            DateTime.from_native(datetime(2020, 2, 29, 1, 30, tzinfo=timezone(timedelta(hours=2)))),
            datetime(2020, 2, 28, 23, 30),
        ),
        (Duration(months=14, seconds=-90, nanoseconds=-500_000_000), DurationText("P1Y2MT-1M-30.5S")),
        ([], ()),
        ([Date(1996, 8, 1)], (date(1996, 8, 1),)),
        (list(range(100)), tuple(range(100))),
        (["x"] * 101, ("x",) * 101),
        ("x" * 10_000, "x" * 10_000),
    ],
)
def test_values_keep_their_type(value: Any, stored: Any) -> None:
    assert storable(value) == stored
    assert type(storable(value)) is type(stored)


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (b"x", "byte arrays"),
        (bytearray(b"x"), "byte arrays"),
        (CartesianPoint((1, 2)), "points"),
        ([CartesianPoint((1, 2))], "points"),
        ([Duration(days=1)], "lists of durations"),
        (Time(10, 0, 0), "times"),
        ([0.5] * 101, "lists of more than 100 numbers"),
        ("x" * 10_001, "texts of more than 10,000 characters"),
        (["x" * 10_001], "texts of more than 10,000 characters"),
        ("x\0", "texts with the control character U+0000"),
        (float("nan"), "numbers that are not finite"),
        ([1.0, float("-inf")], "numbers that are not finite"),
        (DateTime.from_native(datetime(1, 1, 1, tzinfo=timezone(timedelta(hours=2)))), "dates outside"),
        (object(), "unsupported values"),
    ],
)
def test_other_values_are_left_out_with_a_reason(value: Any, reason: str) -> None:
    with pytest.raises(BadValueError, match=re.escape(reason)):
        storable(value)
