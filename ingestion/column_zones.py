"""Read the time zone in the header of a column, such as `at:datetime{timezone:Europe/Berlin}`."""

import re
from datetime import datetime, timedelta, timezone, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from ingestion.typed_values import BadValueError
from shared.text import shown

_OPTION = re.compile(r"\{[^{}]*\btimezone\s*:\s*([^{},]*?)\s*[,}]", re.IGNORECASE)
_OFFSET = re.compile(r"([+-])(0[0-9]|1[0-8]):?([0-5][0-9])")
_TYPES = ("datetime", "time")


def column_zone(title: str, type_: str) -> tzinfo | None:
    """Return the time zone in the title of a column of this type, if it has one.

    Raises BadValueError if the zone is unknown, or if the type has no time zones.
    """
    option = _OPTION.search(title)
    if option is None:
        return None
    if type_ not in _TYPES:
        raise BadValueError(f"a time zone applies to datetime and time only; remove it from the column {shown(title)}")
    zone = _zone(option[1])
    if zone is None:
        raise BadValueError(
            f"unknown time zone {shown(option[1])} of the column {shown(title)}; write one such as Europe/Berlin or "
            "+02:00"
        )
    return zone


def _zone(name: str) -> tzinfo | None:
    if offset := _OFFSET.fullmatch(name):
        minutes = int(offset[2]) * 60 + int(offset[3])
        return timezone(timedelta(minutes=-minutes if offset[1] == "-" else minutes))
    try:
        zone = ZoneInfo("UTC" if name.upper() == "Z" else name)
        zone.utcoffset(datetime.min)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return None
    return zone
