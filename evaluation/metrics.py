"""How an answer is judged against gold, by `shared.exact_match`: `-11` is not `11`. All scores lie in 0..1."""

from collections.abc import Collection, Sequence

from shared.exact_match import exact, named


def strict_hit(answers: Sequence[str], gold: Collection[str]) -> bool:
    """The first answer, whole, is a gold answer. Without gold answers: nothing is answered."""
    if not gold or not answers:
        return not gold and not answers
    return exact(answers[0]) in _exact(gold)


def lenient_hit(text: str, gold: Collection[str]) -> bool:
    """The text contains a gold answer as whole words.

    RRA's hit@1 tests for any substring, which counts an answer of one letter as a hit inside any word.
    """
    return bool(named(text, gold))


def says_right(text: str, gold: Collection[str], unknown: str) -> bool:
    """A lenient hit; without gold answers: the text is what one says who does not know (`unknown`)."""
    return lenient_hit(text, gold) if gold else exact(text) == exact(unknown)


def set_scores(answers: Collection[str], gold: Collection[str]) -> tuple[float, float, float]:
    """Precision, recall and F1 of the answer set; all 1 if both sets are empty, all 0 if one is."""
    found, wanted = _exact(answers), _exact(gold)
    if not found or not wanted:
        return (float(found == wanted),) * 3
    right = len(found & wanted)
    return right / len(found), right / len(wanted), 2 * right / (len(found) + len(wanted))


def percentile(values: Sequence[float], share: float) -> float:
    """The smallest value that at least `share` (0..1) of the values do not exceed; 0 without values."""
    ordered = sorted(values)
    if not ordered:
        return 0.0
    rank = max(1, -(-len(ordered) * share // 1))
    return ordered[int(rank) - 1]


def _exact(names: Collection[str]) -> set[str]:
    return {exact(name) for name in names}
