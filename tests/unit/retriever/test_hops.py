import pytest

from services.retriever.hops import HopPrediction, predict_hops
from services.retriever.model import Query
from tests.unit.retriever.models import keyword_model


def test_the_most_probable_hop_number_is_predicted() -> None:
    model = keyword_model(["capital"], {"neighbours": (2, 5.0), "weather": (0, 5.0)}, {})

    two, none = predict_hops(model, model.encode([Query("neighbours of [MASK]"), Query("weather in [MASK]")]))

    assert (two.predicted, none.predicted) == (2, 0)
    assert sum(two.probabilities) == pytest.approx(1.0)
    assert len(two.probabilities) == 3


@pytest.mark.parametrize(
    ("probabilities", "lengths"),
    [
        ((0.0, 0.9, 0.1), {1, 2}),
        ((0.0, 0.97, 0.03), {1}),
        ((0.9, 0.01, 0.09), {2}),
        ((0.4, 0.1, 0.2, 0.3), {2, 3}),
        ((0.5, 0.5), {1}),
    ],
)
def test_the_second_best_hop_number_is_tried_if_likely(probabilities: tuple[float, ...], lengths: set[int]) -> None:
    assert HopPrediction(probabilities).lengths == lengths
