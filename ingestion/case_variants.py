"""Find names that differ only in upper and lower case."""

from collections import defaultdict
from collections.abc import Collection

import numpy as np


def case_variants(names: Collection[str]) -> list[tuple[str, ...]]:
    """Return the groups of names that are equal if their case is ignored, in the order of the names.

    Takes eight bytes of memory for each name that has no variant.

    Example:
        >>> case_variants(["Oslo", "Rome", "OSLO"])
        [('Oslo', 'OSLO')]
    """
    hashes = np.fromiter((hash(name.casefold()) for name in names), np.int64, len(names))
    values, counts = np.unique(hashes, return_counts=True)
    repeated = set(values[counts > 1].tolist())
    groups: dict[str, list[str]] = defaultdict(list)
    for name, hash_ in zip(names, hashes.tolist(), strict=True):
        if hash_ in repeated:
            groups[name.casefold()].append(name)
    return [tuple(group) for group in groups.values() if len(group) > 1]
