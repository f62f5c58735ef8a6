import random
from collections.abc import Sequence
from contextlib import suppress
from functools import cache

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from graph.plan.checks import check_plan
from graph.plan.values import ValueType
from language.english.question_values import literal_values
from services.retriever.plans.assembly.assembly import assemble
from services.retriever.plans.assembly.constants import QuestionConstants
from services.retriever.plans.grammar.actions import Action, Op
from services.retriever.plans.grammar.transitions import State, legal_actions, legal_without_values
from services.retriever.plans.schema.schema_elements import SchemaElements
from shared.errors import PlanLimitError
from tests.support.plan_actions import random_actions
from tests.support.property_graphs import GRAPHS
from tests.support.reference_evaluator import Node, PropertyGraph, Relationship
from tests.support.stored_graphs import StoredGraph, random_graph

_QUESTION = "Which 3 of 'Alma', '1999', and Bo from the 1990s or May 1999 cost over 2.5 since 2001-03-04 or in 1999?"
_VALUES = literal_values(_QUESTION)


@cache
def _graph(place: int) -> StoredGraph:
    if place < len(GRAPHS):
        return StoredGraph(list(GRAPHS.values())[place]())
    return StoredGraph(random_graph(random.Random(place)))


@pytest.mark.parametrize("place", range(30))
def test_every_finished_sequence_is_a_plan_that_runs(place: int) -> None:
    graph = _graph(place)
    elements = SchemaElements.of(graph.schema)
    numbers = {id(one.schema): number for number, one in enumerate(elements.properties)}

    @settings(max_examples=30, deadline=None)
    @given(st.integers(0, 2**32), st.booleans())
    def check(seed: int, has_values: bool) -> None:
        values = _VALUES if has_values else []
        actions = random_actions(elements, values, random.Random(seed))
        if actions is None:
            return
        plan = assemble(actions, elements, QuestionConstants(values, numbers))
        check_plan(plan, graph.schema)
        with suppress(PlanLimitError):
            graph.run(plan, max_rows=3_000)

    check()


def _after(elements: SchemaElements, actions: Sequence[Action]) -> set[Action]:
    """Replay legal actions, and return what may follow."""
    state = State(elements)
    types, periods = [value.types for value in _VALUES], [value.is_period for value in _VALUES]
    for action in actions:
        assert action in legal_actions(state, types, periods), action
        state = state.after(action)
    return set(legal_actions(state, types, periods))


class _Films:
    """Name the elements of the graph of films."""

    def __init__(self) -> None:
        self.elements = SchemaElements.of(_graph(list(GRAPHS).index("films")).schema)

    def kind(self, name: str) -> Action:
        return Action(Op.KIND, self.elements.kinds.index(name))

    def step(self, op: Op, type_: str) -> Action:
        return Action(op, self.elements.connection_numbers["Person", type_])

    def property(self, owner: str, key: str) -> Action:
        return Action(Op.PROPERTY, self.elements.property_numbers[owner.isupper(), owner, key])


@pytest.fixture(scope="module")
def films() -> _Films:
    return _Films()


def test_a_plan_starts_with_a_kind(films: _Films) -> None:
    assert _after(films.elements, []) == {films.kind("Film"), films.kind("Person")}


def test_steps_leave_from_the_kinds_of_the_focus(films: _Films) -> None:
    following = _after(films.elements, [films.kind("Film")])
    assert films.step(Op.IN, "DIRECTED") in following
    assert films.step(Op.OUT, "DIRECTED") not in following


def test_values_fit_the_type_of_the_property(films: _Films) -> None:
    title = [films.kind("Film"), films.property("Film", "title"), Action(Op.EQUAL)]
    year = [films.kind("Film"), films.property("Film", "year"), Action(Op.EQUAL)]
    born = [films.kind("Person"), films.property("Person", "born"), Action(Op.WITHIN)]

    def values(actions: Sequence[Action]) -> set[str]:
        return {_VALUES[one.number].text for one in _after(films.elements, actions) if one.op is Op.VALUE}

    assert {"Alma", "Bo"} <= values(title)
    assert "Alma" not in values(year) and {"3", "2.5", "1999"} <= values(year)
    assert values(born) == {"1990s", "May 1999"}


def test_properties_of_relationships_are_in_scope_until_rows_are_grouped(films: _Films) -> None:
    roles = films.property("ACTED_IN", "roles")
    pattern = [films.kind("Film"), films.step(Op.IN, "ACTED_IN")]
    assert roles in _after(films.elements, pattern)
    group = [*pattern, Action(Op.GROUP), Action(Op.VARIABLE, 0), Action(Op.COUNT_ROWS)]
    assert roles not in _after(films.elements, [*group, Action(Op.RETURN)])


def test_variables_of_subpatterns_are_hidden_afterwards(films: _Films) -> None:
    actions = [films.kind("Film"), Action(Op.EXISTS), films.step(Op.IN, "DIRECTED"), Action(Op.CLOSE)]
    following = _after(films.elements, actions)
    assert films.property("Person", "born") not in following
    assert films.property("Film", "year") in following


