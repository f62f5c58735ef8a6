"""Write points in Cypher: a property such as `location.latitude` is a part of the point `location`.

Plans know points of the system WGS-84 with two coordinates; a part of another point is missing.
"""

SRID = 4326
"""The coordinate reference system of points with a longitude and a latitude."""
PARTS = ("latitude", "longitude")
DISTANCE = (
    "CASE WHEN -90 <= {0} <= 90 AND -180 <= {1} <= 180 AND -90 <= {2} <= 90 AND -180 <= {3} <= 180 THEN "
    "point.distance(point({{latitude: {0}, longitude: {1}}}), point({{latitude: {2}, longitude: {3}}})) END"
)
"""The distance in metres between two points on the earth, which four numbers state."""


def point_key(key: str) -> tuple[str, str] | None:
    """Return the property of the point and the part that a key may name; None if it cannot name one.

    Example:
        >>> point_key("location.latitude")
        ('location', 'latitude')
    """
    owner, _, part = key.rpartition(".")
    return (owner, part) if owner and part in PARTS else None


def part_of_point(owner: str, part: str, other: str) -> str:
    """Return the part of a point in Cypher, or `other` if the property holds no point of this system."""
    return f"CASE WHEN {owner} IS :: POINT NOT NULL AND {owner}.srid = {SRID} THEN {owner}.{part} ELSE {other} END"
