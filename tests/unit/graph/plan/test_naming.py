from datetime import date

import pytest

from graph.plan.content_types import content_type
from graph.plan.naming import choose_name_property, readable_value
from graph.plan.schema import PropertySchema
from graph.plan.values import Value, ValueType, type_of

_NAMES = ("Alma Ek", "Bo Lind", "Çelik", "Dora Weiss")
_UUIDS = tuple(f"{number:08x}-0000-4000-8000-000000000000" for number in range(4))
_DURATIONS = ("PT26M", "PT1H17M", "P1Y2M", "P3DT-0.5S")
_URLS = tuple(f"https://e.org/{number}" for number in range(4))


def _property(key: str, values: tuple[Value, ...], count: int = 10, distinct: float = 1.0) -> PropertySchema:
    types = frozenset(type_ for value in values if (type_ := type_of(value)))
    return PropertySchema(types, content_type(key, values), count, distinct, values)


def _chosen(kind: str, unique: tuple[str, ...] = (), **values: tuple[Value, ...]) -> str | None:
    properties = {key: _property(key, some) for key, some in values.items()}
    return choose_name_property(kind, 10, properties, unique)


@pytest.mark.parametrize(
    ("kind", "key"),
    [
        ("Person", "name"),
        ("Person", "NAME"),
        ("Movie", "title"),
        ("Supplier", "companyName"),
        ("Product", "productName"),
        ("Product", "product_name"),
        ("Product", "productname"),
        ("User", "display_name"),
        ("User", "displayName"),
        ("User", "full_name"),
        ("Concept", "label"),
        ("人", "名前"),
    ],
)
def test_names_are_found_in_any_style(kind: str, key: str) -> None:
    assert _chosen(kind, link=_URLS, uuid=_UUIDS, **{key: _NAMES}) == key


@pytest.mark.parametrize("key", ["name", "title", "companyName", "display_name"])
def test_a_name_is_preferred_to_readable_text(key: str) -> None:
    assert _chosen("Customer", aaa=_NAMES, contactName=_NAMES, **{key: _NAMES}) == key


@pytest.mark.parametrize(
    "values", [_URLS, _UUIDS, ("d41d8cd98f00b204e9800998ecf8427e",), ("x" * 500,), (1, 2), _DURATIONS]
)
def test_a_name_must_be_readable(values: tuple[Value, ...]) -> None:
    assert _chosen("Thing", name=values, text=_NAMES) == "text"


def test_one_mail_address_does_not_disqualify_names() -> None:
    assert _chosen("User", name=(*_NAMES, "a@e.org"), city=_NAMES) == "name"


def test_a_name_must_be_common_and_distinct() -> None:
    properties = {
        "name": _property("name", _NAMES, count=2),
        "title": _property("title", _NAMES, distinct=0.1),
        "label": _property("label", _NAMES),
    }
    assert choose_name_property("Thing", 10, properties) == "label"


def test_an_identifier_is_the_last_resort() -> None:
    assert _chosen("Order", orderID=("1", "2"), customerID=("7", "8")) == "orderID"
    assert _chosen("Comment", score=(1, 2), link=_URLS, uuid=(12, 13)) == "uuid"
    assert _chosen("Phone", number=("(171) 555-2222",), line=("(171) 555-2222",)) == "number"
    assert _chosen("Thing", score=(1, 2), link=_URLS) is None
    assert _chosen("Thing") is None


def test_a_constraint_decides_between_equal_candidates() -> None:
    assert _chosen("Thing", ("b_name",), a_name=_NAMES, b_name=_NAMES) == "b_name"
    assert _chosen("Thing", (), a_name=_NAMES, b_name=_NAMES) == "a_name"


def test_a_number_among_titles_does_not_unname_the_others() -> None:
    assert _chosen("Film", title=("Nine Lanterns", 1917, "Harbor Lights"), studio_code=("NL-7", "XX-2")) == "title"


@pytest.mark.parametrize(
    ("kind", "key"), [("Year", "value"), ("Year", "year"), ("Page", "title"), ("Line", "lineName")]
)
def test_a_number_can_be_a_name(kind: str, key: str) -> None:
    years: tuple[Value, ...] = (1999, 2004, 2019)

    assert _chosen(kind, (), **{key: years}) == key


def test_numbers_that_repeat_or_measure_are_no_names() -> None:
    repeated = PropertySchema(frozenset({ValueType.INTEGER}), ValueType.INTEGER, 10, 0.5, (1, 2))

    assert choose_name_property("Reading", 10, {"value": repeated}) is None
    assert _chosen("Reading", height=(1, 2, 3), weight=(4, 5, 6)) is None


def test_readable_values_are_texts_then_numbers_then_ids() -> None:
    properties: dict[str, object] = {"tags": ("a",), "is_old": True, "code": "x7", "year": 1999, "at": "old\nharbour"}

    assert readable_value(properties | {"caption": "Dusk"}) == "Dusk"
    assert readable_value(properties | {"essay": "word " * 100}) == "old harbour"
    assert readable_value({"code": "x7", "born": date(1999, 1, 2)}) == "1999-01-02"
    assert readable_value({"age": "PT26M", "code": "visit 9"}) == "visit 9"
    assert readable_value({"code": "x7", "is_old": True}) == "x7"
    assert readable_value({"tags": ("a",), "is_old": True, "text": " "}) is None
    assert readable_value({"title": ["Dusk", "Dawn"], "is_old": True}) == "Dusk, Dawn"
    assert readable_value({"vector": [1.5, 2.0], "code": "x7"}) == "x7"


@pytest.mark.parametrize("key", ["no", "nr", "num", "ref", "reference", "number", "code"])
def test_what_people_call_a_thing_that_has_no_name_names_it(key: str) -> None:
    codes: tuple[Value, ...] = ("22-0001", "22-0002", "23-0001")

    assert _chosen("inv", (), **{key: codes, "id": codes, "typ": ("a", "b", "c")}) == key
    assert _chosen("inv", (), **{key: codes, "title": _NAMES}) == "title"


def test_a_terse_name_is_a_name() -> None:
    assert _chosen("emp", aaa=_NAMES, nm=_NAMES) == "nm"
