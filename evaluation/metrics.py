"""Score answers against gold answers, by `shared.exact_match`: `-11` is not `11`. All scores are within 0..1."""

from collections.abc import Collection, Sequence

from shared.exact_match import exact, named


def strict_hit(answers: Sequence[str], gold: Collection[str]) -> bool:
    """Return whether the first answer equals a gold answer; without gold answers, whether there is no answer."""
    if not gold or not answers:
        return not gold and not answers
    return exact(answers[0]) in _exact(gold)


def lenient_hit(text: str, gold: Collection[str]) -> bool:
    """Return whether the text contains a gold answer as whole words.

    RRA's hit@1 tests for any substring, which counts an answer of one letter as a hit inside any word.
    """
    return bool(named(text, gold))


def text_hit(text: str, gold: Collection[str], unknown: str) -> bool:
    """Return whether the text is a lenient hit; without gold answers, whether it equals `unknown`."""
    return lenient_hit(text, gold) if gold else exact(text) == exact(unknown)


def set_scores(answers: Collection[str], gold: Collection[str]) -> tuple[float, float, float]:
    """Return precision, recall, and F1 of an answer set; all 1 if both sets are empty, all 0 if one is."""
    found, wanted = _exact(answers), _exact(gold)
    if not found or not wanted:
        return (float(found == wanted),) * 3
    correct = len(found & wanted)
    return correct / len(found), correct / len(wanted), 2 * correct / (len(found) + len(wanted))


def percentile(values: Sequence[float], share: float) -> float:
    """Return the smallest value that at least `share` (0..1) of the values do not exceed; 0 without values."""
    ordered = sorted(values)
    if not ordered:
        return 0.0
    rank = max(1, -(-len(ordered) * share // 1))
    return ordered[int(rank) - 1]


def _exact(names: Collection[str]) -> set[str]:
    return {exact(name) for name in names}
