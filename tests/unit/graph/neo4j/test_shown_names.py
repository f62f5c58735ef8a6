"""Nodes in the results of plans are shown by what a reader knows, and by an ID only if there is nothing else."""

from neo4j.graph import Graph, Node

from graph.neo4j.copies import ENTITY_LABEL
from graph.neo4j.plan_execution import shown_name
from graph.plan.schema import GraphSchema, KindSchema

_SCHEMA = GraphSchema(
    {"Ship": KindSchema(3, {}, "name"), "Log": KindSchema(3, {})}, {}, hidden=frozenset({("", "pin")})
)


def _shown(label: str, **properties: object) -> str:
    return shown_name(Node(Graph(), "4:a:7", 7, [label], properties), _SCHEMA, {})


def test_the_name_comes_first() -> None:
    assert _shown("Ship", name=1917, motto="Steady as she goes") == "1917"


def test_a_node_without_a_name_is_shown_by_another_property() -> None:
    assert _shown("Ship", motto="Steady as she goes", age=4) == "Steady as she goes"
    assert _shown("Log", year=1848) == "1848"


def test_hidden_properties_and_those_of_copies_are_not_shown() -> None:
    assert _shown("Log", pin="open sesame") == "4:a:7"
    assert _shown(ENTITY_LABEL, kgqa_key="some key") == "4:a:7"
