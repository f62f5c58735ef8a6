import re
from collections.abc import Mapping, Sequence
from itertools import islice

import pytest

from graph.plan.checks import check_plan
from graph.plan.schema import GraphSchema, KindSchema, PropertySchema, RelationshipSchema
from graph.plan.values import ValueType
from question_sets.plan_questions import PlanQuestion
from services.retriever.plans.schema.schema_elements import SchemaElements
from training.planning.alignment import align
from training.planning.oracle import actions_of
from training.synthetic.plans.generation import FRAMES, SHAPES, generate, questions_about
from training.synthetic.plans.invention import invented_schemas
from training.synthetic.plans.wordings import Split, choose_frame, frames, slots_of, wordings
from training.synthetic.plans.words import WordedSchema

_QUESTIONS = 4000


@pytest.fixture(scope="module")
def schemas() -> Sequence[WordedSchema]:
    return list(invented_schemas(120, 5))


@pytest.fixture(scope="module", params=list(Split))
def questions(request: pytest.FixtureRequest, schemas: Sequence[WordedSchema]) -> Sequence[PlanQuestion]:
    return list(generate(schemas, _QUESTIONS, 7, request.param))


def test_generates_as_many_questions_as_wanted_of_all_shapes(questions: Sequence[PlanQuestion]) -> None:
    assert len(questions) == _QUESTIONS
    assert {one.source for one in questions} == {f"synthetic:{name}" for name in SHAPES}


def test_plans_fit_their_schemas(questions: Sequence[PlanQuestion], schemas: Sequence[WordedSchema]) -> None:
    known = {one.name: one.schema for one in schemas}
    for one in questions:
        check_plan(one.plan, known[one.schema])


def test_actions_build_the_plans_from_constants_that_the_questions_state(
    questions: Sequence[PlanQuestion], schemas: Sequence[WordedSchema]
) -> None:
    known = {one.name: (one.schema, SchemaElements.of(one.schema)) for one in schemas}
    for one in questions:
        _, elements = known[one.schema]
        actions, slots = actions_of(one.plan, elements)
        align(one.question, actions, slots, elements)


def test_questions_have_no_open_slots(questions: Sequence[PlanQuestion]) -> None:
    for one in questions:
        assert not re.search(r"[{}\[\]\ue000-\uf8ff]|  |\bNone\b", one.question), one.question


def test_the_seed_determines_the_questions(schemas: Sequence[WordedSchema]) -> None:
    first, again, other = (list(generate(schemas, 50, seed)) for seed in (1, 1, 2))
    assert first == again
    assert first != other


def test_no_two_invented_schemas_are_alike() -> None:
    described = {repr(one.schema) for one in invented_schemas(200, 3)}
    assert len(described) == 200


def test_invented_schemas_do_not_depend_on_how_many_there_are() -> None:
    assert next(invented_schemas(1, 9)).schema == next(islice(invented_schemas(50, 9), 1)).schema


def test_each_shape_has_wordings() -> None:
    assert {FRAMES.get(shape, shape) for shape in SHAPES} == set(frames())


@pytest.mark.parametrize("shape", frames())
def test_some_wordings_of_each_shape_are_held_out(shape: str) -> None:
    training, held_out = (set(wordings("frames", shape, split)) for split in Split)
    assert training and held_out
    assert not training & held_out
    assert training | held_out == set(frames()[shape])


def test_a_frame_is_chosen_only_if_all_its_slots_can_be_filled() -> None:
    import random

    for seed in range(50):
        frame = choose_frame("count", {"things"}, Split.TRAIN, random.Random(seed))
        assert frame is not None
        assert slots_of(frame) <= {"things"}
    assert choose_frame("compare", {"x"}, Split.TRAIN, random.Random(1)) is None


def _property(type_: ValueType, *samples: object) -> PropertySchema:
    return PropertySchema(frozenset((type_,)), type_, 100, 0.9, samples)


@pytest.fixture(scope="module")
def own_schema() -> GraphSchema:
    people = {
        "fullName": _property(ValueType.STRING, "Ann Lee", "Ben Hill"),
        "sal": _property(ValueType.INTEGER, 100, 2000),
    }
    teams = {
        "name": _property(ValueType.STRING, "Red Team", "Blue Team"),
        "founded": _property(ValueType.INTEGER, 1990, 2001),
    }
    return GraphSchema(
        {"Worker": KindSchema(100, people, "fullName"), "Team": KindSchema(10, teams, "name")},
        {
            "rpts_to": RelationshipSchema(90, frozenset({("Worker", "Worker")})),
            "MEMBER_OF": RelationshipSchema(100, frozenset({("Worker", "Team")})),
        },
    )


_DESCRIPTIONS: Mapping[str, Sequence[str]] = {
    "rpts_to": ["reports to", "boss"],
    "sal": ["salary"],
    "Worker": ["employee"],
}


def test_questions_about_an_own_graph_use_its_words_and_its_descriptions(own_schema: GraphSchema) -> None:
    found = list(questions_about(own_schema, {}, 800, 1, _DESCRIPTIONS))
    elements = SchemaElements.of(own_schema)
    assert len(found) == 800
    for one in found:
        check_plan(one.plan, own_schema)
        actions, slots = actions_of(one.plan, elements)
        align(one.question, actions, slots, elements)
    text = " ".join(one.question for one in found).lower()
    for words in ("reports to", "report to", "boss", "salary", "employee", "ann lee", "red team", "founded"):
        assert words in text, words


def test_questions_about_an_own_graph_need_no_values() -> None:
    schema = GraphSchema({"Thing": KindSchema(3, {"name": _property(ValueType.STRING)}, "name")}, {})
    found = list(questions_about(schema, {}, 20, 1))
    assert found
    assert all("thing" in one.question.lower() for one in found)


def test_questions_about_an_own_graph_use_the_given_values(own_schema: GraphSchema) -> None:
    found = questions_about(own_schema, {("Worker", "fullName"): ["Zoe Quist"]}, 300, 1)
    text = " ".join(one.question for one in found).lower()
    assert "zoe quist" in text
    assert "ann lee" not in text


def test_an_empty_schema_gives_no_questions() -> None:
    assert not list(questions_about(GraphSchema({}, {}), {}, 5, 1))
