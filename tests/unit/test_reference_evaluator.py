"""The reference evaluator follows the document on query plans."""

from datetime import UTC, date, datetime
from typing import Any

import pytest

from graph.plan.algebra import (
    Aggregate,
    AggregateFunction,
    And,
    Arithmetic,
    Call,
    Column,
    Comparison,
    Comprehension,
    Constant,
    CountMatches,
    Exists,
    Expression,
    Filter,
    Function,
    Group,
    HasKind,
    IsMissing,
    ListOf,
    Match,
    NodePattern,
    Not,
    Or,
    Order,
    Plan,
    Project,
    Property,
    Quantifier,
    RelationshipPattern,
    RelationshipType,
    Slice,
    SortKey,
    Step,
    Union,
    Unnest,
    Variable,
)
from tests.support.reference_evaluator import Node, PropertyGraph, Relationship, evaluate

ANN = Node(0, frozenset({"Person"}), {"name": "Ann", "age": 40})
BOB = Node(1, frozenset({"Person"}), {"name": "Bob", "age": 30})
ROME = Node(2, frozenset({"City", "Capital"}), {"name": "Rome"})
GRAPH = PropertyGraph(
    nodes=(ANN, BOB, ROME),
    relationships=(
        Relationship(0, "knows", 0, 1, {"since": 1999}),
        Relationship(1, "knows", 1, 0),
        Relationship(2, "likes", 0, 0),
        Relationship(3, "lives_in", 0, 2),
    ),
)
PEOPLE = Match((NodePattern("p", ("Person",)),))
NAME = Property("p", "name")


def rows(*steps: Step) -> list[tuple[Any, ...]]:
    return evaluate(Plan(steps), GRAPH).rows


def value_of(expression: Expression) -> Any:
    [(value,)] = rows(Project((Column("value", expression),)))
    return value


def compare(left: Any, operator: Any, right: Any, ignore_case: bool = False) -> Any:
    return value_of(Comparison(operator, Constant(left), Constant(right), ignore_case))


def calculate(left: Any, operator: Any, right: Any) -> Any:
    return value_of(Arithmetic(operator, Constant(left), Constant(right)))


def call(function: str, *arguments: Any) -> Any:
    return value_of(Call(Function(function), tuple(map(Constant, arguments))))


def items(*values: Any) -> Union:
    """Make one row per value, missing ones included, in the column `x`."""
    return Union(tuple(Plan((Project((Column("x", Constant(value)),)),)) for value in values), distinct=False)


def aggregate(function: str, *values: Any, distinct: bool = False) -> Any:
    step = Group((), (Aggregate("result", AggregateFunction(function), Variable("x"), distinct),))
    [(result,)] = rows(items(*values), step)
    return result


def related(
    source: str, target: str, *types: str, direction: Any = "out", variable: str | None = None
) -> RelationshipPattern:
    return RelationshipPattern(source, target, types, direction, variable)


@pytest.mark.parametrize(
    ("left", "operator", "right", "expected"),
    [
        (1, "=", 1.0, True),
        (True, "=", 1, False),
        ((1, "a"), "=", (1.0, "a"), True),
        ((1,), "=", (True,), False),
        (date(2020, 1, 1), "=", datetime(2020, 1, 1), False),
        (2**53 + 1, "=", float(2**53), False),
        (datetime(2020, 1, 1, tzinfo=UTC), "=", datetime(2020, 1, 1), True),
        ("a", "!=", 1, True),
        (None, "!=", 1, None),
        (False, "<", True, True),
        (False, "<", 1, None),
        (date(2020, 1, 1), "<", datetime(2020, 1, 2), None),
        ((1,), "<", (2,), None),
        (None, "in", (), False),
        (None, "in", (1,), None),
        (1.0, "in", (1,), True),
        (1, "in", "1", None),
        ("abc", "contains", 1, None),
    ],
)
def test_comparison(left: Any, operator: str, right: Any, expected: bool | None) -> None:
    assert compare(left, operator, right) is expected


def test_case_is_ignored_for_equality_and_parts_of_strings_only() -> None:
    assert compare("A", "=", "a", ignore_case=True) is True
    assert compare("XAY", "contains", "a", ignore_case=True) is True
    assert compare("A", "in", ("a",), ignore_case=True) is False
    assert compare("B", "<", "a", ignore_case=True) is True


def test_kleene_logic() -> None:
    true, false, unknown = Constant(True), Constant(False), Constant("not a boolean")

    assert value_of(And((unknown, false))) is False
    assert value_of(And((unknown, true))) is None
    assert value_of(Or((unknown, true))) is True
    assert value_of(Or((unknown, false))) is None
    assert value_of(Not(unknown)) is None
    assert value_of(IsMissing(Not(unknown))) is True


