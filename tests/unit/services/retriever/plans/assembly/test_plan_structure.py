import pytest

from graph.plan.algebra import (
    And,
    Column,
    Comparison,
    Constant,
    Expression,
    Filter,
    ListOf,
    Match,
    NodePattern,
    Or,
    Order,
    Plan,
    Project,
    Property,
    RelationshipPattern,
    SortKey,
    Variable,
)
from services.retriever.plans.assembly.plan_structure import Structure, structure_of

_NODES = (NodePattern("a", ("Person",)), NodePattern("b", ("Film",)))
_NAME = Property("a", "name")
_RETURN = Project((Column("a", Variable("a")),))


def _is(key: str, value: str) -> Comparison:
    return Comparison("=", Property("a", key), Constant(value))


def _structure(*relationships: RelationshipPattern, where: Expression | None = None) -> frozenset[Structure]:
    return structure_of(Plan((Match(_NODES, relationships, where), _RETURN)), {"name"})


@pytest.mark.parametrize(
    "where", [Or((_is("name", "x"), _is("name", "y"))), Comparison("in", _NAME, ListOf((Constant("x"), Constant("y"))))]
)
def test_one_of_several_values_is_enough(where: Expression) -> None:
    assert Structure.ALTERNATIVES in _structure(where=where)


def test_two_values_have_to_hold() -> None:
    assert Structure.CONJUNCTION in _structure(where=And((_is("name", "x"), _is("role", "y"))))
    assert Structure.CONJUNCTION not in _structure(where=_is("name", "x"))


def test_a_relationship_to_any_node_is_a_loose_end() -> None:
    directed = RelationshipPattern("a", "b", ("DIRECTED",))
    wrote = RelationshipPattern("a", "b", ("WROTE",))
    assert Structure.LOOSE_END in _structure(directed)
    assert Structure.LOOSE_END not in _structure(directed, wrote)


@pytest.mark.parametrize("key", ["name", "role"])
def test_an_order_of_one_node_means_nothing(key: str) -> None:
    steps = (Match(_NODES), Filter(_is(key, "x")), Order((SortKey(Property("a", "age")),)), _RETURN)
    assert (Structure.ORDERED_ONE in structure_of(Plan(steps), {"name"})) == (key == "name")


def test_a_node_without_a_part_in_the_result_is_idle() -> None:
    same = Comparison("=", Property("a", "born"), Property("b", "made"))
    assert Structure.IDLE_NODE in _structure(where=_is("name", "x"))
    assert Structure.IDLE_NODE not in _structure(where=same)
    assert Structure.IDLE_NODE not in _structure(RelationshipPattern("a", "b", ("DIRECTED",)))
