"""Calculate durations for the reference evaluator, as `docs/reference/query-plans.md` defines them.

It shares no code with the stores, and prefers a search to a formula.
"""

import calendar
import re
from collections.abc import Iterable, Iterator
from datetime import date, datetime, timedelta
from fractions import Fraction
from math import floor, trunc

_TEXT = re.compile(r"P(?P<day>[^T]*)(T(?P<clock>.+))?")
_PART = re.compile(r"(-?[0-9]{1,10}(?:\.[0-9]{1,9}(?=S))?)([YMDHS])")


def duration_parts(text: str) -> dict[str, int] | None:
    """Return the months, days, and seconds, rounded down, of a duration; None for other text."""
    amounts = duration_amounts(text)
    return None if amounts is None else dict(zip(("months", "days", "seconds"), map(floor, amounts), strict=True))


def duration_amounts(text: str) -> tuple[Fraction, Fraction, Fraction] | None:
    """Return the months, days, and seconds of a duration; None for other text."""
    found = _TEXT.fullmatch(text)
    if found is None:
        return None
    units = [(found["day"], "YMD"), (found["clock"] or "", "HMS")]
    amounts: list[dict[str, Fraction]] = []
    for part, order in units:
        pairs = _PART.findall(part)
        names = [unit for _, unit in pairs]
        if "".join(number + unit for number, unit in pairs) != part or names != [one for one in order if one in names]:
            return None
        amounts.append({unit: Fraction(number) for number, unit in pairs})
    day, clock = amounts
    if not day and not clock:
        return None
    seconds = clock.get("H", 0) * 3600 + clock.get("M", 0) * 60 + clock.get("S", 0)
    return Fraction(day.get("Y", 0) * 12 + day.get("M", 0)), Fraction(day.get("D", 0)), Fraction(seconds)


def duration_length(text: str) -> float | None:
    """Return the seconds by which durations are sorted; None for other text."""
    if (amounts := duration_amounts(text)) is None:
        return None
    months, days, seconds = amounts
    whole = months * 2_629_746 + days * 86_400 + floor(seconds)
    return float(whole) + float(seconds - floor(seconds))


def extreme_duration(texts: Iterable[str], sign: int) -> str | None:
    """Return the shortest duration among texts, or the longest one if the sign is -1."""
    found = []
    for text in texts:
        if (amounts := duration_amounts(text)) is not None:
            months, days, seconds = amounts
            # The fraction of a second decides only between equal numbers of whole seconds.
            length = months * 2_629_746 + days * 86_400 + floor(seconds)
            key = (length, seconds - floor(seconds), months, days)
            found.append((tuple(sign * part for part in key), _text(int(months), int(days), seconds)))
    return min(found)[1] if found else None


