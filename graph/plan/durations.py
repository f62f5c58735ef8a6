"""Define durations as plans mean them: ISO 8601 text with months, days, and seconds, such as `P1M2DT3H`.

The text is the one that Neo4j writes, so that equal durations have equal texts.
"""

import re
from dataclasses import dataclass
from datetime import date, datetime, timedelta

_NUMBER = "-?[0-9]{1,10}"
DURATION = (
    f"P(?=.)({_NUMBER}Y)?({_NUMBER}M)?({_NUMBER}D)?(T(?=.)({_NUMBER}H)?({_NUMBER}M)?({_NUMBER}(\\.[0-9]{{1,9}})?S)?)?"
)
"""Regular expression, in Python's and Java's syntax, for the texts that are durations."""
_NANOSECONDS = 10**9
_MICROSECOND = timedelta(microseconds=1)
SECONDS_OF_MONTH, SECONDS_OF_DAY = 2_629_746, 86_400
"""The seconds by which durations are sorted: a month is the twelfth part of 365.2425 days."""
MAX_MONTHS, MAX_DAYS = 120_000, 3_652_425
"""The longest shift of a date by months, and by days or as many seconds: 10,000 years."""
_DAYS_OF_400_YEARS = 146_097


@dataclass(frozen=True, slots=True)
class Duration:
    """A length of time, whose months and days have no fixed number of seconds."""

    months: int = 0
    days: int = 0
    nanoseconds: int = 0

    @property
    def seconds(self) -> int:
        """Return the whole seconds, rounded down, without months and days."""
        return self.nanoseconds // _NANOSECONDS

    @property
    def length(self) -> float:
        """Return the seconds by which durations are sorted."""
        whole = self.months * SECONDS_OF_MONTH + self.days * SECONDS_OF_DAY + self.seconds
        return float(whole) + (self.nanoseconds % _NANOSECONDS) / _NANOSECONDS

    @property
    def order(self) -> tuple[int, ...]:
        """Return a key that sorts durations as Neo4j does: by their length, and then by their parts."""
        whole = self.months * SECONDS_OF_MONTH + self.days * SECONDS_OF_DAY + self.seconds
        return whole, self.nanoseconds % _NANOSECONDS, self.months, self.days

    def __str__(self) -> str:
        """Write the duration as Neo4j does.

        Example:
            >>> str(Duration(14, -3, -500_000_000)), str(Duration())
            ('P1Y2M-3DT-0.5S', 'PT0S')
        """
        years, months = _parts(self.months, 12)
        total, fraction = _parts(self.nanoseconds, _NANOSECONDS)
        minutes, seconds = _parts(total, 60)
        hours, minutes = _parts(minutes, 60)
        day = _listed((years, "Y"), (months, "M"), (self.days, "D"))
        clock = _listed((hours, "H"), (minutes, "M")) + _seconds(seconds, fraction)
        return f"P{day}{'T' * bool(clock)}{clock}" if day or clock else "PT0S"


class DurationText(str):
    """The text of what is a duration in a query or in a database, unlike a string that only looks like one."""

    __slots__ = ()


def duration_in(text: str) -> Duration | None:
    """Read a duration; None for other text."""
    found = re.fullmatch(DURATION, text)
    if found is None:
        return None
    years, months, days, _, hours, minutes, seconds, _ = (part or "0_" for part in found.groups())
    whole, _, fraction = seconds[:-1].partition(".")
    clock = (int(hours[:-1]) * 3600 + int(minutes[:-1]) * 60 + int(whole)) * _NANOSECONDS
    rest = int(fraction.ljust(9, "0")) * (-1 if whole.startswith("-") else 1)
    return Duration(int(years[:-1]) * 12 + int(months[:-1]), int(days[:-1]), clock + rest)


