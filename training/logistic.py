"""Fit logistic regressions with a Gaussian prior, by Newton's method."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

# The precision of the prior around the given weights.
_PRIOR_PRECISION = 0.5
_STEPS = 50


def fit_logistic(
    inputs: Sequence[Sequence[float]], right: Sequence[bool], bias: float, weights: Sequence[float]
) -> tuple[float, tuple[float, ...]]:
    """Return the bias and the weights that best predict what is right.

    Args:
        inputs: The features of each case, [n, features].
        right: Whether each case is right.
        bias: The bias to stay near.
        weights: The weights to stay near.
    """
    prior = np.array([bias, *weights])
    rows = np.array([[1.0, *row] for row in inputs]).reshape(len(inputs), len(prior))
    labels = np.array(right, dtype=float)
    found = prior.copy()
    for _ in range(_STEPS):
        chances = _chances(rows, found)
        gradient = rows.T @ (labels - chances) - _PRIOR_PRECISION * (found - prior)
        hessian = (rows * (chances * (1.0 - chances))[:, None]).T @ rows + _PRIOR_PRECISION * np.eye(len(prior))
        change = np.linalg.solve(hessian, gradient)
        # A whole step can overshoot where most chances are near 0 or 1.
        while _loss(rows, labels, prior, found + change) > _loss(rows, labels, prior, found) + 1e-12:
            change /= 2.0
        found += change
        if float(np.abs(change).max()) < 1e-6:
            break
    first, *rest = (float(round(weight, 4)) for weight in found)
    return first, tuple(rest)


def _chances(rows: npt.NDArray[np.float64], weights: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    return 1.0 / (1.0 + np.exp(-rows @ weights))


def _loss(
    rows: npt.NDArray[np.float64],
    labels: npt.NDArray[np.float64],
    prior: npt.NDArray[np.float64],
    weights: npt.NDArray[np.float64],
) -> float:
    scores = rows @ weights
    misfit = np.logaddexp(0.0, scores).sum() - labels @ scores
    return float(misfit + 0.5 * _PRIOR_PRECISION * ((weights - prior) ** 2).sum())
