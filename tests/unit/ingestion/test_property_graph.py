from pathlib import Path

from ingestion.property_graph import Node, PropertyGraph, Relationship, write_graph_file
from tests.support.imported_graphs import StoredGraph, StoredNode, stored_graph


def test_a_written_graph_has_its_kinds_and_properties(tmp_path: Path) -> None:
    nodes = (Node(0, frozenset(("Driver",)), {"name": "Ann", "age": 40}), Node(1, frozenset(("Depot",))))
    links = (Relationship(0, "WORKS_AT", 0, 1, {"since": 2020}), Relationship(1, "WORKS_AT", 0, 1))
    write_graph_file(PropertyGraph(nodes, links), tmp_path / "graph.sqlite")
    assert stored_graph(tmp_path / "graph.sqlite") == StoredGraph(
        {"0": StoredNode("Ann", {"Driver"}, {"name": "Ann", "age": 40}), "1": StoredNode("1", {"Depot"}, {})},
        [("0", "WORKS_AT", "1", {"since": 2020}), ("0", "WORKS_AT", "1", {})],
    )
