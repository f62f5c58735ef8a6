"""Cypher's points are read as latitudes and longitudes, and their distances in metres."""

import pytest

from graph.cypher.reader import read_cypher
from graph.cypher.unsupported import UnsupportedCypherError
from graph.plan.algebra import Call, Constant, Function, Project, Property

_LATITUDE = Property("p", "at.latitude", as_stored=True)
_LONGITUDE = Property("p", "at.longitude", as_stored=True)


def _value(expression: str) -> object:
    last = read_cypher(f"MATCH (p)-->(q) RETURN {expression} AS x").steps[-1]
    assert isinstance(last, Project)
    return last.columns[0].value


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("p.at.latitude", _LATITUDE),
        ("p.at.longitude", _LONGITUDE),
        ("p.at.x", _LONGITUDE),
        ("p.at.y", _LATITUDE),
        (
            "distance(p.at, point({latitude: 1, longitude: 2}))",
            Call(Function.DISTANCE, (_LATITUDE, _LONGITUDE, Constant(1), Constant(2))),
        ),
        (
            "point.distance(p.at, point({latitude: 1.5, longitude: q.east}))",
            Call(
                Function.DISTANCE,
                (_LATITUDE, _LONGITUDE, Constant(1.5), Property("q", "east", as_stored=True)),
            ),
        ),
        (
            "point.distance(point({longitude: 2, latitude: 1, crs: 'WGS-84', srid: 4326}), p.at)",
            Call(Function.DISTANCE, (Constant(1), Constant(2), _LATITUDE, _LONGITUDE)),
        ),
    ],
)
def test_points_are_latitudes_and_longitudes(expression: str, value: object) -> None:
    assert _value(expression) == value


@pytest.mark.parametrize(
    ("expression", "problem"),
    [
        ("point.distance(p.at, point({x: 1, y: 2}))", r"point\(\) supports only latitude and longitude"),
        ("point.distance(p.at, point({latitude: 1, longitude: 2, height: 3}))", "only latitude and longitude"),
        ("point.distance(p.at, point({latitude: 1, longitude: 2, crs: 'cartesian'}))", "only latitude and longitude"),
        ("point.distance(p.at, point())", r"point\(\) supports only a map"),
        ("point.distance(p.at, point(q))", r"point\(\) supports only a map"),
        ("point.distance(p.at)", "with 1 arguments"),
        ("point.distance(p.at, q)", "something other than properties and point"),
        ("point({latitude: 1, longitude: 2})", "not supported"),
        ("p.at.z", "property z of an expression"),
        ("point({latitude: 1, longitude: 2}).latitude", "not supported"),
    ],
)
def test_other_points_are_refused(expression: str, problem: str) -> None:
    with pytest.raises(UnsupportedCypherError, match=problem):
        _value(expression)
