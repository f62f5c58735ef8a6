import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.confidence_metrics import Judged, auroc, calibration_error, risk_at_coverage, risk_coverage_curve


def judged(*pairs: tuple[float, bool]) -> list[Judged]:
    return [Judged(confidence=confidence, is_right=is_right) for confidence, is_right in pairs]


_JUDGED = st.lists(st.builds(Judged, confidence=st.floats(0, 1), is_right=st.booleans()), min_size=1, max_size=30)


def test_a_confidence_that_separates_right_from_wrong_has_an_auroc_of_one() -> None:
    assert auroc(judged((0.9, True), (0.8, True), (0.3, False))) == 1.0
    assert auroc(judged((0.1, True), (0.8, False))) == 0.0
    assert auroc(judged((0.5, True), (0.5, False))) == 0.5
    assert auroc(judged((0.5, True))) is None


@given(_JUDGED)
def test_the_auroc_is_the_share_of_pairs_in_order(found: list[Judged]) -> None:
    right = [one.confidence for one in found if one.is_right]
    wrong = [one.confidence for one in found if not one.is_right]
    pairs = [1.0 if r > w else 0.5 if r == w else 0.0 for r in right for w in wrong]

    assert auroc(found) == (pytest.approx(sum(pairs) / len(pairs)) if pairs else None)


def test_the_calibration_error_weighs_bins_by_their_size() -> None:
    assert calibration_error(judged((1.0, True), (1.0, True), (0.0, True))) == pytest.approx(1 / 3)
    assert calibration_error(judged((0.5, True), (0.5, False))) == pytest.approx(0.0)
    assert calibration_error([]) is None


def test_the_risk_is_that_of_the_most_confident_replies() -> None:
    found = judged((0.9, True), (0.8, False), (0.7, True), (0.6, True), (0.1, False))

    assert risk_at_coverage(found, 0.8) == 0.25
    assert risk_at_coverage(found, 0.2) == 0.0
    assert risk_at_coverage([], 0.8) is None


@given(_JUDGED)
def test_coverage_falls_as_the_threshold_rises(found: list[Judged]) -> None:
    curve = risk_coverage_curve(found)

    assert curve[0].coverage == 1.0
    assert all(later.coverage <= earlier.coverage for earlier, later in itertools.pairwise(curve))
