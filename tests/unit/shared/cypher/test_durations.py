import pytest

from shared.cypher.reader import read_cypher
from shared.cypher.unsupported import UnsupportedCypherError
from shared.errors import InvalidInputError
from shared.plan.algebra import (
    Arithmetic,
    Call,
    Constant,
    Expression,
    Filter,
    Function,
    Order,
    Project,
    Property,
    Variable,
)

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
    months, days = Call(Function.DURATION_MONTHS, (between,)), Call(Function.DURATION_DAYS, (between,))
    length = Arithmetic(
        "+",
        Arithmetic("+", Arithmetic("*", months, Constant(2_629_746)), Arithmetic("*", days, Constant(86_400))),
        Arithmetic("*", Call(Function.DURATION_SECONDS, (between,)), Constant(1)),
    )

    assert order.keys[0].value == length


@pytest.mark.parametrize(
    "condition",
    [
        "duration.inDays(m.x, m.y).seconds > 0",
        "duration.inDays(m.x, m.y) = 1",
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
