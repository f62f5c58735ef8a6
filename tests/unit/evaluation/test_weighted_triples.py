import numpy as np
import pytest

from evaluation.weighted_triples import best_triples, hop_distributions, triple_weights
from services.retriever.paths.path_predictor import PathPrediction, PredictedPath

# Heat (1) and Ali (2) are films of Mann (3); Pacino (4) plays in Heat. The numbers of relations begin at 1.
IDS = np.array([[1, 1, 3], [2, 1, 3], [1, 2, 4]], dtype=np.int32)
RELATIONS = {1: "directed_by", 2: "starred"}


def prediction(*paths: tuple[tuple[str, ...], float]) -> PathPrediction:
    return PathPrediction((0.0,), 0.0, tuple(PredictedPath(path, score) for path, score in paths))


def test_the_distribution_of_a_hop_sums_over_the_paths_that_reach_it() -> None:
    first, second = hop_distributions(
        prediction((("directed_by", "^directed_by"), 0.3), (("directed_by",), 0.2), (("starred",), 0.1))
    )
    assert first == pytest.approx({"directed_by": 5 / 6, "starred": 1 / 6})
    assert second == pytest.approx({"^directed_by": 0.5})


def test_without_paths_there_is_no_distribution() -> None:
    assert hop_distributions(prediction()) == []


def test_triples_weigh_as_their_relation_at_the_hop_that_reaches_them() -> None:
    weights = triple_weights(IDS, RELATIONS, {1: 1.0}, [{"directed_by": 0.8, "starred": 0.2}, {"^directed_by": 0.5}])
    assert weights.tolist() == pytest.approx([0.8, 0.4, 0.2])
    assert best_triples(weights, 2) == [0, 1]


def test_triples_that_no_hop_reaches_are_left_out() -> None:
    weights = triple_weights(IDS, RELATIONS, {4: 0.5}, [{"^starred": 1.0, "directed_by": 1.0}])
    assert best_triples(weights, 3) == [2]
    assert weights[2] == pytest.approx(0.5)


def test_hops_are_independent_of_each_other() -> None:
    """The second hop follows any first one, whereas a relation path would fix both."""
    weights = triple_weights(IDS, RELATIONS, {2: 1.0}, [{"directed_by": 1.0}, {"^directed_by": 0.6}, {"starred": 0.5}])
    assert weights.tolist() == pytest.approx([0.6, 1.0, 0.3])
