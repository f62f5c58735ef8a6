"""Import points as two numbers: the point `location` becomes `location.latitude` and `location.longitude`.

Only points on the earth with two coordinates (WGS-84) have these parts; other points are left out.
"""

import re
from collections.abc import Mapping
from typing import Any

from neo4j.spatial import Point

from graph.plan.values import Value

_SRID, _SYSTEM = 4326, "wgs-84"
_LATITUDE, _LONGITUDE = "latitude", "longitude"
_ENTRY = re.compile(r"\s*([A-Za-z]+)\s*:\s*['\"]?([^,'\"]*?)['\"]?\s*")


def parts_of_point(key: str, value: Any) -> dict[str, Value] | None:
    """Return the properties for a point of the driver, or for one in JSON; None if the value is no such point.

    Example:
        >>> parts_of_point("at", {"crs": "wgs-84", "latitude": 1.5, "longitude": 2})
        {'at.latitude': 1.5, 'at.longitude': 2.0}
    """
    match value:
        case Point(srid=srid) if srid == _SRID:
            longitude, latitude = value
            return _parts(key, latitude, longitude)
        case {"crs": str(system)} if system.lower() == _SYSTEM:
            return _of_entries(key, value)
    return None


def parts_of_cell(key: str, cell: str) -> dict[str, Value] | None:
    """Return the properties for a cell such as `{latitude: 1.5, longitude: 2}`; None if it holds something else."""
    text = cell.strip()
    entries = [_ENTRY.fullmatch(entry) for entry in text.removeprefix("{").removesuffix("}").split(",")]
    found = {entry[1].lower(): entry[2] for entry in entries if entry is not None}
    if len(found) < len(entries) or found.get("crs", _SYSTEM).lower() != _SYSTEM:
        return None
    return _of_entries(key, found)


def _of_entries(key: str, entries: Mapping[str, Any]) -> dict[str, Value] | None:
    others = {name for name, value in entries.items() if value is not None} - {"crs", _LATITUDE, _LONGITUDE}
    return None if others else _parts(key, entries.get(_LATITUDE), entries.get(_LONGITUDE))


def _parts(key: str, latitude: Any, longitude: Any) -> dict[str, Value] | None:
    try:
        degrees = float(latitude), float(longitude)
    except (TypeError, ValueError):
        return None
    # A comparison with NaN is false.
    if not (-90 <= degrees[0] <= 90 and -180 <= degrees[1] <= 180):
        return None
    return {f"{key}.{_LATITUDE}": degrees[0], f"{key}.{_LONGITUDE}": degrees[1]}
