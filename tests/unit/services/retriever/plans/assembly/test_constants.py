from collections.abc import Sequence
from dataclasses import replace
from datetime import date, datetime
from typing import Any

import pytest

from graph.plan.algebra import And, Call, Comparison, Constant, Expression, Function, ListOf, Not, Or, Property
from graph.plan.schema import PropertySchema
from graph.plan.text_readings import TextReading
from graph.plan.values import ValueType
from language.english.question_values import literal_values
from language.values import QuestionValue, ValueForm
from services.retriever.plans.assembly.constants import QuestionConstants, epoch_unit
from services.retriever.plans.grammar.actions import Op
from shared.errors import InvalidInputError

_CREATED = Property("x", "created")
_MOMENTS = PropertySchema(frozenset({ValueType.INTEGER}), ValueType.INTEGER, samples=(1_000_000_000, 1_583_000_000))
_DAY = 86_400
_FOURTH = 988_934_400
"""The first second of 4 May 2001, in UTC."""

_LEFT = Property("x", "day")


def _schema(type_: ValueType) -> PropertySchema:
    return PropertySchema(frozenset({type_}), type_)


_UNCERTAIN = QuestionValue(0, 10, ValueForm.DATE, date(2021, 3, 4), "03/04/2021", is_uncertain=True)


def _compare(op: Op, described: PropertySchema, question: str, left: Property = _LEFT) -> Expression:
    values = [value for value in literal_values(question) if value.form is not ValueForm.TEXT]
    return QuestionConstants(values, {}).compare(op, left, described, range(len(values)))


@pytest.mark.parametrize(
    ("content", "reading", "expected"),
    [
        (ValueType.DATE, TextReading.DAY_FIRST, date(2021, 4, 3)),
        (ValueType.DATE, TextReading.MONTH_FIRST, date(2021, 3, 4)),
        (ValueType.STRING, None, "03/04/2021"),
    ],
)
def test_a_date_that_may_be_two_days_is_read_as_those_of_the_property(
    content: ValueType, reading: TextReading | None, expected: date | str
) -> None:
    described = replace(_schema(content), reading=reading)
    constants = QuestionConstants([_UNCERTAIN], {})

    compared = constants.compare(Op.EQUAL, _LEFT, described, [0])

    assert isinstance(compared, Comparison)
    assert compared.right == Constant(expected)
    assert constants.constant(0, described) == Constant(expected)


@pytest.mark.parametrize(
    "described",
    [
        None,
        _schema(ValueType.DATE),
        replace(_schema(ValueType.DATE), reading=TextReading.YEAR_FIRST),
        replace(_schema(ValueType.FLOAT), reading=TextReading.COMMA_GROUPS),
        _MOMENTS,
    ],
)
def test_a_date_that_may_be_two_days_is_compared_with_nothing_else(described: PropertySchema | None) -> None:
    constants = QuestionConstants([_UNCERTAIN], {})
    with pytest.raises(InvalidInputError, match="may be several days"):
        constants.compare(Op.LESS, _CREATED, described, [0])


def _between(left: Property, low: Any, high: Any) -> And:
    return And((Comparison(">=", left, Constant(low)), Comparison("<", left, Constant(high))))


_ON_5_MAY = _between(_LEFT, datetime(2001, 5, 5), datetime(2001, 5, 6))


@pytest.mark.parametrize(
    ("op", "expected"),
    [
        (Op.EQUAL, _ON_5_MAY),
        (Op.UNEQUAL, Not(_ON_5_MAY)),
        (Op.LESS, Comparison("<", _LEFT, Constant(datetime(2001, 5, 5)))),
        (Op.AT_MOST, Comparison("<", _LEFT, Constant(datetime(2001, 5, 6)))),
        (Op.GREATER, Comparison(">=", _LEFT, Constant(datetime(2001, 5, 6)))),
        (Op.AT_LEAST, Comparison(">=", _LEFT, Constant(datetime(2001, 5, 5)))),
        (Op.ONE_OF, Or((_ON_5_MAY,))),
    ],
)
def test_a_date_stands_for_the_whole_day_of_a_moment(op: Op, expected: Expression) -> None:
    assert _compare(op, _schema(ValueType.DATETIME), "on 5 May 2001") == expected