def duration_between(start: datetime, end: datetime) -> Duration:
    """Return the whole months between two moments, then the whole days, and then the rest.

    Example:
        >>> str(duration_between(datetime(2020, 1, 31), datetime(2020, 3, 1, 12)))
        'P1M1DT12H'
    """
    months = months_between(start, end)
    rest = end - plus_months(start, months)
    days = whole_days(rest)
    return Duration(months, days, (rest - timedelta(days)) // _MICROSECOND * 1000)


def months_between(start: datetime, end: datetime) -> int:
    """Count the whole months in the whole days between two moments, negative if the end is earlier."""
    last = start + timedelta(whole_days(end - start))
    # Neo4j compares the numbers of days as if every month had 31: February 29 is not a month after January 31.
    months, days = (last.year - start.year) * 12 + last.month - start.month, last.day - start.day
    if months > 0 and days < 0:
        return months - 1
    return months + 1 if months < 0 and days > 0 else months


def whole_days(difference: timedelta) -> int:
    """Count the whole days of a difference, truncated toward zero."""
    return difference // timedelta(1) if difference >= timedelta() else -(-difference // timedelta(1))


def shifted(moment: date, duration: Duration, sign: int) -> date | None:
    """Add a duration to a date or datetime, or subtract it if the sign is -1: first the months, then the days.

    A day that the month lacks becomes its last day. A date moves by the whole days in the seconds.

    Returns:
        A value of the same type; None outside of the years 1 to 9999, and for durations of more than 10,000 years.
    """
    most_seconds = MAX_DAYS * SECONDS_OF_DAY
    if abs(duration.months) > MAX_MONTHS or abs(duration.days) > MAX_DAYS or abs(duration.seconds) > most_seconds:
        return None
    day = _day_number(moment, sign * duration.months) + sign * duration.days
    try:
        if isinstance(moment, datetime):
            clock = moment - moment.replace(hour=0, minute=0, second=0, microsecond=0)
            rest = timedelta(day - 1, microseconds=sign * duration.nanoseconds // 1000)
            return datetime.min + (clock + rest)
        return date.fromordinal(day + sign * whole_days(timedelta(seconds=duration.seconds)))
    except (ValueError, OverflowError):
        return None


def _day_number(day: date, months: int) -> int:
    """Return the number of the day that is some months later; January 1 of the year 1 is day 1."""
    years, month = divmod(day.year * 12 + day.month - 1 + months, 12)
    # The calendar repeats after 400 years, so that a day in the years 400 to 799 stands for all others.
    cycles, year = divmod(years, 400)
    first = date(year + 400, month + 1, 1)
    following = date(year + 400 + (month == 11), (month + 1) % 12 + 1, 1)
    last = (following - first).days
    return first.toordinal() + min(day.day, last) - 1 + (cycles - 1) * _DAYS_OF_400_YEARS


def plus_months(moment: datetime, months: int) -> datetime:
    """Add months; a day that the month lacks becomes its last day. Raise ValueError outside of years 1 to 9999."""
    years, month = divmod(moment.month - 1 + months, 12)
    for day in (moment.day, 30, 29, 28):
        try:
            return moment.replace(year=moment.year + years, month=month + 1, day=min(day, moment.day))
        except (ValueError, OverflowError):
            continue
    raise ValueError("the year is outside of 1 to 9999")


def _parts(value: int, size: int) -> tuple[int, int]:
    """Divide toward zero, and return the quotient and the remainder."""
    quotient, remainder = divmod(abs(value), size)
    return (quotient, remainder) if value >= 0 else (-quotient, -remainder)


def _listed(*parts: tuple[int, str]) -> str:
    return "".join(f"{number}{unit}" for number, unit in parts if number)


def _seconds(seconds: int, fraction: int) -> str:
    if not (seconds or fraction):
        return ""
    sign = "-" if seconds < 0 or fraction < 0 else ""
    digits = f".{abs(fraction):09}".rstrip("0").rstrip(".")
    return f"{sign}{abs(seconds)}{digits}S"
