"""Measure distances between points on the earth."""

from math import asin, cos, radians, sin, sqrt

from graph.sqlite.arithmetic import is_number
from graph.sqlite.values import Stored

_RADIUS_M = 6_378_140.0
"""Radius of the sphere that Neo4j takes for the earth, in metres."""


def distance(latitude: Stored, longitude: Stored, other_latitude: Stored, other_longitude: Stored) -> Stored:
    """Return the length of the great circle between two points in metres, by the haversine formula.

    Missing unless both are points on the earth, in degrees.
    """
    if not (_is_point(latitude, longitude) and _is_point(other_latitude, other_longitude)):
        return None
    a, b = radians(latitude), radians(other_latitude)  # type: ignore[arg-type]
    east = radians(other_longitude) - radians(longitude)  # type: ignore[arg-type]
    haversine = sin((b - a) / 2) ** 2 + cos(a) * cos(b) * sin(east / 2) ** 2
    return 2 * _RADIUS_M * asin(sqrt(min(1.0, haversine)))


def _is_point(latitude: Stored, longitude: Stored) -> bool:
    return _is_within(latitude, 90) and _is_within(longitude, 180)


def _is_within(degrees: Stored, limit: int) -> bool:
    return is_number(degrees) and -limit <= degrees <= limit  # type: ignore[operator]
