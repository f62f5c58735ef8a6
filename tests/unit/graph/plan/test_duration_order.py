from datetime import date

import pytest

from graph.cypher.reader import read_cypher
from graph.plan.algebra import (
    Aggregate,
    AggregateFunction,
    Arithmetic,
    Call,
    Column,
    Comparison,
    Constant,
    Filter,
    Function,
    Group,
    Match,
    NodePattern,
    Order,
    Plan,
    Project,
    Property,
    SortKey,
    Step,
    Variable,
)
from graph.plan.content_types import with_content_types
from graph.plan.duration_order import with_duration_order
from graph.plan.schema import GraphSchema, KindSchema, PropertySchema
from graph.plan.values import ValueType
from shared.errors import InvalidInputError

_STRINGS = frozenset((ValueType.STRING,))
_TOOK = PropertySchema(_STRINGS, ValueType.STRING, holds_durations=True)
_DAY = PropertySchema(frozenset((ValueType.DATE,)), ValueType.DATE)
_NOTE = PropertySchema(_STRINGS, ValueType.STRING)
_SCHEMA = GraphSchema({"Ride": KindSchema(3, {"took": _TOOK, "day": _DAY, "note": _NOTE})}, {})
_RIDES = Match((NodePattern("r", ("Ride",)),))
_STORED = Property("r", "took", as_stored=True)
_READ = Property("r", "took")


def _length(value: Property | Variable | Constant) -> Call:
    return Call(Function.DURATION_LENGTH, (value,))


@pytest.mark.parametrize(
    ("step", "rewritten"),
    [
        (Order((SortKey(_READ, True),)), Order((SortKey(_length(_READ), True),))),
        (Order((SortKey(Property("r", "note")),)), Order((SortKey(Property("r", "note")),))),
        (
            Group((), (Aggregate("x", AggregateFunction.MAX, _STORED),)),
            Group((), (Aggregate("x", AggregateFunction.LONGEST, _STORED),)),
        ),
        (
            Filter(Comparison(">", _READ, Constant("PT2H"))),
            Filter(Comparison(">", _length(_READ), _length(Constant("PT2H")))),
        ),
        (Filter(Comparison("<", _STORED, _STORED)), Filter(Constant(None))),
        (Filter(Comparison("=", _READ, Constant("PT2H"))), Filter(Comparison("=", _READ, Constant("PT2H")))),
        (
            Project((Column("x", Arithmetic("-", Property("r", "day"), _READ)),)),
            Project((Column("x", Call(Function.SUBTRACT_DURATION, (Property("r", "day"), _READ))),)),
        ),
        (
            Project((Column("x", Arithmetic("+", _STORED, Constant(date(2020, 1, 1)))),)),
            Project((Column("x", Call(Function.ADD_DURATION, (Constant(date(2020, 1, 1)), _STORED))),)),
        ),
        (
            Project((Column("x", Arithmetic("+", _READ, Constant(" or so"))),)),
            Project((Column("x", Arithmetic("+", _READ, Constant(" or so"))),)),
        ),
    ],
)
def test_properties_that_hold_durations_are_not_compared_as_texts(step: Step, rewritten: Step) -> None:
    assert with_duration_order(Plan((_RIDES, step)), _SCHEMA) == Plan((_RIDES, rewritten))


@pytest.mark.parametrize(
    "query",
    [
        "MATCH (r:Ride) WITH r.took AS took, count(*) AS n RETURN took, n ORDER BY took",
        "MATCH (r:Ride) WITH max(r.took) AS took RETURN took ORDER BY took",
        "MATCH (r:Ride) WITH coalesce(r.took, null) AS a WITH a AS b RETURN b ORDER BY b",
        "CALL { MATCH (r:Ride) RETURN r.took AS a ORDER BY a LIMIT 2 } RETURN count(a)",
    ],
)
def test_columns_of_durations_are_sorted_by_their_length(query: str) -> None:
    plan = with_content_types(read_cypher(query), _SCHEMA)

    assert "duration_length" in repr(plan)


def test_a_column_that_no_longer_holds_a_duration_is_sorted_as_usual() -> None:
    plan = read_cypher("MATCH (r:Ride) WITH r.took AS a, r.note AS b WITH b AS a RETURN a ORDER BY a")

    assert with_duration_order(plan, _SCHEMA) == plan


def test_a_graph_without_durations_keeps_its_plans() -> None:
    schema = GraphSchema({"Ride": KindSchema(3, {"took": _NOTE})}, {})
    plan = Plan((_RIDES, Order((SortKey(_READ),))))

    assert with_duration_order(plan, schema) is plan


_MIXED = PropertySchema(_STRINGS, ValueType.STRING, holds_durations=True, mixes_durations=True)
_OF_BOTH = GraphSchema(
    {"Ride": KindSchema(3, {"took": _TOOK, "day": _MIXED, "note": _NOTE}), "Trip": KindSchema(1, {"took": _NOTE})}, {}
)
_ANY = Match((NodePattern("r"),))


@pytest.mark.parametrize(
    ("match", "steps"),
    [
        (_RIDES, (Order((SortKey(Property("r", "day")),)),)),
        (_RIDES, (Group((), (Aggregate("x", AggregateFunction.MIN, Property("r", "day", as_stored=True)),)),)),
        (_RIDES, (Filter(Comparison("<", Constant("PT1H"), Property("r", "day"))),)),
        (_RIDES, (Project((Column("x", Property("r", "day")),)), Order((SortKey(Variable("x")),)))),
        (_RIDES, (Order((SortKey(Call(Function.COALESCE, (Property("r", "day"), Constant("")))),)),)),
        (_ANY, (Order((SortKey(Property("r", "took")),)),)),
    ],
)
def test_durations_have_no_order_among_other_values(match: Match, steps: tuple[Step, ...]) -> None:
    with pytest.raises(InvalidInputError, match="holds durations and other values, which have no common order"):
        with_duration_order(Plan((match, *steps)), _OF_BOTH)


@pytest.mark.parametrize(
    "steps",
    [
        (Order((SortKey(Property("r", "note")),)),),
        (Order((SortKey(Call(Function.DURATION_LENGTH, (Property("r", "day"),))),)),),
        (Filter(Comparison("=", Constant("PT1H"), Property("r", "day"))),),
        (Group((Column("x", Property("r", "day")),), (Aggregate("n", AggregateFunction.COUNT),)),),
    ],
)
def test_other_uses_of_mixed_properties_stay(steps: tuple[Step, ...]) -> None:
    plan = Plan((_RIDES, *steps))

    assert with_duration_order(plan, _OF_BOTH) == plan
