"""Write functions of durations in Cypher.

The templates have the syntax of `str.format`; `{0}` and `{1}` stand for the arguments, which are datetimes or texts.
"""

from neo4j.time import Duration as DriverDuration

from graph.neo4j.temporal import IN_PYTHON, TO_DATETIME
from graph.plan.durations import MAX_DAYS, MAX_MONTHS, SECONDS_OF_DAY, SECONDS_OF_MONTH, Duration, DurationText
from graph.plan.functions import Function

DIFFERENCE: dict[Function, str] = {
    Function.DURATION_BETWEEN: "toString(duration.between({0}, {1}))",
    Function.DURATION_IN_MONTHS: "toString(duration.inMonths({0}, {1}))",
    Function.DURATION_IN_DAYS: "toString(duration.inDays({0}, {1}))",
    Function.DURATION_IN_SECONDS: "toString(duration.inSeconds({0}, {1}))",
    Function.MONTHS_BETWEEN: "duration.inMonths({0}, {1}).months",
    Function.DAYS_BETWEEN: "duration.inDays({0}, {1}).days",
    Function.SECONDS_BETWEEN: "duration.inSeconds({0}, {1}).seconds",
}
DURATION_PART: dict[Function, str] = {
    Function.DURATION_MONTHS: "duration({0}).months",
    Function.DURATION_DAYS: "duration({0}).days",
    Function.DURATION_SECONDS: "duration({0}).seconds",
    Function.DURATION_LENGTH: (
        "head([d IN [duration({0})] | "
        f"toFloat(d.months * {SECONDS_OF_MONTH} + d.days * {SECONDS_OF_DAY} + d.seconds) "
        "+ d.nanosecondsOfSecond / 1000000000.0])"
    ),
}
# Neo4j fails beyond its own greatest year, and plans end with the year 9999.
_IS_SHORT = (
    f"abs({{1}}.months) <= {MAX_MONTHS} AND abs({{1}}.days) <= {MAX_DAYS} "
    f"AND abs({{1}}.seconds) <= {MAX_DAYS * SECONDS_OF_DAY}"
)


def _shift(operator: str) -> str:
    of_datetime = f"localdatetime.truncate('microsecond', {TO_DATETIME} {operator} {{1}})"
    moment = f"CASE WHEN {{0}} IS :: DATE NOT NULL THEN {{0}} {operator} {{1}} ELSE {of_datetime} END"
    return IN_PYTHON.replace("{0}", f"CASE WHEN {{0}} IS NOT NULL AND {_IS_SHORT} THEN {moment} END")


SHIFT: dict[Function, str] = {Function.ADD_DURATION: _shift("+"), Function.SUBTRACT_DURATION: _shift("-")}
"""Adds a duration to a date or datetime, or subtracts it; both are variables."""
STORED_DURATION = "CASE WHEN {0} IS :: DURATION NOT NULL THEN toString({0}) ELSE {0} END"
"""Reads a property some of whose values are durations."""


def stored_duration(value: DriverDuration) -> DurationText:
    """Convert a duration from the driver to the text that plans use."""
    return DurationText(Duration(value.months, value.days, value.seconds * 10**9 + value.nanoseconds))
