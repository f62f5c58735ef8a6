import pytest

from graph.cypher.reader import read_cypher
from graph.cypher.unsupported import UnsupportedCypherError
from graph.plan.algebra import (
    Arithmetic,
    Call,
    Constant,
    Expression,
    Filter,
    Function,
    Group,
    Order,
    Project,
    Property,
    Variable,
)
from shared.errors import InvalidInputError

_X, _Y = Property("m", "x", as_stored=True), Property("m", "y", as_stored=True)


def _read(text: str) -> Expression:
    project = read_cypher(f"MATCH (m) RETURN {text} AS x").steps[-1]
    assert isinstance(project, Project)
    [column] = project.columns
    return column.value


@pytest.mark.parametrize(
    ("text", "expression"),
    [
        ("m.x.seconds", Call(Function.DURATION_SECONDS, (_X,))),
        ("m.x.hours", Arithmetic("/", Call(Function.DURATION_SECONDS, (_X,)), Constant(3600))),
        ("duration.between(m.x, m.y)", Call(Function.DURATION_BETWEEN, (_X, _Y))),
        ("Duration.between(m.x, m.y).days", Call(Function.DURATION_DAYS, (Call(Function.DURATION_BETWEEN, (_X, _Y)),))),
        ("duration.inDays(m.x, m.y).days", Call(Function.DAYS_BETWEEN, (_X, _Y))),
        ("duration.inMonths(m.x, m.y).years", Arithmetic("/", Call(Function.MONTHS_BETWEEN, (_X, _Y)), Constant(12))),
        ("duration.inSeconds(m.x, m.y).seconds", Call(Function.SECONDS_BETWEEN, (_X, _Y))),
        ("duration.inDays(m.x, m.y)", Call(Function.DURATION_IN_DAYS, (_X, _Y))),
        ("duration.inSeconds(m.x, m.y)", Call(Function.DURATION_IN_SECONDS, (_X, _Y))),
        ("duration.inMonths(m.x, m.y)", Call(Function.DURATION_IN_MONTHS, (_X, _Y))),
        ("m.x + duration('P1M')", Call(Function.ADD_DURATION, (_X, Constant("P1M")))),
        ("duration({days: 7}) + m.x", Call(Function.ADD_DURATION, (_X, Constant("P7D")))),
        ("date() - duration('P30D')", Call(Function.SUBTRACT_DURATION, (Call(Function.TODAY, ()), Constant("P30D")))),
        ("duration('P1M')", Constant("P1M")),
        ("duration('PT90M')", Constant("PT1H30M")),
        ("duration({years: 1, months: 2, weeks: 1, hours: -3})", Constant("P1Y2M7DT-3H")),
    ],
)
def test_durations_are_read(text: str, expression: Expression) -> None:
    assert _read(text) == expression


def test_a_column_has_the_parts_of_its_duration() -> None:
    plan = read_cypher("MATCH (m) WITH m, m.x AS took WHERE took.seconds > 60 RETURN avg(took.seconds) AS mean")

    assert Call(Function.DURATION_SECONDS, (Variable("took"),)) in [
        getattr(getattr(step, "condition", None), "left", None) for step in plan.steps
    ]


def test_durations_sort_by_their_length() -> None:
    plan = read_cypher("MATCH (m) RETURN duration.between(m.x, m.y) AS took ORDER BY took")
    [order] = [step for step in plan.steps if isinstance(step, Order)]
    between = Call(Function.DURATION_BETWEEN, (_X, _Y))

    assert order.keys[0].value == Call(Function.DURATION_LENGTH, (between,))


@pytest.mark.parametrize(
    "query",
    [
        "MATCH (m) WITH duration.between(m.x, m.y) AS took, count(*) AS n RETURN n ORDER BY took",
        "MATCH (m) WITH duration.between(m.x, m.y) AS d WITH d AS took ORDER BY took LIMIT 3 RETURN took",
        "MATCH (m) WITH max(duration.between(m.x, m.y)) AS took RETURN took ORDER BY took",
        "CALL { MATCH (m) RETURN duration.between(m.x, m.y) AS took } RETURN took ORDER BY took",
        "MATCH (m) RETURN m.z ORDER BY CASE WHEN m.z THEN duration.between(m.x, m.y) END",
        "MATCH (m) RETURN m.z ORDER BY coalesce(duration.between(m.x, m.y), duration('P1D'))",
    ],
)
def test_columns_of_durations_sort_by_their_length(query: str) -> None:
    [order] = [step for step in read_cypher(query).steps if isinstance(step, Order)]

    assert isinstance(order.keys[0].value, Call)
    assert order.keys[0].value.function is Function.DURATION_LENGTH


def test_a_name_that_no_longer_holds_a_duration_sorts_as_usual() -> None:
    plan = read_cypher("MATCH (m) WITH duration.between(m.x, m.y) AS d WITH d.days AS d RETURN d ORDER BY d")
    [order] = [step for step in plan.steps if isinstance(step, Order)]

    assert order.keys[0].value == Variable("d")


@pytest.mark.parametrize(("name", "function"), [("min", "shortest"), ("max", "longest"), ("count", "count")])
def test_extremes_of_durations_are_the_shortest_and_the_longest(name: str, function: str) -> None:
    plan = read_cypher(f"MATCH (m) WITH duration.inDays(m.x, m.y) AS took RETURN {name}(took) AS t")
    [group] = [step for step in plan.steps if isinstance(step, Group)]

    assert [one.function for one in group.aggregates] == [function]


@pytest.mark.parametrize(
    "condition",
    [
        "duration.inDays(m.x, m.y) * 2 = 1",
        "duration('P1D') + duration('P1D') = m.x",
        "m.x = duration('P1D') - m.y",
    ],
)
def test_what_plans_cannot_state_is_not_supported(condition: str) -> None:
    with pytest.raises(UnsupportedCypherError):
        read_cypher(f"MATCH (m) WHERE {condition} RETURN m")


@pytest.mark.parametrize("condition", ["duration.between(m.x, m.y) > duration('P1M')", "m.x < duration({days: 3})"])
def test_durations_have_no_order(condition: str) -> None:
    assert Filter(Constant(None)) in read_cypher(f"MATCH (m) WITH m WHERE {condition} RETURN m").steps


@pytest.mark.parametrize("text", ["duration('1 day')", "duration({fortnights: 1})", "duration({days: 1.5})"])
def test_other_durations_are_rejected(text: str) -> None:
    with pytest.raises(InvalidInputError, match="is not a duration"):
        _read(text)


@pytest.mark.parametrize("name", ["sum", "avg"])
def test_sums_of_durations_are_not_supported(name: str) -> None:
    with pytest.raises(UnsupportedCypherError, match="of durations is not supported"):
        read_cypher(f"MATCH (m) RETURN {name}(duration.between(m.x, m.y)) AS x")
