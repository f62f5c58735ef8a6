import random
from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graph.cypher.reader import read_cypher
from graph.plan.algebra import Plan
from graph.plan.values import ValueType
from language.english.question_values import literal_values
from services.retriever.plans.assembly.assembly import assemble
from services.retriever.plans.assembly.constants import QuestionConstants
from services.retriever.plans.grammar.actions import Action, Op
from services.retriever.plans.grammar.transitions import MAX_ACTIONS, State, legal_actions
from services.retriever.plans.schema.schema_elements import SchemaElements
from tests.support.plan_actions import random_actions
from tests.support.plan_constants import stated_values
from tests.support.plan_results import comparable
from tests.support.property_graphs import GRAPHS
from tests.support.stored_graphs import StoredGraph, random_graph
from training.planning.oracle import InexpressibleError, Slot, actions_of

_VALUES = literal_values("Which 3 of 'Alma', '1999', and 'Bo' cost over 2.5 since 2001-03-04?")
_FILMS = [
    "MATCH (f:Film) RETURN f",
    "MATCH (f:Film) WHERE f.year > 1985 RETURN f",
    "MATCH (f:Film) WHERE f.year >= 1982 AND f.year <= 1985 RETURN f",
    "MATCH (f:Film) WHERE f.year IN [1982, 1985] RETURN f",
    "MATCH (f:Film) WHERE NOT f.year = 1985 RETURN f",
    "MATCH (f:Film) WHERE f.title STARTS WITH 'Film 1' OR f.rating < 3 RETURN f",
    "MATCH (f:Film) RETURN f ORDER BY f.rating DESC LIMIT 3",
    "MATCH (f:Film) RETURN f ORDER BY f.rating DESC SKIP 1 LIMIT 3",
    "MATCH (f:Film) RETURN count(*)",
    "MATCH (f:Film) RETURN avg(f.rating)",
    "MATCH (f:Film) RETURN f.year, max(f.rating)",
    "MATCH (p:Person)-[:ACTED_IN]->(f:Film) WHERE f.title = 'Film 3' RETURN p",
    "MATCH (p:Person)-[:ACTED_IN]->(f:Film) RETURN p, count(*)",
    "MATCH (p:Person)-[:ACTED_IN]->(f:Film) WITH p, count(*) AS films WHERE films > 2 RETURN p",
    "MATCH (p:Person)-[:ACTED_IN]->(f:Film) WITH p, count(*) AS films ORDER BY films DESC LIMIT 3 RETURN p, films",
    "MATCH (p:Person)-[r:ACTED_IN]->(f:Film) WHERE 'Role 1' IN r.roles RETURN DISTINCT p",
    "MATCH (p:Person)-[:DIRECTED]->(f:Film)<-[:ACTED_IN]-(p) RETURN p, f",
    "MATCH (p:Person)-[:DIRECTED]->(:Film)<-[:ACTED_IN]-(q:Person) WHERE p <> q RETURN p, q",
    "MATCH (f:Film) WHERE NOT EXISTS { (:Person)-[:DIRECTED]->(f) } RETURN f",
    "MATCH (f:Film) WHERE COUNT { (:Person)-[:ACTED_IN]->(f) } > 2 RETURN f",
    "MATCH (p:Person) WHERE p.born > date('1950-01-01') RETURN p",
    "MATCH (p:Person) WHERE p.born.year = 1950 RETURN p",
    "MATCH (f:Film)<-[:ACTED_IN]-(p:Person) RETURN f, collect(p)",
    "MATCH (f:Film) WITH f ORDER BY f.rating DESC LIMIT 5 MATCH (p:Person)-[:DIRECTED]->(f) RETURN p",
]
_SHOP = [
    "MATCH (c:Customer)-[:PLACED]->(o:Order) RETURN c, count(o)",
    "MATCH (o:Order)-[r:CONTAINS]->(p:Product) WHERE r.quantity > 7 RETURN o, p",
    "MATCH (:Order)-[r:CONTAINS]->(p:Product) RETURN p, sum(r.quantity)",
    "MATCH (p:Product) WHERE p.active = true RETURN p",
    "MATCH (p:Product) RETURN p ORDER BY p.stock - p.price DESC LIMIT 4",
    "MATCH (p:Product) WHERE p.price IS NOT NULL RETURN p",
    "MATCH (c:Customer) WHERE NOT (c)-[:PLACED]->() RETURN c",
    "MATCH (c:Customer)-[:PLACED]->()-[:CONTAINS]->(p:Product) WHERE p.title = 'Product 3' RETURN DISTINCT c.city",
]


@cache
def _graph(name: str) -> StoredGraph:
    return StoredGraph(GRAPHS[name]())


@cache
def _random_graph(seed: int) -> StoredGraph:
    return StoredGraph(random_graph(random.Random(seed)))


def _rebuilt(actions: list[Action], slots: list[Slot], elements: SchemaElements) -> Plan:
    numbers = {id(one.schema): number for number, one in enumerate(elements.properties)}
    return assemble(actions, elements, QuestionConstants(stated_values(slots), numbers))


