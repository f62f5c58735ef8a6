"""Compare texts with human references: BLEU and chrF of a corpus with several references for each text."""

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence

_BLEU_ORDER, _CHRF_ORDER, _BETA = 4, 6, 2.0
_TOKEN = re.compile(r"\w+|[^\w\s]")


def bleu(texts: Sequence[str], references: Sequence[Sequence[str]]) -> float:
    """Return the BLEU score of a corpus, from 0 to 100, on lower-case words and punctuation marks.

    The brevity penalty compares each text with the reference of the closest length.
    """
    matched, total = [0] * _BLEU_ORDER, [0] * _BLEU_ORDER
    length = closest = 0
    for text, written in zip(texts, references, strict=True):
        said, others = words_and_marks(text), [words_and_marks(one) for one in written]
        length += len(said)
        closest += min((abs(len(one) - len(said)), len(one)) for one in others)[1]
        for order in range(1, _BLEU_ORDER + 1):
            found = _ngrams(said, order)
            most: Counter[tuple[str, ...]] = Counter()
            for one in others:
                most |= _ngrams(one, order)
            matched[order - 1] += (found & most).total()
            total[order - 1] += found.total()
    if min(matched) == 0:
        return 0.0
    precision = sum(math.log(hits / all_) for hits, all_ in zip(matched, total, strict=True)) / _BLEU_ORDER
    return 100 * math.exp(precision + min(0.0, 1 - closest / length))


def chrf(texts: Sequence[str], references: Sequence[Sequence[str]]) -> float:
    """Return the chrF2 score of a corpus, from 0 to 100: each text is compared with its best reference."""
    sums = [(0, 0, 0)] * _CHRF_ORDER
    for text, written in zip(texts, references, strict=True):
        best = max((_char_counts(text, one) for one in written), key=_f_score)
        sums = [_added(one, other) for one, other in zip(sums, best, strict=True)]
    return 100 * _f_score(sums)


def words_and_marks(text: str) -> list[str]:
    """Return the lower-case words and the punctuation marks of a text."""
    return _TOKEN.findall(text.lower())


def _ngrams(items: Sequence[str], order: int) -> Counter[tuple[str, ...]]:
    return Counter(tuple(items[at : at + order]) for at in range(len(items) - order + 1))


def _char_counts(text: str, reference: str) -> list[tuple[int, int, int]]:
    """Return the shared n-grams, those of the text, and those of the reference, for each order."""
    said, written = "".join(text.split()), "".join(reference.split())
    counts = []
    for order in range(1, _CHRF_ORDER + 1):
        one, other = _ngrams(said, order), _ngrams(written, order)
        counts.append(((one & other).total(), one.total(), other.total()))
    return counts


def _f_score(counts: Iterable[tuple[int, int, int]]) -> float:
    """Return the mean over the orders of the F score that weighs recall `_BETA` times as much as precision."""
    known = [(shared, said, written) for shared, said, written in counts if said and written]
    if not known:
        return 0.0
    precision = sum(shared / said for shared, said, _ in known) / len(known)
    recall = sum(shared / written for shared, _, written in known) / len(known)
    weight = _BETA**2
    return (1 + weight) * precision * recall / (weight * precision + recall) if precision + recall else 0.0


def _added(one: tuple[int, int, int], other: tuple[int, int, int]) -> tuple[int, int, int]:
    return one[0] + other[0], one[1] + other[1], one[2] + other[2]
