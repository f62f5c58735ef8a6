from datetime import date, datetime

import pytest

from graph.cypher.reader import read_cypher
from graph.plan.algebra import Call, Constant, Expression, Function, Project, Property
from shared.errors import InvalidInputError

_X = Property("m", "x", as_stored=True)
_NOW = Call(Function.NOW, ())
_DECADE = Call(Function.START_OF_DECADE, (Call(Function.TO_DATETIME, (_X,)),))


def _read(text: str) -> Expression:
    project = read_cypher(f"MATCH (m) RETURN {text} AS x").steps[-1]
    assert isinstance(project, Project)
    [column] = project.columns
    return column.value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("date('2015-01-31')", date(2015, 1, 31)),
        ("date('20150131')", date(2015, 1, 31)),
        ("date('2015-02')", date(2015, 2, 1)),
        ("date('2015')", date(2015, 1, 1)),
        ("date('2015Q2')", date(2015, 4, 1)),
        ("date('2015-W05')", date(2015, 1, 26)),
        ("date('2015-202')", date(2015, 7, 21)),
        ("date({year: 2020, month: 12, day: 31})", date(2020, 12, 31)),
        ("date({year: 2020, quarter: 3})", date(2020, 7, 1)),
        ("date({year: 2020, week: 10})", date(2020, 3, 2)),
        ("datetime('2015-01-01T00:00:00Z')", datetime(2015, 1, 1)),
        ("datetime('2015-05-17')", datetime(2015, 5, 17)),
        ("datetime('2015-05-17T10:00')", datetime(2015, 5, 17, 10)),
        ("datetime('2015-07-01T00:30:00+02:00')", datetime(2015, 6, 30, 22, 30)),
        ("datetime('2015-01-01T00:00:00[Europe/Paris]')", datetime(2014, 12, 31, 23)),
        ("datetime('2015-07-01T00:00:00[Europe/Paris]')", datetime(2015, 6, 30, 22)),
        ("datetime({year: 2020, month: 3, timezone: 'Europe/Paris'})", datetime(2020, 2, 29, 23)),
        ("localdatetime('20150101T101112')", datetime(2015, 1, 1, 10, 11, 12)),
    ],
)
def test_literals_are_constants_in_utc(text: str, value: date) -> None:
    assert _read(text) == Constant(value)


@pytest.mark.parametrize(
    ("text", "expression"),
    [
        ("date()", Call(Function.TODAY, ())),
        ("datetime()", Call(Function.NOW, ())),
        ("date.transaction()", Call(Function.TODAY, ())),
        ("date(m.x)", Call(Function.TO_DATE, (_X,))),
        ("datetime(m.x)", Call(Function.TO_DATETIME, (_X,))),
        ("date(m.x).dayOfWeek", Call(Function.WEEKDAY, (Call(Function.TO_DATE, (_X,)),))),
        ("datetime(m.x).hour", Call(Function.HOUR, (Call(Function.TO_DATETIME, (_X,)),))),
        ("date.truncate('month', m.x)", Call(Function.START_OF_MONTH, (Call(Function.TO_DATE, (_X,)),))),
        ("datetime.truncate('hour', m.x)", Call(Function.START_OF_HOUR, (Call(Function.TO_DATETIME, (_X,)),))),
        ("localdatetime.truncate('decade', m.x).year", Call(Function.YEAR, (_DECADE,))),
        ("date.truncate('week')", Call(Function.START_OF_WEEK, (Call(Function.TODAY, ()),))),
        ("datetime({epochSeconds: m.x})", Call(Function.FROM_EPOCH_SECONDS, (_X,))),
        ("datetime({epochMillis: m.x, timezone: 'UTC'})", Call(Function.FROM_EPOCH_MILLISECONDS, (_X,))),
        ("datetime.fromEpochMillis(m.x)", Call(Function.FROM_EPOCH_MILLISECONDS, (_X,))),
        ("datetime().epochSeconds", Call(Function.SECONDS_BETWEEN, (Constant(datetime(1970, 1, 1)), _NOW))),
        ("localdatetime(m.x).year", Call(Function.YEAR, (Call(Function.TO_DATETIME, (_X,)),))),
    ],
)
def test_functions_of_time_are_read(text: str, expression: Expression) -> None:
    assert _read(text) == expression


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("date('2015-99')", "'2015-99' is not a date"),
        ("datetime('2015-01-01T00:00:00[No/Where]')", "is not a datetime"),
        ("date({year: 2015, moon: 1})", "is not a date"),
        ("datetime({year: m.x})", r"function datetime\(\) with 1 arguments"),
        ("date.truncate('hour', m.x)", r"function \.truncate\(\)"),
        ("date.truncate('Month', m.x)", r"function \.truncate\(\)"),
        ("date.truncate(m.unit, m.x)", r"function \.truncate\(\)"),
        ("datetime.truncate('year', m.x, {day: 5})", r"function \.truncate\(\)|map literal"),
        ("datetime({epochSeconds: m.x, year: 2020})", r"function datetime\(\) with 1 arguments"),
        ("date({epochSeconds: 5})", "is not a date"),
        ("duration.between(m.x)", r"function \.between\(\)"),
    ],
)
def test_other_uses_are_refused_by_name(text: str, problem: str) -> None:
    with pytest.raises(InvalidInputError, match=problem):
        _read(text)
