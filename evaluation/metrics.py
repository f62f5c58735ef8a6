"""Score answers, from 0 to 1, against gold answers with `shared.exact_match`, which distinguishes `-11` from `11`."""

import math
from collections.abc import Collection, Sequence
from statistics import NormalDist

import numpy as np

from shared.exact_match import exact, named

_LEVEL = 0.95
_RESAMPLES = 1000
_CHUNK = 50
_SEED = 0


def strict_hit(answers: Sequence[str], gold: Collection[str]) -> bool:
    """Return whether the first answer is a gold answer or, if there are no gold answers, whether `answers` is empty."""
    if not gold or not answers:
        return not gold and not answers
    return exact(answers[0]) in _exact(gold)


def lenient_hit(text: str, gold: Collection[str]) -> bool:
    """Return whether the text contains a gold answer as whole words.

    RRA's hit@1 accepts any substring, so a one-letter answer counts as a hit if any word contains that letter.
    """
    return bool(named(text, gold))


def substring_hit(text: str, gold: Collection[str]) -> bool:
    """Return whether the lower-cased text contains a lower-cased gold answer anywhere, which is RRA's hit@1."""
    return any(answer.lower() in text.lower() for answer in gold)


def set_scores(answers: Collection[str], gold: Collection[str]) -> tuple[float, float, float]:
    """Return precision, recall, and F1 of an answer set: all 1 if both sets are empty, all 0 if only one is empty."""
    found, wanted = _exact(answers), _exact(gold)
    if not found or not wanted:
        return (float(found == wanted),) * 3
    correct = len(found & wanted)
    return correct / len(found), correct / len(wanted), 2 * correct / (len(found) + len(wanted))


def percentile(values: Sequence[float], share: float) -> float:
    """Return the smallest value that at least `share` (0..1) of the values do not exceed, or 0 if `values` is empty."""
    ordered = sorted(values)
    if not ordered:
        return 0.0
    rank = max(1, -(-len(ordered) * share // 1))
    return ordered[int(rank) - 1]


def interval_of_mean(values: Sequence[float]) -> tuple[float, float]:
    """Return the 95 % confidence interval for the mean of `values`, one value per question.

    If every value is 0 or 1, this is Wilson's interval (1927). Otherwise it is the percentile bootstrap interval (Efron
    1979), whose width is zero if all values are equal. The resampling is seeded, so the same values always give the
    same interval. Raises ValueError if there are no values.
    """
    if not values:
        raise ValueError("no values to resample")
    if set(values) <= {0.0, 1.0}:
        return _wilson(sum(values), len(values))
    measured = np.asarray(values, dtype=np.float64)
    random = np.random.default_rng(_SEED)
    draws = (random.integers(0, len(measured), (_CHUNK, len(measured))) for _ in range(_RESAMPLES // _CHUNK))
    means = np.concatenate([measured[draw].mean(axis=1) for draw in draws])
    low, high = np.quantile(means, [(1 - _LEVEL) / 2, (1 + _LEVEL) / 2])
    return float(low), float(high)


def _wilson(hits: float, of: int) -> tuple[float, float]:
    share, z = hits / of, NormalDist().inv_cdf((1 + _LEVEL) / 2)
    middle = share + z * z / (2 * of)
    half = z * math.sqrt(share * (1 - share) / of + z * z / (4 * of * of))
    scale = 1 + z * z / of
    return max(0.0, (middle - half) / scale), min(1.0, (middle + half) / scale)


def _exact(names: Collection[str]) -> set[str]:
    return {exact(name) for name in names}
