from dataclasses import replace

import pytest

from services.retriever.plans.predictor.plan_confidence import PlanCalibration, PlanFeatures
from services.retriever.plans.predictor.plan_manifest import BASE_MODEL, read_plan_manifest

_SURE = replace(PlanFeatures.of_only_reading(rows=1, is_empty=False), judged=4.0)
_DOUBTS = ("lacks_operator", "lacks_name", "lacks_element", "is_wrong", "is_doubted")


@pytest.mark.parametrize("doubt", _DOUBTS)
def test_what_a_plan_lacks_and_doubts_about_it_lower_the_confidence(doubt: str) -> None:
    doubted = replace(_SURE, **{doubt: True})

    assert PlanCalibration().probability(doubted) < PlanCalibration().probability(_SURE)


@pytest.mark.parametrize("doubt", _DOUBTS)
def test_no_doubt_raises_the_confidence_of_the_packaged_model(doubt: str) -> None:
    calibration = read_plan_manifest(BASE_MODEL).calibration

    assert calibration.probability(replace(_SURE, **{doubt: True})) <= calibration.probability(_SURE)


def test_a_model_from_before_there_was_a_judge_weighs_the_features_that_it_knows() -> None:
    old = PlanCalibration(weights=PlanCalibration().weights[:14])

    assert old.probability(replace(_SURE, judged=-9.0, is_wrong=True)) == old.probability(_SURE)
    assert old.probability(replace(_SURE, is_empty=True)) < old.probability(_SURE)