@pytest.mark.parametrize(
    ("left", "operator", "right", "expected"),
    [
        (-7, "/", 2, -3),
        (-7, "%", 2, -1),
        (7, "%", -2, 1),
        (-7.5, "%", 2, -1.5),
        (1, "/", 0.0, None),
        (1.0, "%", 0, None),
        (True, "+", 1, None),
        ("a", "+", "b", "ab"),
        ("a", "+", 1, None),
    ],
)
def test_arithmetic(left: Any, operator: str, right: Any, expected: Any) -> None:
    result = calculate(left, operator, right)

    assert (result, type(result)) == (expected, type(expected))


@pytest.mark.parametrize(
    ("left", "operator", "right"), [(2**63 - 1, "+", 1), (-(2**63), "/", -1), (1e308, "*", 10), (1e308, "/", 1e-10)]
)
def test_arithmetic_overflow_is_an_error(left: Any, operator: str, right: Any) -> None:
    with pytest.raises(OverflowError):
        calculate(left, operator, right)


@pytest.mark.parametrize(
    ("function", "arguments", "expected"),
    [
        ("trim", ("\x1c\u2003\u00a0a \u2028",), "\u00a0a"),
        ("left", ("abc", -1), ""),
        ("left", ("abc", True), None),
        ("take", ((1, 2), -1), ()),
        ("size", ("😀",), 1),
        ("round", (-1.5,), -1.0),
        ("round", (0.49999999999999994,), 0.0),
        ("floor", (3,), 3.0),
        ("abs", (True,), None),
        ("coalesce", (None, 2), 2),
        ("last", ((),), None),
        ("year", ("2020-01-01",), None),
    ],
)
def test_function(function: str, arguments: tuple[Any, ...], expected: Any) -> None:
    result = call(function, *arguments)

    assert (result, type(result)) == (expected, type(expected))


@pytest.mark.parametrize(
    ("function", "argument", "expected"),
    [
        ("to_integer", -1.9, -1),
        ("to_integer", True, 1),
        ("to_integer", "-1.9e1", -19),
        ("to_integer", "9007199254740993.5", 9007199254740993),
        ("to_integer", "-9223372036854775808.5", -(2**63)),
        ("to_integer", " 1", None),
        ("to_integer", "1.", None),
        ("to_integer", "٣", None),
        ("to_float", True, None),
        ("to_float", "1", 1.0),
        ("to_string", 1.0, None),
        ("to_string", False, "false"),
        ("to_string", date(2020, 1, 2), "2020-01-02"),
        ("to_string", datetime(2020, 1, 2), None),
        ("to_date", "2020-02-29T10:00", date(2020, 2, 29)),
        ("to_date", "2020-02-30", None),
        ("to_date", "2020-W01-1", None),
        ("to_date", datetime(2020, 1, 2, 3), date(2020, 1, 2)),
    ],
)
def test_conversion(function: str, argument: Any, expected: Any) -> None:
    result = call(function, argument)

    assert (result, type(result)) == (expected, type(expected))


@pytest.mark.parametrize(
    ("function", "argument"),
    [("to_integer", 1e19), ("abs", -(2**63))],
)
def test_conversion_overflow_is_an_error(function: str, argument: Any) -> None:
    with pytest.raises(OverflowError):
        call(function, argument)


@pytest.mark.parametrize(("function", "text"), [("to_integer", "1e999999999"), ("to_float", "1e999")])
def test_text_with_too_large_a_number_gives_a_missing_value(function: str, text: str) -> None:
    assert call(function, text) is None


def test_result_without_order_is_sorted_across_types() -> None:
    expected = [(1, 2), (1, 2, 0), (2,), datetime(2020, 1, 1), date(2021, 1, 1), "B", "a", False, True, 1, 1.5, None]

    assert [value for (value,) in rows(items(*reversed(expected)))] == expected


def test_missing_values_come_last_in_either_direction() -> None:
    def ordered(**options: bool) -> list[Any]:
        return [value for (value,) in rows(items(1, None, 2), Order((SortKey(Variable("x"), **options),)))]

    assert ordered() == [1, 2, None]
    assert ordered(descending=True) == [2, 1, None]
    assert ordered(descending=True, missing_first=True) == [None, 2, 1]


