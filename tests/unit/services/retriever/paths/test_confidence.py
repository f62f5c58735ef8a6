from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.retriever.paths.confidence import Calibration, ConfidenceFeatures

_shares = st.floats(0, 1)
_features = st.builds(ConfidenceFeatures, _shares, _shares, _shares, _shares, st.floats(0, 1e6), _shares)
SURE = ConfidenceFeatures(
    path_share=0.9, coverage=0.9, link_score=0.9, runner_up_ratio=0.1, unanswerable_ratio=0.1, oov_rate=0.2
)


@given(_features)
def test_a_confidence_is_a_probability(features: ConfidenceFeatures) -> None:
    assert 0.0 <= Calibration().probability(features) <= 1.0


@given(_features, st.floats(-1e6, 1e6), st.tuples(*[st.floats(-1e6, 1e6)] * 7))
def test_no_weights_break_it(features: ConfidenceFeatures, bias: float, weights: tuple[float, ...]) -> None:
    assert 0.0 <= Calibration(bias=bias, weights=weights).probability(features) <= 1.0


@pytest.mark.parametrize(
    ("feature", "grows"),
    [
        ("path_share", True),
        ("link_score", True),
        ("runner_up_ratio", False),
        ("unanswerable_ratio", False),
        ("oov_rate", False),
    ],
)
@given(features=_features, one=_shares, other=_shares)
def test_the_confidence_is_monotonic_in_each_feature(
    feature: str, grows: bool, features: ConfidenceFeatures, one: float, other: float
) -> None:
    less, more = sorted([one, other])
    lower, higher = (Calibration().probability(replace(features, **{feature: share})) for share in (less, more))

    assert lower <= higher if grows else lower >= higher


@pytest.mark.parametrize(
    "worse",
    [
        replace(SURE, path_share=0.5),
        replace(SURE, link_score=0.5),
        replace(SURE, runner_up_ratio=0.5),
        replace(SURE, unanswerable_ratio=0.5),
        replace(SURE, oov_rate=0.5),
    ],
)
def test_no_feature_is_ignored(worse: ConfidenceFeatures) -> None:
    assert Calibration().probability(worse) < Calibration().probability(SURE)