def _rows(graph: StoredGraph, plan: Plan, width: int | None = None) -> set[tuple[Any, ...]]:
    """Return the distinct rows of a plan, cut to the first columns."""
    return {row[:width] for row in comparable(graph.run(plan).rows)}


@pytest.mark.parametrize(
    ("name", "query"), [*(("films", query) for query in _FILMS), *(("shop", query) for query in _SHOP)]
)
def test_a_plan_and_the_plan_of_its_actions_give_the_same_rows(name: str, query: str) -> None:
    graph = _graph(name)
    elements = SchemaElements.of(graph.schema)
    plan = read_cypher(query)
    actions, slots = actions_of(plan, elements)
    expected = _rows(graph, plan)
    # Plans of actions also show what they sort and group by.
    assert _rows(graph, _rebuilt(actions, slots, elements), len(next(iter(expected)))) == expected


@pytest.mark.parametrize(
    ("name", "query"), [*(("films", query) for query in _FILMS), *(("shop", query) for query in _SHOP)]
)
def test_the_actions_of_a_plan_are_those_of_the_plan_of_these_actions(name: str, query: str) -> None:
    elements = SchemaElements.of(_graph(name).schema)
    actions, slots = actions_of(read_cypher(query), elements)
    assert actions_of(_rebuilt(actions, slots, elements), elements)[0] == actions


@given(st.integers(0, 20), st.integers(0, 2**32))
@settings(max_examples=100, deadline=None)
def test_actions_are_legal(place: int, seed: int) -> None:
    elements = SchemaElements.of(_random_graph(place).schema)
    numbers = {id(one.schema): number for number, one in enumerate(elements.properties)}
    drawn = random_actions(elements, _VALUES, random.Random(seed))
    if drawn is None or len(drawn) >= MAX_ACTIONS:
        return
    try:
        actions, slots = actions_of(assemble(drawn, elements, QuestionConstants(_VALUES, numbers)), elements)
    except InexpressibleError:
        return
    state = State(elements)
    for action in actions:
        assert action in legal_actions(state, [frozenset(ValueType)] * len(slots), [True] * len(slots))
        state = state.after(action)
    assert state.is_finished


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("MATCH (f:Film) WHERE 1985 < f.year RETURN f", "MATCH (x:Film) WHERE x.year > 1985 RETURN x.title"),
        (
            "MATCH (f:Film) WHERE f.year = 1982 OR f.year = 1985 RETURN f",
            "MATCH (f:Film) WHERE f.year IN [1982, 1985] RETURN f",
        ),
        (
            "MATCH (f:Film) WHERE f.year >= 1980 AND f.year < 1990 RETURN f",
            "MATCH (f:Film) WHERE f.year <= 1989 AND f.year >= 1980 RETURN f",
        ),
        (
            "MATCH (p:Person)-[:DIRECTED]->(f:Film) RETURN p",
            "MATCH (f:Film)<-[:DIRECTED]-(p:Person) RETURN p",
        ),
        (
            "MATCH (f:Film) WHERE f.rating IS NOT NULL RETURN f ORDER BY f.rating LIMIT 3",
            "MATCH (f:Film) RETURN f, f.rating ORDER BY f.rating LIMIT 3",
        ),
    ],
)  # fmt: skip
def test_plans_that_differ_only_in_spelling_have_the_same_actions(one: str, other: str) -> None:
    elements = SchemaElements.of(_graph("films").schema)
    assert actions_of(read_cypher(one), elements) == actions_of(read_cypher(other), elements)


@pytest.mark.parametrize(
    "query",
    [
        "MATCH (f:Film) OPTIONAL MATCH (p:Person)-[:DIRECTED]->(f) RETURN f, p",
        "MATCH (f:Film) UNWIND [1, 2] AS n RETURN f, n",
        "MATCH (f:Film), (p:Person) WHERE f.title = p.name RETURN f",
        "MATCH (p)-[:DIRECTED|ACTED_IN]->(f:Film) RETURN p",
        "MATCH (p:Film)-[:DIRECTED]->(f:Film) RETURN p",
        "MATCH (f:Film) WHERE f.budget > 3 RETURN f",
        "MATCH (f:Film) WHERE f.year = null RETURN f",
        "MATCH (f:Film) RETURN toLower(f.title) + 'x'",
        "MATCH (f:Film) RETURN max(duration.between(f.released, date('2000-01-01'))) AS x",
    ],
)
def test_other_plans_have_no_actions(query: str) -> None:
    with pytest.raises(InexpressibleError):
        actions_of(read_cypher(query), SchemaElements.of(_graph("films").schema))


def test_constants_know_the_property_that_they_are_compared_with() -> None:
    elements = SchemaElements.of(_graph("films").schema)
    _, [slot] = actions_of(read_cypher("MATCH (f:Film) WHERE f.year < 1985 RETURN f"), elements)
    assert slot == Slot(1985, Op.LESS, elements.property_numbers[False, "Film", "year"])