def moved(moment: date, text: str, sign: int) -> date | None:
    """Return a date or datetime after a duration, or before it if the sign is -1; None for other text."""
    amounts = duration_amounts(text)
    if amounts is None:
        return None
    months, days, seconds = amounts
    most_days = 3_652_425
    if abs(months) > 120_000 or abs(days) > most_days or abs(floor(seconds)) > most_days * 86_400:
        return None
    number = moment.year * 12 + moment.month - 1 + sign * int(months)
    place = _ordinal(number // 12, number % 12 + 1, moment.day) + sign * int(days)
    try:
        if not isinstance(moment, datetime):
            return date.fromordinal(place + sign * trunc(Fraction(floor(seconds), 86_400)))
        since_midnight = Fraction((moment - as_moment(moment.date())) // timedelta(microseconds=1), 10**6)
        total = (place - 1) * 86_400 + since_midnight + sign * seconds
        return datetime(1, 1, 1) + timedelta(microseconds=floor(total * 10**6))
    except (ValueError, OverflowError):
        return None


def _ordinal(year: int, month: int, day: int) -> int:
    """Count the days since the beginning of the year 1, of any year before or after it."""
    is_leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    lengths = [31, 28 + is_leap, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    before = year - 1
    return (
        before * 365
        + before // 4
        - before // 100
        + before // 400
        + sum(lengths[: month - 1])
        + min(day, lengths[month - 1])
    )


def as_moment(value: date | datetime) -> datetime:
    """Return a datetime, or the midnight at which a date begins."""
    return value if isinstance(value, datetime) else datetime(value.year, value.month, value.day)


def start_of(unit: str, moment: date) -> date | None:
    """Return the start of the period with a date or datetime; None before the year 1.

    The last moment of its kind that is not later is found by going back one year, day, or second after the other.
    """
    if unit in ("hour", "minute", "second"):
        kept = {"hour": 13, "minute": 16, "second": 19}[unit]
        return datetime.fromisoformat(moment.isoformat()[:kept] + "0000-01-01T00:00:00"[kept:])
    day = date(moment.year, moment.month, moment.day)
    if unit in ("century", "decade"):
        day = date(moment.year, 1, 1)
        while day.year % (100 if unit == "century" else 10):
            if day.year == 1:
                return None
            day = date(day.year - 1, 1, 1)
    while not _is_start(unit, day):
        day -= timedelta(1)
    return as_moment(day) if isinstance(moment, datetime) else day


def _is_start(unit: str, day: date) -> bool:
    match unit:
        case "week":
            return day.strftime("%a") == "Mon"
        case "day":
            return True
        case "quarter":
            return day.day == 1 and day.month in (1, 4, 7, 10)
        case "month":
            return day.day == 1
    return day.month == day.day == 1


def later_by_months(moment: datetime, months: int) -> datetime:
    """Add months, and keep to the days that the month has."""
    number = moment.year * 12 + moment.month - 1 + months
    year, month = number // 12, number % 12 + 1
    return moment.replace(year=year, month=month, day=min(moment.day, calendar.monthrange(year, month)[1]))


def full_months(start: datetime, end: datetime) -> int:
    """Return the greatest number of months, in either direction, that does not pass the last whole day.

    January 31 plus a month is February 31 here, which no day of February reaches.
    """
    sign = 1 if end >= start else -1
    last = start + sign * timedelta(abs(end - start).days)
    limit = (last.year, last.month, last.day)
    months = abs(last.year - start.year) * 12 + 12
    while months > 0:
        number = start.year * 12 + start.month - 1 + sign * months
        reached = (number // 12, number % 12 + 1, start.day)
        if (reached <= limit) if sign > 0 else (reached >= limit):
            break
        months -= 1
    return sign * months


def difference(function: str, start: datetime, end: datetime) -> int | str:
    """Return the value of `months_between` and its like."""
    seconds = Fraction((end - start) // timedelta(microseconds=1), 10**6)
    match function:
        case "months_between":
            return full_months(start, end)
        case "days_between":
            return trunc(seconds / 86400)
        case "seconds_between":
            return floor(seconds)
        case "duration_in_months":
            return _text(full_months(start, end), 0, Fraction())
        case "duration_in_days":
            return _text(0, trunc(seconds / 86400), Fraction())
        case "duration_in_seconds":
            return _text(0, 0, seconds)
    months = full_months(start, end)
    left = Fraction((end - later_by_months(start, months)) // timedelta(microseconds=1), 10**6)
    days = trunc(left / 86400)
    return _text(months, days, left - days * 86400)


def _text(months: int, days: int, seconds: Fraction) -> str:
    years = trunc(Fraction(months, 12))
    hours = trunc(seconds / 3600)
    minutes = trunc((seconds - hours * 3600) / 60)
    day = "".join(_shown(((years, "Y"), (months - years * 12, "M"), (days, "D"))))
    clock = "".join(_shown(((hours, "H"), (minutes, "M"), (seconds - hours * 3600 - minutes * 60, "S"))))
    return f"P{day}T{clock}" if clock else f"P{day}" if day else "PT0S"


def _shown(parts: tuple[tuple[int | Fraction, str], ...]) -> Iterator[str]:
    for number, unit in parts:
        if number:
            digits = f"{float(number):.9f}".rstrip("0").rstrip(".")
            yield f"{digits}{unit}"
