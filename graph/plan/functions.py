"""Name the functions of values and of groups; `docs/reference/query-plans.md` has the meaning of each."""

from enum import StrEnum


class Function(StrEnum):
    """Functions of values. Each returns a missing value if an argument is missing or has an unsuitable type.

    `now` and `today` have no arguments; all parts of a request see the same time.
    """

    LOWER = "lower"
    UPPER = "upper"
    TRIM = "trim"
    LEFT = "left"
    DROP = "drop"
    REPLACE = "replace"
    SPLIT = "split"
    SIZE = "size"
    ABS = "abs"
    ROUND = "round"
    FLOOR = "floor"
    CEIL = "ceil"
    TO_INTEGER = "to_integer"
    TO_FLOAT = "to_float"
    TO_STRING = "to_string"
    TO_BOOLEAN = "to_boolean"
    TO_DATE = "to_date"
    TO_DATETIME = "to_datetime"
    FROM_EPOCH_SECONDS = "from_epoch_seconds"
    FROM_EPOCH_MILLISECONDS = "from_epoch_milliseconds"
    NOW = "now"
    TODAY = "today"
    YEAR = "year"
    MONTH = "month"
    DAY = "day"
    QUARTER = "quarter"
    WEEK = "week"
    WEEKDAY = "weekday"
    HOUR = "hour"
    MINUTE = "minute"
    SECOND = "second"
    START_OF_CENTURY = "start_of_century"
    START_OF_DECADE = "start_of_decade"
    START_OF_YEAR = "start_of_year"
    START_OF_QUARTER = "start_of_quarter"
    START_OF_MONTH = "start_of_month"
    START_OF_WEEK = "start_of_week"
    START_OF_DAY = "start_of_day"
    START_OF_HOUR = "start_of_hour"
    START_OF_MINUTE = "start_of_minute"
    START_OF_SECOND = "start_of_second"
    DURATION_BETWEEN = "duration_between"
    MONTHS_BETWEEN = "months_between"
    DAYS_BETWEEN = "days_between"
    SECONDS_BETWEEN = "seconds_between"
    DURATION_IN_MONTHS = "duration_in_months"
    DURATION_IN_DAYS = "duration_in_days"
    DURATION_IN_SECONDS = "duration_in_seconds"
    ADD_DURATION = "add_duration"
    SUBTRACT_DURATION = "subtract_duration"
    DURATION_LENGTH = "duration_length"
    DURATION_MONTHS = "duration_months"
    DURATION_DAYS = "duration_days"
    DURATION_SECONDS = "duration_seconds"
    COALESCE = "coalesce"
    FIRST = "first"
    LAST = "last"
    TAKE = "take"
    ITEM = "item"
    DISTANCE = "distance"


DATE_PARTS = frozenset((Function.YEAR, Function.QUARTER, Function.MONTH, Function.WEEK, Function.DAY, Function.WEEKDAY))
"""Functions of a date or datetime that give an integer."""
TIME_PARTS = frozenset((Function.HOUR, Function.MINUTE, Function.SECOND))
"""Functions of a datetime that give an integer."""
STARTS_OF_DATES = frozenset(
    (
        Function.START_OF_CENTURY,
        Function.START_OF_DECADE,
        Function.START_OF_YEAR,
        Function.START_OF_QUARTER,
        Function.START_OF_MONTH,
        Function.START_OF_WEEK,
        Function.START_OF_DAY,
    )
)
"""Functions of a date or datetime that give the date or datetime at which the period with it begins."""
STARTS_OF_TIMES = frozenset((Function.START_OF_HOUR, Function.START_OF_MINUTE, Function.START_OF_SECOND))
"""Functions of a datetime that give the datetime at which the period with it begins."""
DIFFERENCES = frozenset(
    (
        Function.DURATION_BETWEEN,
        Function.DURATION_IN_MONTHS,
        Function.DURATION_IN_DAYS,
        Function.DURATION_IN_SECONDS,
        Function.MONTHS_BETWEEN,
        Function.DAYS_BETWEEN,
        Function.SECONDS_BETWEEN,
    )
)
"""Functions of two dates or datetimes."""
DURATIONS = frozenset(function for function in DIFFERENCES if function.startswith("duration_"))
"""Functions of two dates or datetimes that give a duration."""
SHIFTS = frozenset((Function.ADD_DURATION, Function.SUBTRACT_DURATION))
"""Functions of a date or datetime and a duration."""
EPOCHS = frozenset((Function.FROM_EPOCH_SECONDS, Function.FROM_EPOCH_MILLISECONDS))
"""Functions of the time since 1970 that give a datetime."""
SECONDS = frozenset((Function.SECONDS_BETWEEN, Function.DURATION_LENGTH))
"""Functions that give a number of seconds."""
DURATION_PARTS = frozenset((Function.DURATION_MONTHS, Function.DURATION_DAYS, Function.DURATION_SECONDS))
"""Functions of the text of a duration."""


class AggregateFunction(StrEnum):
    """Functions of all values in a group. Missing values are ignored."""

    COUNT = "count"
    SUM = "sum"
    AVERAGE = "average"
    MIN = "min"
    MAX = "max"
    SHORTEST = "shortest"
    LONGEST = "longest"
    COLLECT = "collect"
