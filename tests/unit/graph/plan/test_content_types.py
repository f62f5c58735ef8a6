from datetime import date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph.plan.algebra import (
    Call,
    Column,
    Comparison,
    Constant,
    Exists,
    Expression,
    Filter,
    Function,
    Match,
    NodePattern,
    Plan,
    Project,
    Property,
    Union,
)
from graph.plan.content_types import content_type, with_content_types, words_of
from graph.plan.schema import GraphSchema, KindSchema, PropertySchema
from graph.plan.values import Value, ValueType

_PRICE = PropertySchema(frozenset((ValueType.STRING,)), ValueType.FLOAT)
_STOCK = PropertySchema(frozenset((ValueType.INTEGER,)), ValueType.INTEGER)
_SCHEMA = GraphSchema({"Product": KindSchema(3, {"price": _PRICE, "stock": _STOCK})}, {})
_PRODUCTS = Match((NodePattern("p", ("Product",)),))
_STORED = Property("p", "price", as_stored=True)
_NUMBER = Call(Function.TO_FLOAT, (_STORED,))
_PLACEHOLDERS = st.lists(st.sampled_from(["NULL", "null", "N/A", ""]), max_size=3)


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (["32.38", "NULL", "7"], ValueType.FLOAT),
        (["-5", "10", ""], ValueType.INTEGER),
        (["1996-08-01", "N/A"], ValueType.DATE),
        (["1996-08-01 00:00:00.000", "1997-01-02 00:00:00.000", "null"], ValueType.DATE),
        (["1996-08-01T00:00:00", "1996-08-01T10:30:00Z"], ValueType.DATETIME),
        (["1996-08-01 10:30:00.000"], ValueType.DATETIME),
        (["true", "False", "NULL"], ValueType.BOOLEAN),
        (["00123", "456"], ValueType.STRING),
        (["+4930123456"], ValueType.STRING),
        (["12345678901234567890123"], ValueType.STRING),
        (["1e999"], ValueType.STRING),
        (["1996-08-01 10:30:00 in Berlin"], ValueType.STRING),
        (["1996-02-30"], ValueType.STRING),
        (["7", "seven"], ValueType.STRING),
        (["NULL", ""], ValueType.STRING),
        ([1, 2.5], ValueType.FLOAT),
        ([date(1996, 8, 1)], ValueType.DATE),
        ([datetime(1996, 8, 1)], ValueType.DATETIME),
        ([("a",)], ValueType.LIST),
        ([1, "one"], None),
        ([], None),
    ],
)
def test_the_content_of_values(values: list[Value], expected: ValueType | None) -> None:
    assert content_type("value", values) is expected


@pytest.mark.parametrize("key", ["phone", "postalCode", "zipcode", "fax_number", "orderID", "customer_id", "ISBN"])
def test_digits_that_are_no_numbers(key: str) -> None:
    assert content_type(key, ["12209", "44000"]) is ValueType.STRING


@given(st.lists(st.integers(-(2**63), 2**63 - 1), min_size=1), _PLACEHOLDERS)
def test_integers_are_recognised(numbers: list[int], placeholders: list[str]) -> None:
    assert content_type("amount", [*map(str, numbers), *placeholders]) is ValueType.INTEGER


@given(st.lists(st.datetimes(), min_size=1), st.sampled_from([" ", "T"]), _PLACEHOLDERS)
def test_datetimes_are_recognised(times: list[datetime], separator: str, placeholders: list[str]) -> None:
    texts = [time.isoformat(separator, "milliseconds") for time in times]
    found = content_type("at", [*texts, *placeholders])
    assert found is (ValueType.DATE if all("00:00:00.000" in text for text in texts) else ValueType.DATETIME)


@given(st.lists(st.text()))
def test_any_text_has_a_content_type(texts: list[str]) -> None:
    assert (content_type("text", texts) is None) == (not texts)


@pytest.mark.parametrize(
    ("identifier", "words"),
    [
        ("reorderLevel", ["reorder", "level"]),
        ("display_name", ["display", "name"]),
        ("orderID", ["order", "id"]),
        ("URLPath", ["url", "path"]),
        ("line2", ["line", "2"]),
        ("", []),
    ],
)
def test_an_identifier_is_split_into_words(identifier: str, words: list[str]) -> None:
    assert words_of(identifier) == words


@pytest.mark.parametrize(
    ("written", "read"),
    [
        (Property("p", "price"), _NUMBER),
        (_STORED, _STORED),
        (Property("p", "stock"), Property("p", "stock", as_stored=True)),
        (Property("p", "unknown"), Property("p", "unknown", as_stored=True)),
        (
            Comparison("<", Property("p", "price"), Constant(5)),
            Comparison("<", _NUMBER, Constant(5)),
        ),
        (
            Exists(Match((NodePattern("p"),), where=Property("p", "price"))),
            Exists(Match((NodePattern("p"),), where=_NUMBER)),
        ),
    ],
)
def test_properties_are_converted_to_their_content(written: Expression, read: Expression) -> None:
    converted = with_content_types(Plan((_PRODUCTS, Filter(written))), _SCHEMA)
    assert converted == Plan((_PRODUCTS, Filter(read)))


def test_properties_in_patterns_and_unions_are_converted() -> None:
    def plan(price: Expression) -> Plan:
        part = Plan((Match((NodePattern("p", ("Product",)),), where=price), Project((Column("x", price),))))
        return Plan((Union((part, part)),))

    assert with_content_types(plan(Property("p", "price")), _SCHEMA) == plan(_NUMBER)


@pytest.mark.parametrize(
    ("contents", "is_converted"),
    [
        ({"A": ValueType.INTEGER, "B": ValueType.STRING}, False),
        ({"A": ValueType.STRING, "B": ValueType.INTEGER}, False),
        ({"A": ValueType.INTEGER, "B": ValueType.INTEGER}, True),
        ({"A": ValueType.INTEGER, "B": None}, False),
    ],
)
@pytest.mark.parametrize("kinds", [("A", "B"), ("B", "A")])
def test_a_property_is_converted_if_all_kinds_of_its_node_agree(
    contents: dict[str, ValueType | None], is_converted: bool, kinds: tuple[str, ...]
) -> None:
    texts = frozenset((ValueType.STRING,))
    schema = GraphSchema({kind: KindSchema(3, {"x": PropertySchema(texts, one)}) for kind, one in contents.items()}, {})
    stored = Property("v", "x", as_stored=True)
    pattern = Match((NodePattern("v", kinds),))

    converted = with_content_types(Plan((pattern, Filter(Property("v", "x")))), schema)

    read = Call(Function.TO_INTEGER, (stored,)) if is_converted else stored
    assert converted == Plan((pattern, Filter(read)))