@pytest.mark.parametrize(
    ("op", "expected"),
    [
        (Op.EQUAL, _between(_CREATED, _FOURTH, _FOURTH + _DAY)),
        (Op.UNEQUAL, Not(_between(_CREATED, _FOURTH, _FOURTH + _DAY))),
        (Op.GREATER, Comparison(">=", _CREATED, Constant(_FOURTH + _DAY))),
        (Op.ONE_OF, Or((_between(_CREATED, _FOURTH, _FOURTH + _DAY),))),
    ],
)
def test_seconds_since_1970_are_compared_with_days(op: Op, expected: Expression) -> None:
    assert _compare(op, _MOMENTS, "on 4 May 2001", _CREATED) == expected


def test_a_range_of_days_includes_the_last_day() -> None:
    found = _compare(Op.BETWEEN, _MOMENTS, "between 4 May 2001 and 5 May 2001", _CREATED)
    assert found == _between(_CREATED, _FOURTH, _FOURTH + 2 * _DAY)


def test_a_list_of_numbers_that_are_no_dates_stays_a_list() -> None:
    found = _compare(Op.ONE_OF, _schema(ValueType.INTEGER), "3 or 4")
    assert found == Comparison("in", _LEFT, ListOf((Constant(3), Constant(4))))


@pytest.mark.parametrize(
    ("period", "prefix"),
    [("in May 2001", "2001-05"), ("in the 1990s", "199"), ("in the 19th century", "18")],
)
def test_a_period_is_the_beginning_of_dates_that_are_text(period: str, prefix: str) -> None:
    found = _compare(Op.WITHIN, _schema(ValueType.STRING), period)
    assert found == Comparison("starts_with", _LEFT, Constant(prefix))


@pytest.mark.parametrize(
    ("type_", "low", "high"),
    [
        (ValueType.DATE, date(1990, 1, 1), date(2000, 1, 1)),
        (ValueType.DATETIME, datetime(1990, 1, 1), datetime(2000, 1, 1)),
    ],
)
def test_a_decade_of_dates(type_: ValueType, low: Any, high: Any) -> None:
    assert _compare(Op.WITHIN, _schema(type_), "in the 1990s") == _between(_LEFT, low, high)


def test_a_decade_of_years() -> None:
    found = _compare(Op.WITHIN, _schema(ValueType.INTEGER), "in the 1990s")
    assert found == And((Comparison(">=", _LEFT, Constant(1990)), Comparison("<=", _LEFT, Constant(1999))))


def test_a_year_is_compared_with_the_year_of_a_date() -> None:
    found = _compare(Op.LESS, _schema(ValueType.DATE), "before 1999")
    assert found == Comparison("<", Call(Function.YEAR, (_LEFT,)), Constant(1999))


def _text(text: str, form: ValueForm, stored: str | None = None) -> QuestionConstants:
    described = {0: stored} if stored is not None else {}
    return QuestionConstants([QuestionValue(0, 1, form, text, text, described)], {id(_NAME): 0})


_NAME = _schema(ValueType.STRING)


@pytest.mark.parametrize(
    ("constants", "expected"),
    [
        (_text("heat", ValueForm.TEXT), Comparison("=", Property("x", "name"), Constant("heat"), ignore_case=True)),
        (_text("heat", ValueForm.QUOTED), Comparison("=", Property("x", "name"), Constant("heat"))),
        (_text("heat", ValueForm.TEXT, "Heat"), Comparison("=", Property("x", "name"), Constant("Heat"))),
    ],
)
def test_a_name_is_exact_if_it_is_quoted_or_stored(constants: QuestionConstants, expected: Expression) -> None:
    assert constants.name("x", "name", 0, _NAME) == expected


@pytest.mark.parametrize(
    ("text", "type_", "expected"),
    [
        ("1,500", ValueType.INTEGER, 1500),
        ("2.5", ValueType.FLOAT, 2.5),
        ("9" * 400, ValueType.INTEGER, "9" * 400),
        ("2001-05-04", ValueType.DATE, date(2001, 5, 4)),
        ("2001-05-04 10:30", ValueType.DATETIME, datetime(2001, 5, 4, 10, 30)),
        ("soon", ValueType.DATE, "soon"),
    ],
)
def test_quoted_text_is_converted_to_the_type_of_the_property(text: str, type_: ValueType, expected: Any) -> None:
    assert _text(text, ValueForm.QUOTED).constant(0, _schema(type_)) == Constant(expected)


def test_a_quoted_moment_is_no_whole_day() -> None:
    found = _text("2001-05-04 10:30", ValueForm.QUOTED).compare(Op.GREATER, _LEFT, _schema(ValueType.DATETIME), [0])
    assert found == Comparison(">", _LEFT, Constant(datetime(2001, 5, 4, 10, 30)))


def test_an_item_of_a_list() -> None:
    found = _text("elf", ValueForm.TEXT).compare(Op.CONTAINS, _LEFT, _schema(ValueType.LIST), [0])
    assert found == Comparison("in", Constant("elf"), _LEFT)


