import random

from hypothesis import given
from hypothesis import strategies as st

from graph.plan.algebra import Column, Comparison, Constant, Match, NodePattern, Plan, Project, Property
from graph.plan.patterns import RelationshipPattern
from graph.plan.schema import GraphSchema, KindSchema, PropertySchema, RelationshipSchema
from graph.plan.values import ValueType
from question_sets.plan_questions import PlanQuestion, PlanQuestionSet, require_fit
from training.planning.renaming import choose_naming, renamed_questions
from training.planning.wordnet import WordNet

TEXT = PropertySchema(frozenset((ValueType.STRING,)), ValueType.STRING, 10)
SCHEMA = GraphSchema(
    {
        "Employee": KindSchema(10, {"fullName": TEXT, "jobTitle": TEXT}, "fullName"),
        "Depot": KindSchema(5, {"name": TEXT, "town": TEXT}, "name"),
        "Van": KindSchema(5, {"plate": TEXT}, "plate"),
    },
    {
        "works_at": RelationshipSchema(10, frozenset({("Employee", "Depot")}), {"since": TEXT}),
        "manages": RelationshipSchema(10, frozenset({("Employee", "Depot")})),
        "drives": RelationshipSchema(10, frozenset({("Employee", "Van")})),
        "reports_to": RelationshipSchema(10, frozenset({("Employee", "Employee")})),
        "mentors": RelationshipSchema(10, frozenset({("Employee", "Employee")})),
    },
)
PLAN = Plan(
    (
        Match(
            (NodePattern("e", ("Employee",)), NodePattern("d", ("Depot",)), NodePattern("b", ("Employee",))),
            (
                RelationshipPattern("e", "d", ("works_at",), variable="w"),
                RelationshipPattern("e", "b", ("reports_to",)),
            ),
            Comparison("=", Property("d", "town"), Constant("Turku")),
        ),
        Project((Column("title", Property("e", "jobTitle")), Column("since", Property("w", "since")))),
    )
)
ASKED = PlanQuestionSet({"firm": SCHEMA}, [PlanQuestion("who?", PLAN, "firm", "test")])


@given(st.integers(0, 400))
def test_plans_fit_the_renamed_schema(seed: int) -> None:
    found = renamed_questions(ASKED, namings=2, times=2, seed=seed)
    assert len(found.questions) == 2
    for one in found.questions:
        require_fit(one.plan, found.schemas[one.schema])
        assert one.question == "who?"


@given(st.integers(0, 400))
def test_relationships_between_the_same_kinds_stay_apart(seed: int) -> None:
    naming = choose_naming(SCHEMA, random.Random(seed), WordNet())
    assert naming.types["works_at"] != naming.types["manages"]
    assert naming.types["reports_to"] != naming.types["mentors"]
    assert len(set(naming.kinds.values())) == len(SCHEMA.kinds)
    assert len(set(naming.keys.values())) == len(naming.keys)


def test_names_are_shortened_reworded_and_made_vague() -> None:
    namings = [choose_naming(SCHEMA, random.Random(seed), WordNet()) for seed in range(200)]
    types = {naming.types["drives"].lower() for naming in namings}
    assert {"in", "of", "by", "with", "has_van", "van", "drives"} & types >= {"has_van", "van", "drives"}
    assert any(len(naming.kinds["Employee"]) < len("Employee") for naming in namings)


def test_questions_about_columns_without_a_name_in_the_schema_stay_out() -> None:
    odd = Plan((PLAN.steps[0], Project((Column("x", Property("e", "unknown")),))))
    found = renamed_questions(PlanQuestionSet({"firm": SCHEMA}, [PlanQuestion("?", odd, "firm", "test")]), 1, 1, 1)
    assert not found.questions
