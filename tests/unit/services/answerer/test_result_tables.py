from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from contracts.answers import Answer, AnswerType, ReplyWarning
from contracts.plans import QueryPlan
from contracts.retrieve import RetrieveResponse
from graph.plan.algebra import (
    Aggregate,
    AggregateFunction,
    Call,
    Column,
    Comparison,
    Constant,
    CountMatches,
    Expression,
    Function,
    Group,
    ListOf,
    Match,
    NodePattern,
    Order,
    Project,
    Property,
    RelationshipPattern,
    Slice,
    SortKey,
    Step,
    Variable,
)
from graph.plan.algebra import Plan as QueryPlanSteps
from graph.plan.checks import write_plan
from services.answerer.result_tables import rows_sentence
from tests.fakes.services import capital_of_france

_STAGES = Match((NodePattern("stage", ("Stage",)),))
_MEMBERS = Match(
    (NodePattern("band", ("Band",)), NodePattern("musician", ("Musician",))),
    (RelationshipPattern("musician", "band", ("IN",)),),
)
_CAPACITY = Property("stage", "capacity")
_COUNT = Aggregate("count", AggregateFunction.COUNT)
_LENGTH = Call(Function.SECONDS_BETWEEN, (Property("stage", "opens"), Property("stage", "closes")))


def _reply(columns: Sequence[str], rows: Sequence[Sequence[Any]], *steps: Step, kind: str | None) -> RetrieveResponse:
    plan = QueryPlan(text="", steps=write_plan(QueryPlanSteps(steps))["steps"], query=None)
    ids = [str(place) if kind else None for place in range(len(rows))]
    answers = [
        Answer(value=row[0], id=id_, kind=kind, score=0.9, evidence=[]) for row, id_ in zip(rows, ids, strict=True)
    ]
    changes = {"answer_type": AnswerType.ROWS, "answers": answers, "relation_paths": [], "plan": plan}
    return capital_of_france().model_copy(update={**changes, "columns": list(columns), "rows": rows})


def _chosen(value: Expression, limit: int, offset: int = 0, descending: bool = True) -> list[Step]:
    columns = (Column("stage", Variable("stage")), Column("size", value))
    return [_STAGES, Order((SortKey(value, descending),)), Slice(limit, offset), Project(columns)]


@pytest.mark.parametrize(
    ("steps", "columns", "value", "sentence"),
    [
        (_chosen(_CAPACITY, 1), "capacity", 12000, "Barn has the highest capacity: 12,000."),
        (_chosen(_CAPACITY, 1, descending=False), "capacity", 12, "Barn has the lowest capacity: 12."),
        (_chosen(_CAPACITY, 1, 2), "capacity", 12, "Barn has the third highest capacity: 12."),
        (_chosen(_LENGTH, 1), "duration_seconds", 5400, "Barn has the longest duration: 1 hour 30 minutes."),
        (_chosen(_CAPACITY, 1), "day", "2020-01-02", "Barn has the latest day: 2020-01-02."),
        (_chosen(_CAPACITY, 1), "built_year", 1994, "Barn has the highest built year: 1994."),
        (_chosen(_CAPACITY, 1), "capacity", None, "The graph lists 1 stage: Barn (capacity: unknown)."),
    ],
)
def test_what_chose_a_row_is_said(steps: list[Step], columns: str, value: Any, sentence: str) -> None:
    *before, last = steps
    assert isinstance(last, Project)
    named = Project((last.columns[0], Column(columns, last.columns[1].value)))
    reply = _reply(["stage", columns], [["Barn", value]], *before, named, kind="Stage")
    if columns == "built_year":
        sentence = "Barn has the latest built year: 1994."
    assert rows_sentence(reply) == sentence


def test_the_first_rows_share_a_sentence() -> None:
    rows = [["Barn, Old", 12000], ["Cliff", 600]]
    reply = _reply(["stage", "size"], rows, *_chosen(_CAPACITY, 2), kind="Stage")
    assert rows_sentence(reply) == ("The 2 stages with the highest size are Barn, Old (12,000); and Cliff (600).")


