"""Stored values convert back, and sort as plans sort values."""

from datetime import date, datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph.plan.values import MAX_INTEGER, ValueType, type_of
from graph.sqlite.value_order import grouped, rank, sort_key
from graph.sqlite.values import decode, encode, items_of, list_of

_ORDER = [
    ValueType.LIST,
    ValueType.DATETIME,
    ValueType.DATE,
    ValueType.STRING,
    ValueType.BOOLEAN,
]
_numbers = st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False)
_scalars = st.one_of(st.booleans(), _numbers, st.text(), st.dates(), st.datetimes())
_values = st.recursive(_scalars, lambda inner: st.lists(inner, max_size=3).map(tuple), max_leaves=8)


@given(_values | st.none() | st.integers(-MAX_INTEGER - 1, MAX_INTEGER))
def test_a_stored_value_converts_back(value: Any) -> None:
    assert (decode(encode(value)), type_of(decode(encode(value)))) == (value, type_of(value))


@given(_values, _values)
def test_stored_values_sort_as_plans_sort_values(left: Any, right: Any) -> None:
    assert (_stored_order(left) < _stored_order(right)) == (_order(left) < _order(right))


@given(st.lists(_values, max_size=3).map(tuple))
def test_the_items_of_a_stored_list_can_be_read(values: tuple[Any, ...]) -> None:
    stored = encode(values)
    items = items_of(stored)
    assert items == [encode(value) for value in values]
    assert list_of(items) == stored


@pytest.mark.parametrize("value", [2**63, -(2**63) - 1, (2**63,)])
def test_an_integer_of_more_than_64_bits_is_an_error(value: Any) -> None:
    with pytest.raises(OverflowError, match="needs more than 64 bits"):
        encode(value)


def test_a_datetime_with_a_time_zone_is_stored_in_utc() -> None:
    paris = timezone(timedelta(hours=2))
    assert encode(datetime(1996, 8, 1, 2, tzinfo=paris)) == encode(datetime(1996, 8, 1)) != encode(date(1996, 8, 1))


@pytest.mark.parametrize(
    ("left", "right", "same"),
    [((1, 2), (1.0, 2), True), ((1.5,), (1,), False), (((1,),), ((1.0,),), True), ((True,), (1,), False)],
)
def test_equal_lists_have_the_same_grouped_form(left: Any, right: Any, same: bool) -> None:
    assert (grouped(encode(left)) == grouped(encode(right))) is same


def _stored_order(value: Any) -> Any:
    return rank(encode(value)), sort_key(encode(value))


def _order(value: Any) -> Any:
    type_ = type_of(value)
    assert type_ is not None
    place = _ORDER.index(type_) if type_ in _ORDER else len(_ORDER)
    return place, tuple(map(_order, value)) if isinstance(value, tuple) else value
