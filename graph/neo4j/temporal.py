"""Write functions of dates and datetimes in Cypher.

The templates have the syntax of `str.format`; `{0}` and `{1}` stand for the arguments. Datetimes have no time zone,
because they are in UTC.
"""

from graph.plan.epochs import epoch_bounds
from graph.plan.functions import STARTS_OF_DATES, STARTS_OF_TIMES, Function
from graph.plan.text_functions import LEADING_DATE, TIME_OF_DAY, UTC_OFFSET

UTC = "localdatetime({{datetime: datetime({{datetime: {0}, timezone: 'UTC'}})}})"
"""Converts a datetime that has a time zone to UTC."""
# Neo4j truncates neither dates to microseconds, nor missing values.
_WITH_TIME = "CASE WHEN d IS :: DATE NOT NULL THEN localdatetime(toString(d)) ELSE d END"
TO_DATETIME = f"head([d IN [{{0}}] WHERE d IS NOT NULL | localdatetime.truncate('microsecond', {_WITH_TIME})])"
"""Converts a date or datetime to a datetime."""
DATETIME_TEXT = f"{LEADING_DATE}({TIME_OF_DAY}({UTC_OFFSET})?)?"
"""Regular expression for the strings that convert to datetimes."""

# `1996-08-01 12:30 UTC` becomes `1996-08-01T12:30Z`. Without `Z`, Neo4j would use the time zone in its settings.
_TIME = "replace(replace(substring({0}, 11), ' ', ''), 'UTC', 'Z')"
_ZONE = "CASE WHEN substring({0}, 11) =~ '[0-9:.]*' THEN 'Z' ELSE '' END"
_WITH_ZONE = f"CASE WHEN size({{0}}) = 10 THEN {{0}} + 'T00Z' ELSE left({{0}}, 10) + 'T' + {_TIME} + {_ZONE} END"
# Python has no years before 1 and after 9999.
IN_PYTHON = "head([d IN [{0}] WHERE 1 <= d.year <= 9999])"
TEXT_TO_DATETIME = IN_PYTHON.replace("{0}", TO_DATETIME.replace("{0}", UTC.replace("{0}", f"datetime({_WITH_ZONE})")))
"""Converts a string that `DATETIME_TEXT` matches to a datetime; null if its year in UTC has not four digits."""


def _from_epoch(function: Function, field: str) -> str:
    first, last = epoch_bounds(function)
    converted = f"localdatetime({{{{datetime: datetime({{{{{field}: d}}}})}}}})"
    return f"head([d IN [{{0}}] WHERE {first} <= d <= {last} | {converted}])"


FROM_EPOCH: dict[Function, str] = {
    Function.FROM_EPOCH_SECONDS: _from_epoch(Function.FROM_EPOCH_SECONDS, "epochSeconds"),
    Function.FROM_EPOCH_MILLISECONDS: _from_epoch(Function.FROM_EPOCH_MILLISECONDS, "epochMillis"),
}
"""By function: converts an integer to a datetime."""


def _start(unit: str) -> str:
    start = (
        f"CASE WHEN d IS :: DATE NOT NULL THEN date.truncate('{unit}', d) ELSE localdatetime.truncate('{unit}', d) END"
    )
    return f"head([d IN [{{0}}] WHERE d IS NOT NULL | {start}])"


START: dict[Function, str] = {
    function: _start(function.removeprefix("start_of_")) for function in STARTS_OF_DATES | STARTS_OF_TIMES
}
"""By function: finds the start of a period that holds a date or datetime."""
# The first century and the first decade begin before the year 1.
for _long in (Function.START_OF_CENTURY, Function.START_OF_DECADE):
    START[_long] = IN_PYTHON.replace("{0}", START[_long])
