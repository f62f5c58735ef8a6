import pytest

from graph.plan.algebra import (
    Aggregate,
    AggregateFunction,
    Column,
    Group,
    Match,
    NodePattern,
    Plan,
    RelationshipPattern,
    Variable,
)
from services.retriever.plans.rewriting.counted_kind import counted_kinds, counting_once
from services.retriever.plans.schema.schema_elements import SchemaElements
from tests.support.property_graphs import film_graph
from tests.support.stored_graphs import StoredGraph

_ELEMENTS = SchemaElements.of(StoredGraph(film_graph()).schema)
_COUNT = Aggregate("count", AggregateFunction.COUNT)
_EACH = Aggregate("count", AggregateFunction.COUNT, Variable("a"), distinct=True)
_BOTH = Match(
    (NodePattern("a", ("Person",)), NodePattern("b", ("Film",))), (RelationshipPattern("a", "b", ("ACTED_IN",)),)
)


@pytest.mark.parametrize(
    ("question", "kinds"),
    [
        ("How many persons acted in films?", {"Person"}),
        ("What is the number of French films?", {"Film"}),
        ("How many of them are films?", set()),
        ("Which films are there?", set()),
    ],
)
def test_the_noun_after_how_many_names_a_kind(question: str, kinds: set[str]) -> None:
    assert counted_kinds(question, _ELEMENTS) == kinds


def test_nodes_of_the_kind_are_counted_once() -> None:
    assert counting_once(Plan((_BOTH, Group((), (_COUNT,)))), {"Person"}) == Plan((_BOTH, Group((), (_EACH,))))


def test_nodes_of_the_kind_are_counted_in_each_group_instead_of_others() -> None:
    award, won = NodePattern("c", ("Award",)), RelationshipPattern("a", "c", ("WON",))
    pattern = Match((*_BOTH.nodes, award), (*_BOTH.relationships, won))
    keys = (Column("b", Variable("b")),)
    each_award = Aggregate("count", AggregateFunction.COUNT, Variable("c"), distinct=True)

    for counted in (_COUNT, each_award):
        assert counting_once(Plan((pattern, Group(keys, (counted,)))), {"Person"}) == Plan(
            (pattern, Group(keys, (_EACH,)))
        )


@pytest.mark.parametrize(
    ("plan", "kinds"),
    [
        (Plan((_BOTH, Group((Column("b", Variable("b")),), (_COUNT,)))), {"Person"}),
        (Plan((_BOTH, Group((), (_COUNT,)))), {"Award"}),
        (Plan((_BOTH, Group((), (_COUNT,)))), set()),
        (Plan((Match((NodePattern("a", ("Person",)),), ()), Group((), (_COUNT,)))), {"Person"}),
        (Plan((_BOTH, Group((), (_EACH,)))), {"Person"}),
    ],
)
def test_other_counts_stay_as_they_are(plan: Plan, kinds: set[str]) -> None:
    assert counting_once(plan, kinds) == plan
