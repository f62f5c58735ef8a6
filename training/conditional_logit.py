"""Fit a conditional logit (McFadden 1974): which of the alternatives of a case is right."""

from collections.abc import Collection, Sequence

import numpy as np
import numpy.typing as npt

_PRIOR_PRECISION = 3.0
_STEPS = 400
_RATE = 0.02
_MOMENTUM, _SCALE = 0.9, 0.999  # of Adam (Kingma and Ba 2015)

Alternatives = tuple[Sequence[Sequence[float]], Sequence[bool]]
"""The features of the alternatives of a case, [n, features], and which of them are right."""


def fit_conditional_logit(
    cases: Sequence[Alternatives], weights: Sequence[float], at_most_zero: Collection[int] = ()
) -> tuple[float, ...]:
    """Return the weights that best rank right alternatives first.

    Args:
        cases: The cases; those whose alternatives are all right or all wrong say nothing.
        weights: The weights to stay near.
        at_most_zero: The features whose weights must not be positive.
    """
    told = [(np.array(inputs), np.array(right, dtype=float)) for inputs, right in cases if 0 < sum(right) < len(right)]
    prior = np.array(weights, dtype=float)
    bounded = sorted(at_most_zero)
    found, mean, square = prior.copy(), np.zeros_like(prior), np.zeros_like(prior)
    for step in range(1, _STEPS + 1):
        gradient = _PRIOR_PRECISION * (found - prior) + sum((_gradient(*case, found) for case in told), 0.0)
        mean = _MOMENTUM * mean + (1 - _MOMENTUM) * gradient
        square = _SCALE * square + (1 - _SCALE) * gradient**2
        scale = np.sqrt(square / (1 - _SCALE**step)) + 1e-8
        found = found - _RATE * mean / (1 - _MOMENTUM**step) / scale
        found[bounded] = np.minimum(found[bounded], 0.0)
    return tuple(float(round(weight, 4)) for weight in found)


def _gradient(
    inputs: npt.NDArray[np.float64], right: npt.NDArray[np.float64], weights: npt.NDArray[np.float64]
) -> npt.NDArray[np.float64]:
    """Return the gradient of minus the logarithm of the probability that a right alternative is chosen."""
    scores = inputs @ weights
    chances = np.exp(scores - scores.max())
    wanted = chances * right
    gradient: npt.NDArray[np.float64] = inputs.T @ (chances / chances.sum() - wanted / wanted.sum())
    return gradient
