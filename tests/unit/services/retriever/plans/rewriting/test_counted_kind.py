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
from language.english.english import english
from services.retriever.plans.rewriting.counted_kind import counted_kinds, counting_once
from services.retriever.plans.schema.schema_elements import SchemaElements
from tests.support.asked_questions import asked_about
from tests.support.property_graphs import film_graph
from tests.support.stored_graphs import StoredGraph

_SCHEMA = StoredGraph(film_graph()).schema
_ELEMENTS = SchemaElements.of(_SCHEMA)
_PERSONS = asked_about(_SCHEMA, "How many persons are there?")
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
    assert counted_kinds(english(question), _ELEMENTS) == kinds


def test_nodes_of_the_kind_are_counted_once() -> None:
    assert counting_once(Plan((_BOTH, Group((), (_COUNT,)))), _PERSONS) == Plan((_BOTH, Group((), (_EACH,))))


def test_nodes_of_the_kind_are_counted_in_each_group_instead_of_others() -> None:
    award, won = NodePattern("c", ("Award",)), RelationshipPattern("a", "c", ("WON",))
    pattern = Match((*_BOTH.nodes, award), (*_BOTH.relationships, won))
    keys = (Column("b", Variable("b")),)
    each_award = Aggregate("count", AggregateFunction.COUNT, Variable("c"), distinct=True)

    for counted in (_COUNT, each_award):
        assert counting_once(Plan((pattern, Group(keys, (counted,)))), _PERSONS) == Plan(
            (pattern, Group(keys, (_EACH,)))
        )


@pytest.mark.parametrize(
    ("plan", "question"),
    [
        (Plan((_BOTH, Group((Column("b", Variable("b")),), (_COUNT,)))), "How many persons are there?"),
        (Plan((_BOTH, Group((), (_COUNT,)))), "How many awards are there?"),
        (Plan((_BOTH, Group((), (_COUNT,)))), "How many are there?"),
        (Plan((Match((NodePattern("a", ("Person",)),), ()), Group((), (_COUNT,)))), "How many persons are there?"),
        (Plan((_BOTH, Group((), (_EACH,)))), "How many persons are there?"),
    ],
)
def test_other_counts_stay_as_they_are(plan: Plan, question: str) -> None:
    assert counting_once(plan, asked_about(_SCHEMA, question)) == plan
