from ingestion.property_graph import Node, PropertyGraph, Relationship
from tests.unit.question_sets.spider.databases import cinema, read
from training.planning.calibration.spider_questions import graph_of, without


def test_invented_rows_hold_the_values_of_queries() -> None:
    graph = graph_of(read(cinema()), ["SELECT title FROM film WHERE title = 'Solaris'"])
    assert any("Solaris" in node.properties.values() for node in graph.nodes)


def test_a_property_and_a_relationship_of_a_name_are_deleted() -> None:
    graph = PropertyGraph(
        (Node(0, frozenset(("A",)), {"size": 1, "name": "a"}), Node(1)), (Relationship(0, "size", 0, 1),)
    )
    assert without(graph, "size") == PropertyGraph((Node(0, frozenset(("A",)), {"name": "a"}), Node(1)))
