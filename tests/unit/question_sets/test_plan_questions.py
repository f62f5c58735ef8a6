from datetime import date
from pathlib import Path

import pytest

from graph.plan.algebra import Column, Comparison, Constant, Match, NodePattern, Plan, Project, Property
from graph.plan.schema import GraphSchema, KindSchema, PropertySchema, RelationshipSchema
from graph.plan.values import ValueType
from question_sets.plan_questions import PlanQuestion, PlanQuestionSet
from shared.errors import InvalidInputError, NotFoundError

_BORN = PropertySchema(frozenset((ValueType.STRING,)), ValueType.DATE, 3, 1.0, (date(1990, 2, 3),))
_SCHEMA = GraphSchema(
    {"Person": KindSchema(3, {"born": _BORN})}, {"KNOWS": RelationshipSchema(2, frozenset((("Person", "Person"),)))}
)
_PLAN = Plan(
    (
        Match(
            (NodePattern("p", ("Person",)),), where=Comparison(">", Property("p", "born"), Constant(date(1990, 1, 1)))
        ),
        Project((Column("born", Property("p", "born")),)),
    )
)


def test_a_written_set_reads_as_the_same_set(tmp_path: Path) -> None:
    written = PlanQuestionSet({"people": _SCHEMA}, [PlanQuestion("Who is young?", _PLAN, "people", "test")])
    written.write(tmp_path / "set.jsonl")
    assert PlanQuestionSet.read(tmp_path / "set.jsonl") == written


def test_the_error_names_the_file_and_the_line(tmp_path: Path) -> None:
    file = tmp_path / "set.jsonl"
    with pytest.raises(NotFoundError, match=r"set\.jsonl"):
        PlanQuestionSet.read(file)
    PlanQuestionSet({}, [PlanQuestion("Who?", _PLAN, "people", "test")]).write(file)
    with pytest.raises(InvalidInputError, match=r"set\.jsonl, line 1: .*'people'"):
        PlanQuestionSet.read(file)
    file.write_text("{}\n", encoding="utf-8")
    with pytest.raises(InvalidInputError, match=r"set\.jsonl, line 1"):
        PlanQuestionSet.read(file)
