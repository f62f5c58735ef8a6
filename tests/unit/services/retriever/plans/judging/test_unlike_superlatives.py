from pathlib import Path

import pytest

from graph.plan.algebra import (
    Column,
    Match,
    NodePattern,
    Order,
    Plan,
    Project,
    Property,
    Slice,
    SortKey,
    Variable,
)
from graph.plan.result import PlanResult
from services.retriever.encoder.word_vectors import WordVectors
from services.retriever.plans.judging.plan_readings import PlanReading
from services.retriever.plans.judging.unlike_superlatives import doubt_superlatives, superlatives
from services.retriever.plans.predictor.model import PlanModel
from services.retriever.plans.predictor.plan_confidence import PlanFeatures
from services.retriever.plans.predictor.plan_manifest import BASE_MODEL


@pytest.fixture(scope="module")
def vectors() -> WordVectors:
    return WordVectors(PlanModel(Path(BASE_MODEL)).encoder)


def _sorted_by(key: str) -> PlanReading:
    order = Order((SortKey(Property("x", key), descending=True),))
    plan = Plan((Match((NodePattern("x"),)), order, Slice(1), Project((Column("x", Variable("x")),))))
    features = PlanFeatures.of_only_reading(1, False)
    return PlanReading(plan, plan, PlanResult((), ()), 0.9, 1.0, (), (), features)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Which is the friendliest dog?", ["friendliest"]),
        ("Which is the most dangerous peak?", ["dangerous"]),
        ("Which is the most expensive and largest of the most recent forest requests?", []),
        ("Which band has the most members?", []),
    ],
)
def test_some_superlatives_ask_for_certain_properties(question: str, expected: list[str]) -> None:
    assert superlatives(question) == expected


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
    [reading] = doubt_superlatives(question, [_sorted_by(key)], vectors)
    assert (reading.confidence < 0.5) == is_doubted
    assert bool(reading.unread) == is_doubted
