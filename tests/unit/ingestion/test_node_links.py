"""One JSON document with nodes and links, as networkx, D3, graphology, and Cytoscape write it."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.imported_graphs import import_error, imported, report, stored_graph

_NODES: list[dict[str, Any]] = [
    {"id": "anna", "label": "Anna Petrie", "type": "Person"},
    {"id": "b1", "label": "Low Water", "type": "Book", "year": 2016},
]
_LINK = {"source": "anna", "target": "b1", "relation": "wrote", "weight": 0.5}


@pytest.mark.parametrize("links", ["links", "edges"])
@pytest.mark.parametrize("indent", [None, 1])
def test_nodes_and_links_are_read(tmp_path: Path, links: str, indent: int | None) -> None:
    document = {"directed": True, "multigraph": False, "graph": {}, "nodes": _NODES, links: [_LINK]}

    graph = imported(tmp_path, {"g.json": json.dumps(document, indent=indent)})

    assert {node.name for node in graph.nodes.values()} == {"Anna Petrie", "Low Water"}
    assert graph.nodes["b1"].kinds == {"Book"}
    assert graph.nodes["b1"].properties["year"] == 2016
    assert graph.relationships == [("anna", "wrote", "b1", {"weight": 0.5})]


@pytest.mark.parametrize(
    ("nodes", "links", "relationships"),
    [
        ([{"name": "A"}, {"name": "B"}], [{"source": 0, "target": 1, "type": "R"}], [("0", "R", "1")]),
        ([{"id": 7}, {"id": 9}], [{"source": 7, "target": 9, "key": 0}], [("7", "linked_to", "9")]),
        ([{"id": "x"}, {"id": "y"}], [{"source": 0, "target": 1, "label": "R"}], [("x", "R", "y")]),
        ([{"id": "x"}, {"id": "y"}], [{"source": {"id": "x"}, "target": {"id": "y"}, "key": "R"}], [("x", "R", "y")]),
        (
            [{"key": "x", "attributes": {"label": "X"}}, {"key": "y"}],
            [{"key": "e", "source": "x", "target": "y", "type": "directed", "attributes": {"label": "R"}}],
            [("x", "R", "y")],
        ),
    ],
)
def test_each_way_to_refer_to_nodes_is_read(
    tmp_path: Path, nodes: list[Any], links: list[Any], relationships: list[tuple[str, str, str]]
) -> None:
    graph = imported(tmp_path, {"g.json": json.dumps({"nodes": nodes, "links": links})})

    assert [one[:3] for one in graph.relationships] == relationships


def test_elements_of_cytoscape_are_read(tmp_path: Path) -> None:
    elements = {"nodes": [{"data": node} for node in _NODES], "edges": [{"data": _LINK}]}

    graph = imported(tmp_path, {"g.json": json.dumps({"elements": elements}, indent=2)})

    assert [one[:3] for one in graph.relationships] == [("anna", "wrote", "b1")]


def test_a_bad_value_or_link_does_not_cost_the_document(tmp_path: Path) -> None:
    document = {"nodes": [{**_NODES[0], "x": {"y": 1}}, _NODES[1]], "links": [_LINK, {"source": "anna"}]}

    found = report(tmp_path, {"g.json": json.dumps(document)})

    assert sorted(one.number for one in found.rejected) == [1, 1]
    assert len(stored_graph(tmp_path / "graph.sqlite").relationships) == 1


def test_an_array_on_several_lines_is_read(tmp_path: Path) -> None:
    records = [{"type": "node", "id": "1", "labels": ["A"]}, {"type": "node", "id": "2", "labels": ["A"]}]

    assert len(imported(tmp_path, {"g.json": json.dumps(records, indent=2)}).nodes) == 2


def test_another_document_is_refused_with_the_forms_that_are_read(tmp_path: Path) -> None:
    error = import_error(tmp_path, {"g.json": json.dumps({"vertices": [], "links": []}, indent=1)})

    assert 'write one document with the lists "nodes" and "links"' in error


@pytest.mark.parametrize("indent", [None, 1])
@pytest.mark.parametrize("share", [0.3, 0.6, 0.9])
def test_a_document_that_is_cut_off_is_said_to_be(tmp_path: Path, indent: int | None, share: float) -> None:
    document = json.dumps({"directed": False, "nodes": _NODES, "links": [_LINK]}, indent=indent)
    cut = document[: int(len(document) * share)]

    error = import_error(tmp_path, {"g.json": cut}, is_strict=False)

    line = cut.count("\n") + 1
    assert error == f"g.json, line {line}: the JSON document ends too early; if the file was cut off, write it again"


def test_an_error_within_a_document_is_found(tmp_path: Path) -> None:
    document = '{"nodes": [{"id": 1}],\n "links": [{"source": 1 "target": 1}]}'

    assert import_error(tmp_path, {"g.json": document}, is_strict=False) == (
        "g.json, line 2: not JSON at column 25 (Expecting ',' delimiter); correct the document"
    )


@pytest.mark.parametrize("end", ["source", "target"])
def test_a_link_without_an_end_is_named_in_the_words_of_the_file(tmp_path: Path, end: str) -> None:
    broken = {key: value for key, value in _LINK.items() if key not in (end, "weight")}
    other = "target" if end == "source" else "source"

    found = report(tmp_path, {"g.json": json.dumps({"nodes": _NODES, "links": [_LINK, broken]})})

    assert [one.example for one in found.rejected] == [
        f'g.json, line 1: link 2 has no "{end}", but its fields are {other}, relation; set "{end}" to the ID of a node'
    ]
