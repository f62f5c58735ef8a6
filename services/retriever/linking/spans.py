"""Comparing thousands of mentions with each other by where they stand, without looking at every pair."""

from bisect import bisect_left
from collections.abc import Iterable
from itertools import accumulate

from services.retriever.linking.mentions import Mention


class Stretches:
    """Where some mentions stand in a question; each test takes a binary search."""

    def __init__(self, mentions: Iterable[Mention]) -> None:
        spans = sorted({(mention.start, mention.end) for mention in mentions})
        ends = [end for _, end in spans]
        self._starts = [start for start, _ in spans]
        self._last_end_before = [0, *accumulate(ends, max)]
        self._first_end_from = list(accumulate(reversed(ends), min))[::-1]

    def overlap(self, mention: Mention) -> bool:
        """Whether one of them shares a character with the mention."""
        return self._last_end_before[bisect_left(self._starts, mention.end)] > mention.start

    def lie_within(self, mention: Mention) -> bool:
        """Whether one of them lies inside the mention, or is as long."""
        place = bisect_left(self._starts, mention.start)
        return place < len(self._starts) and self._first_end_from[place] <= mention.end
