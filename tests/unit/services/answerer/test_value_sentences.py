from typing import Any

import pytest

from contracts.answers import Answer
from contracts.plans import QueryPlan
from contracts.retrieve import RetrieveResponse
from graph.plan.algebra import (
    Aggregate,
    AggregateFunction,
    Arithmetic,
    Call,
    Column,
    Constant,
    Expression,
    Function,
    Group,
    Match,
    NodePattern,
    Plan,
    Project,
    Property,
    Step,
    Variable,
)
from graph.plan.checks import write_plan
from services.answerer.value_sentences import value_sentence
from tests.fakes.services import capital_of_france

_NODE = Match((NodePattern("x", ("Mission",)),))
_SECONDS = Call(Function.SECONDS_BETWEEN, (Property("x", "start"), Property("x", "end")))
_AGE = Call(Function.MONTHS_BETWEEN, (Property("x", "born"), Call(Function.TODAY, ())))


def _reply(last: Step, *values: Any, id_: str | None = None) -> RetrieveResponse:
    answers = [Answer(value=value, id=id_, score=0.9, evidence=[]) for value in values]
    plan = QueryPlan(text="", steps=write_plan(Plan((_NODE, last)))["steps"], query=None)
    return capital_of_france().model_copy(update={"answers": answers, "plan": plan, "relation_paths": []})


def _column(name: str, value: Expression) -> Project:
    return Project((Column(name, value),))


@pytest.mark.parametrize(
    ("last", "values", "sentence"),
    [
        (_column("cost_eur", Property("x", "cost_eur")), [9800], "The cost is 9800 EUR."),
        (_column("height_cm", Property("x", "height_cm")), [168, 174], "The graph lists 2 heights: 168 cm and 174 cm."),
        (_column("setup", Property("x", "setup")), ["PT1H10M"], "The setup is 1 hour 10 minutes."),
        (
            _column("lead_time", Property("x", "lead_time")),
            ["P7D", "P14D"],
            "The graph lists 2 lead times: 7 days and 14 days.",
        ),
        (_column("part_code", Property("x", "part_code")), ["P7D"], "The part code is P7D."),
        (
            _column("warranty_until", Property("x", "warranty_until")),
            ["2027-03-01"],
            "The warranty is until 2027-03-01.",
        ),
        (_column("duration", Arithmetic("/", _SECONDS, Constant(60.0))), [240.0], "The duration is 240 minutes."),
        (_column("age", _AGE), [480], "The age is 480 months."),
        (_column("value", Property("x", "in_use_since")), [2009], ""),
        (Group((), (Aggregate("count", AggregateFunction.COUNT),)), [3], ""),
    ],
)
def test_values_are_said_by_their_property(last: Step, values: list[Any], sentence: str) -> None:
    assert value_sentence(_reply(last, *values)) == sentence


def test_the_graph_says_which_values_are_durations() -> None:
    reply = _reply(_column("rest", Property("x", "rest")), "P7D")
    assert value_sentence(reply) == "The rest is P7D."
    assert value_sentence(reply.model_copy(update={"durations": ["rest"]})) == "The rest is 7 days."


def test_names_of_nodes_are_no_values() -> None:
    assert value_sentence(_reply(_column("mission", Variable("x")), "Descent", id_="7")) == ""
