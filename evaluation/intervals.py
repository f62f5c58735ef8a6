"""Compute confidence intervals for means over questions."""

import math
from collections.abc import Sequence
from statistics import NormalDist

import numpy as np

_LEVEL = 0.95
_RESAMPLES = 1000
_CHUNK = 50
_SEED = 0


def interval_of_mean(values: Sequence[float]) -> tuple[float, float]:
    """Return the 95 % confidence interval for the mean of `values`, one value per question.

    If every value is 0 or 1, this is Wilson's interval (1927). Otherwise it is the percentile bootstrap interval (Efron
    1979), whose width is zero if all values are equal. The resampling is seeded, so that the same values always give
    the same interval.

    Raises:
        ValueError: there are no values.
    """
    if not values:
        raise ValueError("no values to resample")
    if set(values) <= {0.0, 1.0}:
        return _wilson(sum(values), len(values))
    measured = np.asarray(values, dtype=np.float64)
    random = np.random.default_rng(_SEED)
    means = np.concatenate(
        [
            measured[random.integers(0, len(measured), (_CHUNK, len(measured)))].mean(axis=1)
            for _ in range(_RESAMPLES // _CHUNK)
        ]
    )
    low, high = np.quantile(means, [(1 - _LEVEL) / 2, (1 + _LEVEL) / 2])
    return float(low), float(high)


def _wilson(hits: float, of: int) -> tuple[float, float]:
    share, z = hits / of, NormalDist().inv_cdf((1 + _LEVEL) / 2)
    middle = share + z * z / (2 * of)
    half = z * math.sqrt(share * (1 - share) / of + z * z / (4 * of * of))
    scale = 1 + z * z / of
    return max(0.0, (middle - half) / scale), min(1.0, (middle + half) / scale)
