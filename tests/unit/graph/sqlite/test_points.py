"""Distances follow the great circle of Neo4j's sphere."""

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph.sqlite.points import distance

LATITUDES, LONGITUDES = st.floats(-90, 90), st.floats(-180, 180)
HALF = math.pi * 6_378_140


@pytest.mark.parametrize(
    ("ends", "metres"),
    [
        ((10.0, 20, -33.5, 151.25), 14_426_060.914951727),  # as `point.distance` of Neo4j 5
        ((90, 0, -90, 0), HALF),
        ((0, 0, 0, 180), HALF),
        ((0, -180, 0, 180), 0),
        ((5, 6, 5, 6), 0),
    ],
)
def test_distances_are_those_of_neo4j(ends: tuple[float, ...], metres: float) -> None:
    assert distance(*ends) == pytest.approx(metres, rel=1e-12, abs=1e-6)


@given(LATITUDES, LONGITUDES, LATITUDES, LONGITUDES)
def test_a_distance_is_symmetric_and_at_most_half_the_circumference(a: float, b: float, c: float, d: float) -> None:
    found = distance(a, b, c, d)

    assert isinstance(found, float)
    assert 0 <= found <= HALF
    assert found == pytest.approx(distance(c, d, a, b))


@pytest.mark.parametrize("ends", [(91, 0, 0, 0), (0, 181, 0, 0), (0, 0, -91, 0), (0, 0, 0, -181), ("1", 0, 0, 0)])
def test_what_is_no_point_on_the_earth_has_no_distance(ends: tuple[Any, ...]) -> None:
    assert distance(*ends) is None
