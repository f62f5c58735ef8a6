import numpy as np

from training.logistic import fit_logistic


def test_the_fit_recovers_what_made_the_labels() -> None:
    rng = np.random.default_rng(1)
    inputs = rng.normal(size=(4000, 2))
    right = rng.random(4000) < 1 / (1 + np.exp(-(0.5 + 2.0 * inputs[:, 0])))

    bias, weights = fit_logistic(inputs.tolist(), right.tolist(), 0.0, (0.0, 0.0))

    assert abs(bias - 0.5) < 0.15
    assert abs(weights[0] - 2.0) < 0.2
    assert abs(weights[1]) < 0.15


def test_the_fit_converges_from_weights_that_are_far_off() -> None:
    rng = np.random.default_rng(2)
    inputs = 5 * rng.normal(size=(500, 3))
    right = inputs[:, 0] > 0

    near = fit_logistic(inputs.tolist(), right.tolist(), 0.0, (1.0, 0.0, 0.0))
    far = fit_logistic(inputs.tolist(), right.tolist(), 0.0, (-3.0, 3.0, 1.0))

    assert near[1][0] > 1.0
    assert far[1][0] > 0.5


def test_without_cases_the_prior_stays() -> None:
    assert fit_logistic([], [], 1.5, (1.0, -1.0)) == (1.5, (1.0, -1.0))
