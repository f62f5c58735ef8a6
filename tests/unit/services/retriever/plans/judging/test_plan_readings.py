import pytest

from graph.plan.result import PlanResult
from graph.plan.values import NodeRef
from services.retriever.plans.judging.plan_readings import PlanReading, RanPlan, judge
from services.retriever.plans.predictor.plan_confidence import PlanCalibration
from services.retriever.plans.predictor.search import PredictedActions
from tests.support.rule_examples import read_example

_SCHEMA = "(:RoadBike {name: STRING, price: INTEGER})\n(:CargoBike {name: STRING})"
_BIKES = "MATCH (b:RoadBike) RETURN b"


def _judged(question: str, plans: dict[str, float], *rows: int, without: tuple[str, ...] = ()) -> list[PlanReading]:
    """Judge plans with the logarithms of their probabilities; each gives as many bikes as `rows` has for it."""
    ran = []
    for place, (plan, log) in enumerate(plans.items()):
        asked, read, actions = read_example(_SCHEMA, question, plan)
        nodes = tuple((NodeRef(f"{place}.{number}", "Bo", ("RoadBike",)),) for number in range(rows[place]))
        ran.append(RanPlan(PredictedActions(actions, log), read, read, PlanResult(("b",), nodes)))
    return judge(asked, ran, PlanCalibration(), None, without)


@pytest.mark.parametrize(
    ("question", "plan", "doubt"),
    [
        ("hello", _BIKES, "reads-nothing"),
        ("Which bikes are there?", _BIKES, "takes-one-of-several"),
    ],
)
def test_a_plan_that_is_doubted_is_believed_without_the_doubt(question: str, plan: str, doubt: str) -> None:
    [doubted] = _judged(question, {plan: -0.01}, 2)
    [believed] = _judged(question, {plan: -0.01}, 2, without=(doubt,))

    assert doubted.completeness < believed.completeness
    assert doubted.confidence < believed.confidence


def test_results_with_something_in_them_come_first() -> None:
    question, plans = "Which road bikes are there?", {_BIKES: -0.5, f"{_BIKES} ORDER BY b.price": -1.5}

    assert [len(one.result.rows) for one in _judged(question, plans, 0, 1)] == [1, 0]
    assert [len(one.result.rows) for one in _judged(question, plans, 0, 1, without=("gives-nothing",))] == [0, 1]


def test_what_no_plan_computes_is_hardly_believed() -> None:
    plan = "MATCH (b:RoadBike) RETURN avg(b.price)"
    [average] = _judged("What is the average price of the road bikes?", {plan: -0.01}, 1)
    [median] = _judged("What is the median price of the road bikes?", {plan: -0.01}, 1)

    assert median.confidence <= 0.1 < average.confidence
    assert median.unread == ("median",)
