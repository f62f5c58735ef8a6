"""Write functions of durations in Cypher.

The templates have the syntax of `str.format`; `{0}` and `{1}` stand for the arguments, which are datetimes or texts.
"""

from neo4j.time import Duration as DriverDuration

from shared.plan.algebra import Function
from shared.plan.durations import Duration

DIFFERENCE: dict[Function, str] = {
    Function.DURATION_BETWEEN: "toString(duration.between({0}, {1}))",
    Function.MONTHS_BETWEEN: "duration.inMonths({0}, {1}).months",
    Function.DAYS_BETWEEN: "duration.inDays({0}, {1}).days",
    Function.SECONDS_BETWEEN: "duration.inSeconds({0}, {1}).seconds",
}
DURATION_PART: dict[Function, str] = {
    Function.DURATION_MONTHS: "duration({0}).months",
    Function.DURATION_DAYS: "duration({0}).days",
    Function.DURATION_SECONDS: "duration({0}).seconds",
}
STORED_DURATION = "CASE WHEN {0} IS :: DURATION NOT NULL THEN toString({0}) ELSE {0} END"
"""Reads a property some of whose values are durations."""


def stored_duration(value: DriverDuration) -> str:
    """Convert a duration from the driver to the text that plans use."""
    return str(Duration(value.months, value.days, value.seconds * 10**9 + value.nanoseconds))