def test_equal_sort_keys_are_followed_by_all_columns_in_binding_order() -> None:
    # The first order has no influence on the second one.
    steps = (PEOPLE, Order((SortKey(NAME, descending=True),)), Order((SortKey(Constant(1)),)))

    assert rows(*steps) == [(ANN,), (BOB,)]


def test_order_survives_a_projection_unless_it_is_distinct() -> None:
    order = Order((SortKey(Property("p", "age")),))

    assert rows(PEOPLE, order, Project((Column("name", NAME),))) == [("Bob",), ("Ann",)]
    assert rows(PEOPLE, order, Project((Column("name", NAME),), distinct=True)) == [("Ann",), ("Bob",)]


def test_slice_sorts_first_and_the_result_keeps_that_order() -> None:
    age = Project((Column("age", Property("p", "age")),))

    assert rows(PEOPLE, Slice(2), age) == [(40,), (30,)]
    assert rows(PEOPLE, age, Slice(1)) == [(30,)]


def test_slice_per_group_keeps_the_order_of_the_rows() -> None:
    pairs = Match((NodePattern("a"), NodePattern("b")))
    order = Order((SortKey(Variable("b"), descending=True),))

    assert rows(pairs, order, Slice(1, offset=1, per=("a",))) == [(ANN, BOB), (BOB, BOB), (ROME, BOB)]


def test_relationships_of_one_pattern_are_distinct() -> None:
    nodes = (NodePattern("a", ids=("0",)), NodePattern("b"), NodePattern("c"))
    path = (related("a", "b", "knows", direction="both"), related("b", "c", "knows", direction="both"))

    # Both relationships connect the same two people, so that each path goes there and back.
    assert rows(Match(nodes, path)) == [(ANN, BOB, ANN), (ANN, BOB, ANN)]
    assert len(rows(Match(nodes[:2], path[:1]), Match(nodes[1:], path[1:]))) == 4
    assert rows(PEOPLE, Filter(Exists(Match(nodes, (*path, related("a", "c", "knows")))))) == []


def test_self_loop_matches_once_in_both_directions() -> None:
    pattern = Match((NodePattern("p"),), (related("p", "q", "likes", direction="both"),))

    assert rows(Match((NodePattern("p"), NodePattern("q")), pattern.relationships)) == [(ANN, ANN)]
    assert rows(Match(pattern.nodes, (related("p", "p", direction="both", variable="r"),))) == [
        (ANN, GRAPH.relationships[2])
    ]


def test_end_without_node_is_an_error() -> None:
    with pytest.raises(ValueError, match="q"):
        rows(Match((NodePattern("p"),), (related("p", "q"),)))


def test_missing_node_never_matches_and_has_no_properties() -> None:
    home = Match((NodePattern("c", ("City",)),), (related("p", "c", variable="r"),), optional=True)
    facts = Project(
        (
            Column("name", Property("c", "name")),
            Column("capital", HasKind("c", "Capital")),
            Column("type", RelationshipType("r")),
        )
    )

    assert rows(PEOPLE, home) == [(ANN, ROME, GRAPH.relationships[3]), (BOB, None, None)]
    assert rows(PEOPLE, home, facts) == [("Rome", True, "lives_in"), (None, None, None)]
    assert rows(PEOPLE, home, Match((NodePattern("c"),))) == [(ANN, ROME, GRAPH.relationships[3])]
    assert rows(PEOPLE, home, Filter(Not(HasKind("c", "Capital")))) == []


def test_condition_of_an_optional_match_does_not_drop_rows() -> None:
    where = Comparison("=", Property("r", "since"), Constant(1999))
    known = Match((NodePattern("q"),), (related("p", "q", variable="r"),), where, optional=True)

    assert rows(PEOPLE, known) == [(ANN, BOB, GRAPH.relationships[0]), (BOB, None, None)]


def test_matches_are_counted_given_the_row() -> None:
    count = CountMatches(Match((NodePattern("q"),), (related("p", "q"),)))

    assert rows(PEOPLE, Project((Column("name", NAME), Column("count", count)))) == [("Ann", 3), ("Bob", 1)]


@pytest.mark.parametrize(
    ("function", "values", "expected"),
    [
        ("count", (1, None, "a"), 2),
        ("sum", (1, "a", True, 2), 3),
        ("sum", (1, 0.5), 1.5),
        ("sum", (2**63 - 1, 1, -1), 2**63 - 1),
        ("sum", (None, "a"), 0),
        ("average", (1, 3), 2.0),
        ("average", ("a", None), None),
        ("min", (1, "a", None), "a"),
        ("max", (1, "a", None), 1),
        ("collect", (2, None, (1,), 1), ((1,), 1, 2)),
    ],
)
def test_aggregate(function: str, values: tuple[Any, ...], expected: Any) -> None:
    result = aggregate(function, *values)

    assert (result, type(result)) == (expected, type(expected))


