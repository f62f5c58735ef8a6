"""Bootstrap intervals: how far a figure would move if other questions of the same kind had been asked."""

from collections.abc import Sequence

import numpy as np

_RESAMPLES = 1000
_CHUNK = 50
_SEED = 0


def bootstrap_interval(values: Sequence[float], level: float = 0.95) -> tuple[float, float]:
    """The percentile interval (Efron 1979) of the mean of `values`, one a question; the same values give the same one.

    Raises ValueError without values.
    """
    if not values:
        raise ValueError("no values to resample")
    measured = np.asarray(values, dtype=np.float64)
    random = np.random.default_rng(_SEED)
    means = np.concatenate(
        [
            measured[random.integers(0, len(measured), (_CHUNK, len(measured)))].mean(axis=1)
            for _ in range(_RESAMPLES // _CHUNK)
        ]
    )
    low, high = np.quantile(means, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)