@pytest.mark.parametrize(("question", "expected"), [("3", 3), ("20,000", 10_000), ("-3", 0), ("2.5", 2), ("'x'", 1)])
def test_numbers_of_rows_are_bounded(question: str, expected: int) -> None:
    assert QuestionConstants(literal_values(question), {}).count(0) == expected


@pytest.mark.parametrize(
    ("key", "samples", "unit"),
    [
        ("createdAt", (1_000_000_000, 1_583_000_000), 1),
        ("createdAt", (1_000_000_000_000,), 1000),
        ("createdAt", (7,), 0),
        ("createdAt", (), 0),
        ("views", (1_000_000_000,), 0),
    ],
)
def test_unit_of_moments(key: str, samples: Sequence[int], unit: int) -> None:
    assert epoch_unit(key, PropertySchema(_MOMENTS.stored, ValueType.INTEGER, samples=tuple(samples))) == unit


@pytest.mark.parametrize(
    ("question", "function", "number"), [("in February", Function.MONTH, 2), ("on a Sunday", Function.WEEKDAY, 7)]
)
def test_a_recurring_period_is_a_part_of_dates(question: str, function: Function, number: int) -> None:
    day, text = _schema(ValueType.DATE), _schema(ValueType.STRING)
    of_epoch = Call(Function.FROM_EPOCH_SECONDS, (_CREATED,))

    def part(moment: Expression) -> Comparison:
        return Comparison("=", Call(function, (moment,)), Constant(number))

    assert _compare(Op.WITHIN, day, question) == part(_LEFT)
    assert _compare(Op.WITHIN, text, question) == part(Call(Function.TO_DATE, (_LEFT,)))
    assert _compare(Op.WITHIN, _MOMENTS, question, _CREATED) == part(of_epoch)


_AMONG_SPELLINGS = Comparison("in", _LEFT, ListOf((Constant("UK"), Constant("Uk"))))


@pytest.mark.parametrize(
    ("op", "content", "expected"),
    [
        (Op.EQUAL, ValueType.STRING, _AMONG_SPELLINGS),
        (Op.UNEQUAL, ValueType.STRING, Not(_AMONG_SPELLINGS)),
        (Op.ONE_OF, ValueType.STRING, _AMONG_SPELLINGS),
        (Op.STARTS_WITH, ValueType.STRING, Comparison("starts_with", _LEFT, Constant("UK"), ignore_case=True)),
        (
            Op.CONTAINS,
            ValueType.LIST,
            Or((Comparison("in", Constant("UK"), _LEFT), Comparison("in", Constant("Uk"), _LEFT))),
        ),
    ],
)
def test_texts_that_are_stored_in_several_spellings_are_compared_with_all(
    op: Op, content: ValueType, expected: Expression
) -> None:
    described = _schema(content)
    value = QuestionValue(0, 2, ValueForm.TEXT, "uk", "uk", {0: "UK"}, {0: ("UK", "Uk")})

    assert QuestionConstants([value], {id(described): 0}).compare(op, _LEFT, described, [0]) == expected


@pytest.mark.parametrize(
    ("key", "question", "expected"),
    [
        ("area_m2", "over 0.005 square kilometres", 5000),
        ("areaKm2", "over 250 hectares", 2.5),
        ("floor_sqm", "over 300 m2", 300),
        ("area", "over 300 m²", 300),
        ("weight_kg", "over 2 tonnes", 2000),
        ("weight_kg", "over 10 pounds", 4.5359237),
        ("price_gbp", "over 10 pounds", 10),
        ("price_eur", "over €1,200", 1200),
        ("price_usd", "over $100", 100),
        ("price", "over $100", 100),
    ],
)
def test_numbers_are_converted_to_the_unit_of_the_property(key: str, question: str, expected: float) -> None:
    found = _compare(Op.GREATER, _schema(ValueType.FLOAT), question, Property("x", key))

    assert found == Comparison(">", Property("x", key), Constant(pytest.approx(expected)))


@pytest.mark.parametrize(
    ("key", "question"),
    [
        ("price_eur", "over 3000 dollars"),
        ("price_eur", "over $100"),
        ("weight_kg", "over 3 metres"),
        ("area_m2", "over 3 kilometres"),
    ],
)
def test_numbers_of_another_unit_are_not_compared(key: str, question: str) -> None:
    with pytest.raises(InvalidInputError, match="another unit"):
        _compare(Op.GREATER, _schema(ValueType.FLOAT), question, Property("x", key))
