from dataclasses import replace

from services.retriever.plans.predictor.plan_confidence import NEVER_BETTER, PlanFeatures
from training.planning.calibration.fitting import calibration_of, first_reading, ranking_of

SURE = PlanFeatures.of_only_reading(rows=1, is_empty=False)
UNREAD = replace(SURE, unread_words=3)


def test_what_distinguishes_right_readings_ranks_them_first() -> None:
    judged = [[(UNREAD, False), (SURE, True)]] * 20
    ranking = ranking_of(judged)
    assert [first_reading(one, ranking) for one in judged] == [(SURE, True)] * 20


def test_right_readings_are_more_probable() -> None:
    calibration = calibration_of([(SURE, True), (UNREAD, False)] * 50)
    assert calibration.probability(SURE) > 0.5 > calibration.probability(UNREAD)


def test_no_weight_makes_a_reading_better_for_what_it_leaves_unread() -> None:
    calibration = calibration_of([(UNREAD, True), (SURE, False)] * 50)
    assert all(calibration.weights[place] <= 0 for place in NEVER_BETTER)
