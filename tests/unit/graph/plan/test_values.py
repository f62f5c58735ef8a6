"""Values are the same after they are written as JSON and read again."""

import json
from datetime import UTC, date, datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph.plan.values import ValueType, from_json, to_json, type_of

_scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(allow_nan=False),
    st.text(),
    st.dates(),
    st.datetimes(),
)


@given(st.one_of(_scalars, st.lists(_scalars).map(tuple)))
def test_a_value_written_as_json_can_be_read_again(value: Any) -> None:
    read = from_json(json.loads(json.dumps(to_json(value))))
    assert (read, type_of(read)) == (value, type_of(value))


@pytest.mark.parametrize(
    ("value", "data", "type_"),
    [
        (None, None, None),
        (True, True, ValueType.BOOLEAN),
        (1, 1, ValueType.INTEGER),
        (1.0, 1.0, ValueType.FLOAT),
        ("a", "a", ValueType.STRING),
        (date(1996, 8, 1), {"date": "1996-08-01"}, ValueType.DATE),
        (datetime(1996, 8, 1), {"datetime": "1996-08-01T00:00:00"}, ValueType.DATETIME),
        ((1, date(1996, 8, 1)), [1, {"date": "1996-08-01"}], ValueType.LIST),
    ],
)
def test_the_json_of_each_type(value: Any, data: Any, type_: ValueType | None) -> None:
    assert (to_json(value), from_json(data), type_of(value)) == (data, value, type_)


@pytest.mark.parametrize("text", ["1996-08-01T02:00:00+02:00", "1996-08-01T00:00:00Z", "1996-08-01T00:00:00"])
def test_a_datetime_with_a_time_zone_is_converted_to_utc(text: str) -> None:
    assert from_json({"datetime": text}) == datetime(1996, 8, 1)


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        ([[1]], "another list"),
        ({}, "a value is"),
        ({"date": 1}, "a value is"),
        ({"date": "1996-08-01", "x": 1}, "a value is"),
        ({"date": "1996-08-32"}, "cannot read '1996-08-32'; write a date such as"),
        ({"datetime": "9999-12-31T23:59:59-14:00"}, "outside of the years 1 to 9999"),
        ({1}, "cannot be a set"),
    ],
)
def test_other_json_is_rejected(data: Any, problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        from_json(data)


def test_the_time_zone_is_part_of_no_value() -> None:
    paris = timezone(timedelta(hours=2))
    assert from_json(to_json(datetime(1996, 8, 1, 2, tzinfo=paris))).tzinfo is None
    assert from_json(to_json(datetime(1996, 8, 1, tzinfo=UTC))) == datetime(1996, 8, 1)