def test_distinct_aggregates_use_equal_values_once() -> None:
    assert aggregate("count", 1, 1.0, True, "1", distinct=True) == 3
    assert aggregate("collect", 1, 1.0, 2, distinct=True) == (1, 2)


def test_group_without_keys_is_one_row_even_without_rows() -> None:
    aggregates = (Aggregate("count", AggregateFunction.COUNT), Aggregate("min", AggregateFunction.MIN, NAME))
    nobody = Match((NodePattern("p", ("Ghost",)),))

    assert rows(nobody, Group((), aggregates)) == [(0, None)]
    assert rows(nobody, Group((Column("name", NAME),), aggregates)) == []


def test_equal_and_missing_keys_form_one_group_each() -> None:
    group = Group((Column("x", Variable("x")),), (Aggregate("count", AggregateFunction.COUNT),))

    assert rows(items(1, None, 1.0, True, None), group) == [(True, 1), (1, 2), (None, 2)]


def test_collected_nodes_keep_the_order_and_can_be_bound_again() -> None:
    order = Order((SortKey(Property("p", "age")),))
    people = Group((), (Aggregate("people", AggregateFunction.COLLECT, Variable("p")),))
    again = (Unnest("q", Variable("people")), Match((NodePattern("q", ("Person",)),)))

    assert rows(PEOPLE, order, people) == [((BOB, ANN),)]
    assert rows(PEOPLE, order, people, *again, Project((Column("q", Variable("q")),))) == [(ANN,), (BOB,)]


def test_unnest_drops_rows_without_a_list() -> None:
    assert rows(items((1, 2), (), None, "ab"), Unnest("y", Variable("x"))) == [((1, 2), 1), ((1, 2), 2)]


def test_lists_may_have_missing_items() -> None:
    one_or_missing = ListOf((Constant(1), Constant(None)))

    assert value_of(ListOf((Constant(1), Constant(None), Constant((2,))))) == (1, None, (2,))
    assert value_of(Comparison("=", one_or_missing, Constant((1, 2)))) is None
    assert value_of(Comparison("=", one_or_missing, Constant((2, 2)))) is False
    assert value_of(Comparison("in", Constant(1), one_or_missing)) is True
    assert value_of(Comparison("in", Constant(2), one_or_missing)) is None


@pytest.mark.parametrize(
    ("items", "results"),
    [
        ((), {"any": False, "all": True, "none": True, "single": False}),
        ((1, 2), {"any": False, "all": False, "none": True, "single": False}),
        ((1, 3), {"any": True, "all": False, "none": False, "single": True}),
        ((3, 3), {"any": True, "all": True, "none": False, "single": False}),
        ((1, None), {"any": None, "all": False, "none": None, "single": None}),
        ((3, None), {"any": True, "all": None, "none": False, "single": None}),
        ((3, 3, None), {"any": True, "all": None, "none": False, "single": False}),
    ],
)
def test_quantifiers_are_unknown_where_an_unknown_item_decides(
    items: tuple[int | None, ...], results: dict[Any, bool | None]
) -> None:
    above_two = Comparison(">", Variable("x"), Constant(2))
    values = ListOf(tuple(map(Constant, items)))

    assert {name: value_of(Quantifier(name, "x", values, above_two)) for name in results} == results
    assert value_of(Quantifier("any", "x", Constant(1), above_two)) is None


def test_a_comprehension_filters_and_maps_the_items() -> None:
    above_one, doubled = Comparison(">", Variable("x"), Constant(1)), Arithmetic("*", Variable("x"), Constant(2))

    assert value_of(Comprehension("x", Constant((1, 2, 3)), above_one, doubled)) == (4, 6)
    assert value_of(Comprehension("x", Constant((1, 2)))) == (1, 2)
    assert value_of(Comprehension("x", Constant("12"))) is None


def test_union_drops_repeated_rows_and_comes_first() -> None:
    union = Union((Plan((PEOPLE,)), Plan((PEOPLE,))))

    assert rows(union) == [(ANN,), (BOB,)]
    with pytest.raises(ValueError, match="first step"):
        rows(PEOPLE, union)


def test_floats_of_results_are_rounded_to_12_significant_digits() -> None:
    assert value_of(Constant((1 / 3, 123456789012.75, 1))) == (0.333333333333, 123456789013.0, 1)
    assert compare(1 / 3, "=", 0.333333333333) is False
