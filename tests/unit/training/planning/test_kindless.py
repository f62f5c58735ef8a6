import random

from graph.plan.algebra import (
    Column,
    Comparison,
    Constant,
    Match,
    NodePattern,
    Plan,
    Project,
    Property,
    RelationshipPattern,
    Variable,
)
from graph.plan.checks import check_plan
from graph.plan.schema import GraphSchema, KindSchema, PropertySchema, RelationshipSchema
from graph.plan.values import ValueType
from question_sets.plan_questions import PlanQuestion, PlanQuestionSet
from training.planning.kindless import Kindless, kindless_questions


def described(type_: ValueType) -> PropertySchema:
    return PropertySchema(frozenset((type_,)), type_, 10)


TEXT, NUMBER = described(ValueType.STRING), described(ValueType.INTEGER)
SCHEMA = GraphSchema(
    {
        "Customer": KindSchema(10, {"title": TEXT, "industry": TEXT, "seats": NUMBER}, "title"),
        "Town": KindSchema(5, {"label": TEXT}, "label"),
    },
    {"seat_in": RelationshipSchema(10, frozenset({("Customer", "Town")}), {"since": NUMBER})},
)


def plan_of(*columns: Column, where: Comparison | None = None, link: str | None = None) -> Plan:
    nodes = (NodePattern("c", ("Customer",)), NodePattern("t", ("Town",)))
    links = (RelationshipPattern("c", "t", ("seat_in",), variable=link),)
    return Plan((Match(nodes, links, where), Project(columns)))


def test_kinds_are_replaced_by_inferred_ones() -> None:
    kindless = Kindless.of(SCHEMA, random.Random(1))
    assert set(kindless.kinds) == {"Customer", "Town"}
    assert kindless.kinds["Town"] in kindless.schema.kinds
    assert not {"Customer", "Town"} & set(kindless.schema.kinds)


def test_texts_become_entities() -> None:
    kindless = Kindless.of(SCHEMA, random.Random(1))
    where = Comparison("=", Property("c", "industry"), Constant("shipping"))
    plan = kindless.plan(plan_of(Column("c", Variable("c")), where=where))
    check_plan(plan, kindless.schema)
    [match, _] = plan.steps
    assert isinstance(match, Match)
    assert ("c", "c industry", ("industry",)) in [(one.source, one.target, one.types) for one in match.relationships]
    assert match.where == Comparison("=", Property("c industry", "name"), Constant("shipping"))


def test_numbers_stay_properties_and_names_are_called_name() -> None:
    kindless = Kindless.of(SCHEMA, random.Random(1))
    columns = (Column("a", Property("c", "seats")), Column("b", Property("c", "title")), Column("d", Variable("c")))
    plan = kindless.plan(plan_of(*columns))
    check_plan(plan, kindless.schema)
    assert plan.steps[-1] == Project(
        (Column("a", Property("c", "seats")), Column("b", Property("c", "name")), Column("d", Variable("c")))
    )


def test_an_asked_text_is_the_entity() -> None:
    kindless = Kindless.of(SCHEMA, random.Random(1))
    plan = kindless.plan(plan_of(Column("i", Property("c", "industry"))))
    check_plan(plan, kindless.schema)
    assert plan.steps[-1] == Project((Column("i", Variable("c industry")),))


def test_questions_about_relationship_properties_are_left_out() -> None:
    plain = PlanQuestion("who?", plan_of(Column("c", Variable("c"))), "s", "test")
    about_link = PlanQuestion("since when?", plan_of(Column("s", Property("r", "since")), link="r"), "s", "test")
    found = kindless_questions(PlanQuestionSet({"s": SCHEMA}, [plain, about_link]), 1.0, 1)
    assert [one.question for one in found.questions] == ["who?"]
    assert {one.schema for one in found.questions} == set(found.schemas)
