import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.support.imported_graphs import imported


def _names(folder: Path, kind: str, nodes: Mapping[str, Mapping[str, object]]) -> dict[str, str]:
    lines = [{"type": "node", "id": id_, "labels": [kind], "properties": held} for id_, held in nodes.items()]
    graph = imported(folder, {"g.jsonl": "\n".join(map(json.dumps, lines))})
    return {key: node.name for key, node in graph.nodes.items()}


def test_a_number_among_titles_is_a_name(tmp_path: Path) -> None:
    nodes: dict[str, dict[str, object]] = {
        "f1": {"title": "Tidal Song"},
        "f2": {"title": 1848},
        "f3": {"title": "Grey Sails"},
    }

    assert _names(tmp_path, "Film", nodes) == {"f1": "Tidal Song", "f2": "1848", "f3": "Grey Sails"}


def test_numbers_name_nodes_that_have_nothing_else(tmp_path: Path) -> None:
    nodes = {"y1": {"value": 1848}, "y2": {"value": 1951}}

    assert _names(tmp_path, "Year", nodes) == {"y1": "1848", "y2": "1951"}


def test_a_node_without_a_name_is_shown_by_another_property_instead_of_an_internal_id(tmp_path: Path) -> None:
    nodes: dict[str, dict[str, object]] = {f"p{n}": {"name": name} for n, name in enumerate(("Ann", "Bo", "Cy"))}
    nodes |= {
        "p3": {"motto": "Steady as she goes", "age": 4},
        "p4": {"age": 7},
        "p5": {"tall": True},
        "Dee": {"age": 9},
    }

    assert _names(tmp_path, "Person", nodes) == {
        "p0": "Ann",
        "p1": "Bo",
        "p2": "Cy",
        "p3": "Steady as she goes",
        "p4": "7",
        "p5": "p5",
        "Dee": "Dee",
    }


def test_entities_that_are_named_by_facts_keep_their_names(tmp_path: Path) -> None:
    graph = imported(tmp_path, {"f.tsv": "42\tmeans\tall\n42\tsize\t7\n", "g.jsonl": '{"type": "node", "id": "n1"}\n'})

    assert graph.nodes["42"].name == "42"


@pytest.mark.parametrize("predicate", ["http://schema.org/name", "http://xmlns.com/foaf/0.1/name"])
def test_other_predicates_name_resources_that_have_only_an_internal_id(tmp_path: Path, predicate: str) -> None:
    label = "http://www.w3.org/2000/01/rdf-schema#label"
    graph = imported(
        tmp_path,
        {
            "f.nt": f'<http://e.org/Q1> <{predicate}> "Sandra"@en .\n<http://e.org/Q1> <{predicate}> "Сандра"@ru .\n'
            f'_:x <{predicate}> "Harbour" .\n<http://e.org/Q1> <http://e.org/at> _:x .\n'
            f'<http://e.org/Q2> <{predicate}> "S. Lind" .\n<http://e.org/Q2> <{label}> "Sara Lind"@de .\n'
            f'<http://e.org/Old_Mill> <{predicate}> "mill 7" .\n'
        },
    )

    names = {key: node.name for key, node in graph.nodes.items() if not key.startswith('"')}
    assert sorted(names.values()) == ["Harbour", "Old Mill", "Sandra", "Sara Lind"]
    assert len(graph.relationships) == 6
