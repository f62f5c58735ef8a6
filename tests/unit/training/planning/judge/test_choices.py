import random
from collections.abc import Sequence

import pytest

pytest.importorskip("torch", reason="needs the train extra: make install-train")

from language.question import Question
from language.values import QuestionValue
from question_sets.plan_questions import PlanQuestion
from services.retriever.plans.grammar.actions import Action, Op
from services.retriever.plans.grammar.transitions import State, legal_actions
from services.retriever.plans.predictor.search import PredictedActions
from services.retriever.plans.schema.schema_elements import SchemaElements
from tests.unit.training.planning.test_fit import QUESTIONS, SCHEMA
from training.planning.example_making import make_examples
from training.planning.examples import Example, SchemaInput
from training.planning.judge.choices import choices, is_alike
from training.planning.judge.edits import edited
from training.planning.judge.reduced_schemas import reduced, without

pytestmark = pytest.mark.train


@pytest.fixture(scope="module")
def examples() -> list[Example]:
    questions = [PlanQuestion(question, plan, "films", "test") for question, plan in QUESTIONS.items()]
    return make_examples(questions, {"films": SchemaInput(SCHEMA)}, 1).examples


class _Search:
    """Predict the same plans for every question."""

    def __init__(self, plans: Sequence[tuple[Action, ...]]) -> None:
        self._plans = plans

    def predict(self, question: Question, values: Sequence[QuestionValue], width: int) -> list[PredictedActions]:
        return [PredictedActions(one, -1.0) for one in self._plans]


def test_edits_are_legal_plans_that_differ_from_the_right_one(examples: list[Example]) -> None:
    found = [(one, new) for one in examples for new in edited(one, 3, random.Random(1))]

    assert len(found) > len(examples)
    for example, actions in found:
        assert actions != example.actions
        state = State(example.schema.elements)
        types, periods = [one.types for one in example.values], [one.is_period for one in example.values]
        for action in actions:
            assert action in legal_actions(state, types, periods)
            state = state.after(action)
        assert state.is_finished


def test_the_right_plan_comes_first_and_those_like_it_are_left_out(examples: list[Example]) -> None:
    likely = [one.actions for one in examples]

    found = list(choices(examples, lambda _: _Search(likely), 0.0, 1))  # type: ignore[arg-type, return-value]

    for example, choice in zip(examples, found, strict=True):
        assert choice.is_answerable
        assert choice.plans[0] == example.actions
        assert not any(is_alike(one, example.actions) for one in choice.plans[1:])


def test_a_question_over_a_schema_without_what_it_needs_has_no_right_plan(examples: list[Example]) -> None:
    films = examples[-1].actions

    found = list(choices(examples, lambda _: _Search([films]), 1.0, 1))  # type: ignore[arg-type, return-value]

    unanswerable = [one for one in found if not one.is_answerable]
    assert {one.question for one in unanswerable} == {"Which films came after 1999?", "What is the newest film?"}
    for one in unanswerable:
        assert ("Film", "year") not in {(each.owner, each.key) for each in one.elements.properties}
        assert one.plans == (films,)


def test_values_keep_only_the_properties_that_are_left(examples: list[Example]) -> None:
    late = next(one for one in examples if "1999" in one.question)

    less = reduced(late, random.Random(1))

    assert less is not None
    elements, values = less
    assert elements.properties == SchemaElements.of(without(SCHEMA, "year")).properties
    assert [value.text for value in values] == ["1999"]


@pytest.mark.parametrize(
    ("one", "other", "alike"),
    [
        ("KIND GROUP COUNT_ROWS END", "KIND GROUP COUNT_DISTINCT VARIABLE END", True),
        ("KIND PROPERTY TRUE RETURN END", "KIND PROPERTY FALSE RETURN END", False),
        ("KIND RETURN PROPERTY END", "KIND PROPERTY TRUE GROUP COUNT_ROWS END", True),
        ("KIND GROUP MIN PROPERTY END", "KIND GROUP MAX PROPERTY END", False),
        ("KIND RETURN VARIABLE END", "KIND RETURN_DISTINCT VARIABLE END", True),
    ],
)
def test_plans_that_may_mean_the_same_are_alike(one: str, other: str, alike: bool) -> None:
    first, second = (tuple(Action(Op[name]) for name in text.split()) for text in (one, other))

    assert is_alike(first, second) is alike