def test_an_aggregate_of_numbers_does_not_read_nodes_or_other_aggregates(films: _Films) -> None:
    group = [films.kind("Film"), Action(Op.GROUP), Action(Op.COUNT_ROWS)]
    maximum = _after(films.elements, [*group, Action(Op.MAX)])
    assert films.property("Film", "year") in maximum
    assert not {Op.VARIABLE, Op.COLUMN} & {action.op for action in maximum}
    assert Action(Op.VARIABLE, 0) in _after(films.elements, [*group, Action(Op.COLLECT)])


def test_conditions_on_aggregates_follow_all_aggregates(films: _Films) -> None:
    group = [films.kind("Film"), Action(Op.GROUP), Action(Op.COUNT_ROWS)]
    having = [*group, Action(Op.COLUMN, 0), Action(Op.GREATER), Action(Op.ONE)]
    assert Action(Op.MAX) in _after(films.elements, group)
    assert Action(Op.MAX) not in _after(films.elements, having)
    assert {Action(Op.COLUMN, 0), Action(Op.SORT), Action(Op.END)} <= _after(films.elements, having)


def test_a_node_is_a_key_of_a_group_once(films: _Films) -> None:
    group = [films.kind("Film"), Action(Op.GROUP), Action(Op.VARIABLE, 0)]
    assert Action(Op.VARIABLE, 0) not in _after(films.elements, group)


def test_a_limit_has_one_offset(films: _Films) -> None:
    limit = [films.kind("Film"), Action(Op.LIMIT), Action(Op.ONE)]
    assert Action(Op.SKIP) in _after(films.elements, limit)
    assert Action(Op.SKIP) not in _after(films.elements, [*limit, Action(Op.SKIP), Action(Op.ONE)])


def test_a_list_has_values_only_and_is_not_empty(films: _Films) -> None:
    items = [films.kind("Film"), films.property("Film", "year"), Action(Op.ONE_OF)]
    assert {action.op for action in _after(films.elements, items)} == {Op.VALUE}
    year = next(number for number, value in enumerate(_VALUES) if value.text == "1999")
    assert {action.op for action in _after(films.elements, [*items, Action(Op.VALUE, year)])} == {Op.VALUE, Op.CLOSE}


def test_the_kind_of_nodes_without_a_kind_is_no_condition() -> None:
    elements = SchemaElements.of(_graph(list(GRAPHS).index("messy")).schema)
    assert "" in elements.kinds
    following = _after(elements, [Action(Op.KIND, elements.kinds.index("A")), Action(Op.HAS_KIND)])
    assert Action(Op.KIND, elements.kinds.index("")) not in following


@example(811)  # a number in a sort key, and one in an aggregate, with equal columns
@given(st.integers(0, 2**32))
@settings(max_examples=50, deadline=None)
def test_states_with_equal_keys_allow_the_same_actions(seed: int) -> None:
    elements = SchemaElements.of(_graph(seed % 20).schema)
    legal: dict[object, object] = {}
    for place in range(20):
        state = State(elements)
        for action in random_actions(elements, _VALUES, random.Random(seed + place)) or []:
            found = legal_without_values(state, True, True)
            assert legal.setdefault(state.key(), found) == found
            state = state.after(action)


def test_a_question_without_values_allows_no_names(films: _Films) -> None:
    state = State(films.elements).after(films.kind("Film"))
    assert Action(Op.IS) in legal_actions(state, [frozenset({ValueType.STRING})], [False])
    assert Action(Op.IS) not in legal_actions(state, [], [])


def test_a_condition_on_the_kind_names_a_possible_one_and_leaves_only_it() -> None:
    nodes = [Node(n, frozenset({kind}), {"name": kind}) for n, kind in enumerate(("Country", "Continent", "Region"))]
    links = [Relationship(n, "LIES_IN", 0, n + 1, {}) for n in range(2)]
    elements = SchemaElements.of(StoredGraph(PropertyGraph(tuple(nodes), tuple(links))).schema)
    country, continent, region = (
        Action(Op.KIND, elements.kinds.index(kind)) for kind in ("Country", "Continent", "Region")
    )
    step = Action(Op.OUT, elements.connection_numbers["Country", "LIES_IN"])
    state = State(elements)
    for action in (country, step, Action(Op.HAS_KIND)):
        state = state.after(action)

    assert set(legal_actions(state, [], [])) == {continent, region}
    assert state.after(region).kinds[1] == {"Region"}


@pytest.mark.parametrize("operator", [Op.NOT, Op.OR])
def test_a_kind_in_a_part_of_a_condition_leaves_all_kinds_possible(operator: Op) -> None:
    nodes = [Node(n, frozenset({kind}), {"name": kind}) for n, kind in enumerate(("Country", "Continent", "Region"))]
    links = [Relationship(n, "LIES_IN", 0, n + 1, {}) for n in range(2)]
    elements = SchemaElements.of(StoredGraph(PropertyGraph(tuple(nodes), tuple(links))).schema)
    region = [Action(Op.HAS_KIND), Action(Op.KIND, elements.kinds.index("Region"))]
    start = [Action(Op.KIND, elements.kinds.index("Country")), Action(Op.OUT, 0)]
    state = State(elements)
    for action in (*start, Action(operator), *region * (2 if operator is Op.OR else 1)):
        state = state.after(action)

    assert state.kinds[1] == {"Continent", "Region"}
