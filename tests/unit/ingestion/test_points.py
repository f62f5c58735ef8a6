"""Points with a latitude and a longitude are imported as two numbers, and all others are left out."""

import json
from pathlib import Path
from typing import Any

import pytest
from neo4j.spatial import CartesianPoint, WGS84Point

from ingestion.points import parts_of_cell, parts_of_point
from tests.support.imported_graphs import imported

PARTS = {"at.latitude": 1.5, "at.longitude": -2.0}


@pytest.mark.parametrize(
    "value",
    [
        WGS84Point((-2, 1.5)),
        {"crs": "wgs-84", "latitude": 1.5, "longitude": -2, "height": None},
        {"crs": "WGS-84", "longitude": -2.0, "latitude": 1.5},
    ],
)
def test_a_point_on_the_earth_has_two_parts(value: Any) -> None:
    assert parts_of_point("at", value) == PARTS


@pytest.mark.parametrize(
    "value",
    [
        CartesianPoint((-2, 1.5)),
        WGS84Point((-2, 1.5, 10)),
        {"crs": "wgs-84-3d", "latitude": 1.5, "longitude": -2, "height": 3},
        {"crs": "wgs-84", "latitude": 1.5, "longitude": -2, "height": 3},
        {"crs": "cartesian", "x": 1.5, "y": -2},
        {"crs": "wgs-84", "latitude": 1.5},
        {"crs": "wgs-84", "latitude": 90.5, "longitude": 2},
        {"crs": "wgs-84", "latitude": "north", "longitude": 2},
        {"crs": "wgs-84", "latitude": float("nan"), "longitude": 2},
        {"crs": 4326, "latitude": 1.5, "longitude": -2},
        {"latitude": 1.5, "longitude": -2},
        [WGS84Point((-2, 1.5))],
        "point",
        None,
    ],
)
def test_other_values_have_no_parts(value: Any) -> None:
    assert parts_of_point("at", value) is None


@pytest.mark.parametrize(
    "cell",
    [
        "{latitude:1.5, longitude:-2}",
        " { Longitude: -2 , latitude: 1.5 } ",
        "{latitude: '1.5', longitude: \"-2\", crs: 'WGS-84'}",
    ],
)
def test_a_cell_with_a_point_has_two_parts(cell: str) -> None:
    assert parts_of_cell("at", cell) == PARTS


@pytest.mark.parametrize(
    "cell",
    [
        "",
        "{}",
        "{x: 1, y: 2}",
        "{latitude: 1.5}",
        "{latitude: 1.5, longitude: -2, height: 3}",
        "1.5, -2",
        "{latitude: 1.5, longitude: -2, crs: wgs-84-3d}",
        "{latitude: 1.5, longitude: -2};{latitude: 1, longitude: 2}",
    ],
)
def test_a_cell_with_something_else_has_no_parts(cell: str) -> None:
    assert parts_of_cell("at", cell) is None


def test_files_import_the_parts_of_points(tmp_path: Path) -> None:
    node = {"type": "node", "id": "2", "properties": {"at": {"crs": "wgs-84", "latitude": 1.5, "longitude": -2}}}
    files = {
        "n.csv": ':ID,at:point{crs:WGS-84}\n1,"{latitude:1.5, longitude:-2}"\n',
        "n.jsonl": json.dumps(node) + "\n",
    }

    graph = imported(tmp_path, files)

    assert [one.properties for one in graph.nodes.values()] == [PARTS, PARTS]