@pytest.mark.parametrize("counts_rows", [True, False])
def test_a_count_names_what_it_counts(counts_rows: bool) -> None:
    key = Column("band", Variable("band"))
    aggregate = _COUNT if counts_rows else Aggregate("count", AggregateFunction.COUNT, Variable("musician"))
    grouped: list[Step] = [_MEMBERS, Group((key,), (aggregate,))]
    order = Order((SortKey(Variable("count"), descending=True),))
    most = _reply(["band", "count"], [["Quill", 3]], *grouped, order, Slice(1), kind="Band")
    every = _reply(["band", "count"], [["Quill", 3], ["Ash", 1]], *grouped, kind="Band")

    assert rows_sentence(most) == "Quill has the most musicians: 3."
    assert rows_sentence(every) == "The graph lists 2 bands: Quill (3 musicians) and Ash (1 musician)."


def test_a_counted_pattern_names_its_other_end() -> None:
    bands = Match((NodePattern("band", ("Band",)),))
    columns = (Column("band", Variable("band")), Column("count", CountMatches(_MEMBERS)))
    reply = _reply(["band", "count"], [["Quill", 2], ["Ash", 1]], bands, Project(columns), kind="Band")
    assert rows_sentence(reply) == "The graph lists 2 bands: Quill (2 musicians) and Ash (1 musician)."


def test_other_columns_follow_in_parentheses() -> None:
    steps = _chosen(_CAPACITY, 1)
    *before, _ = steps
    columns = (
        Column("stage", Variable("stage")),
        Column("capacity", _CAPACITY),
        Column("town", Property("stage", "t")),
    )
    reply = _reply(["stage", "capacity", "town"], [["Barn", 80, "Ulm"]], *before, Project(columns), kind="Stage")
    assert rows_sentence(reply) == "Barn has the highest capacity: 80 (town: Ulm)."


def test_lists_and_values_are_rows_too() -> None:
    reply = _reply(["genre", "band"], [["folk", ["Ash", "Oak"]]], _STAGES, kind=None)
    assert rows_sentence(reply) == "The graph lists 1 genre: folk (band: Ash, Oak)."


def test_the_measure_of_another_node_is_no_property_of_the_row() -> None:
    order = Order((SortKey(Property("musician", "age"), descending=True),))
    columns = (Column("band", Variable("band")), Column("age", Property("musician", "age")))
    reply = _reply(["band", "age"], [["Quill", 70]], _MEMBERS, order, Slice(1), Project(columns), kind="Band")
    assert rows_sentence(reply) == "The graph lists 1 band: Quill (age: 70)."


def test_a_value_is_said_with_its_column() -> None:
    key, order = Column("genre", Property("band", "genre")), Order((SortKey(Variable("count"), descending=True),))
    reply = _reply(["genre", "count"], [["folk", 3]], _MEMBERS, Group((key,), (_COUNT,)), order, Slice(1), kind=None)
    assert rows_sentence(reply) == "The genre with the highest count is folk: 3."


def test_two_things_are_compared() -> None:
    either = ListOf((Constant("Barn"), Constant("Cliff")))
    two = replace(_STAGES, where=Comparison("in", Property("stage", "name"), either))
    _, *others = _chosen(_CAPACITY, 1)
    reply = _reply(["stage", "size"], [["Barn", 80]], two, *others, kind="Stage")
    assert rows_sentence(reply) == "Barn has the greater size: 80."


def test_a_tie_is_no_victory() -> None:
    reply = _reply(["stage", "size"], [["Barn", 80]], *_chosen(_CAPACITY, 1), kind="Stage")
    tied = reply.model_copy(update={"warnings": [ReplyWarning(kind="tie", text="Cliff has 80, too.")]})
    assert rows_sentence(tied) == "Barn is among those with the highest size: 80."


@pytest.mark.parametrize(
    ("column", "descending", "text"),
    [
        ("capacity", True, "Barn and Cliff tie for the highest capacity: 80."),
        ("opened", False, "Barn and Cliff opened first: 1990."),
        ("born", True, "Barn and Cliff were born last: 1990."),
    ],
)
def test_rows_that_tie_for_the_first_place_share_it(column: str, descending: bool, text: str) -> None:
    value = Property("stage", column)
    columns = (Column("stage", Variable("stage")), Column(column, value))
    steps = (_STAGES, Order((SortKey(value, descending),)), Slice(1), Project(columns))
    shared = 80 if column == "capacity" else 1990
    reply = _reply(["stage", column], [["Barn", shared], ["Cliff", shared]], *steps, kind="Stage")
    assert rows_sentence(reply) == text
