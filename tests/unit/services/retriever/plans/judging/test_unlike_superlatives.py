from pathlib import Path

import pytest

from graph.plan.result import PlanResult
from graph.plan.values import NodeRef
from services.retriever.encoder.word_vectors import WordVectors
from services.retriever.plans.judging.doubt import Candidate
from services.retriever.plans.judging.plan_readings import RanPlan, judge
from services.retriever.plans.judging.unlike_superlatives import sorts_by_unlike
from services.retriever.plans.predictor.model import PlanModel
from services.retriever.plans.predictor.plan_confidence import PlanCalibration
from services.retriever.plans.predictor.plan_manifest import BASE_MODEL
from services.retriever.plans.predictor.search import PredictedActions
from tests.support.rule_examples import read_example


@pytest.fixture(scope="module")
def vectors() -> WordVectors:
    return WordVectors(PlanModel(Path(BASE_MODEL)).encoder)


@pytest.mark.parametrize(
    ("question", "key", "is_doubted"),
    [
        ("Which is the friendliest dog?", "weight_kg", True),
        ("Which is the dirtiest hut?", "price", True),
        ("Which is the most beautiful hut?", "price", True),
        ("Which is the most dangerous peak?", "elevation", True),
        ("Which is the hottest kiln?", "max_temperature", False),
        ("Which is the steepest track?", "slope", False),
        ("Which is the most powerful engine?", "horsepower", False),
        ("Which is the most beautiful hut?", "beauty", False),
        ("Which is the largest hut?", "beds", False),
    ],
)
def test_a_plan_that_sorts_by_something_else_is_doubted(
    vectors: WordVectors, question: str, key: str, is_doubted: bool
) -> None:
    plan = f"MATCH (t:Thing) RETURN t ORDER BY t.{key} DESC LIMIT 1"
    asked, read, actions = read_example(f"(:Thing {{{key}: INTEGER}})", question, plan, vectors=vectors)

    assert sorts_by_unlike(Candidate(actions, read, PlanResult((), ())), asked) is is_doubted


def test_the_superlatives_in_question_stay_unread(vectors: WordVectors) -> None:
    plan = "MATCH (d:Dog) RETURN d ORDER BY d.weight DESC LIMIT 1"
    asked, read, actions = read_example(
        "(:Dog {weight: INTEGER})", "Which is the friendliest dog?", plan, vectors=vectors
    )
    ran = RanPlan(PredictedActions(actions, -0.1), read, read, PlanResult(("d",), ((NodeRef("1", "Rex", ("Dog",)),),)))

    [doubted] = judge(asked, [ran], PlanCalibration(), None)
    [believed] = judge(asked, [ran], PlanCalibration(), None, without=("sorts-by-unlike",))

    assert "friendliest" in doubted.unread
    assert doubted.features.is_wrong
    assert doubted.confidence < believed.confidence
