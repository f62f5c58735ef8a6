"""Find the operators that are parts of names, such as `count` in `view count`, where a plan uses what they name."""

from collections.abc import Set

from language.marks import Mark
from language.question import Question
from services.retriever.plans.schema.similar_words import SIMILAR

_Span = tuple[int, int]


def phrases_of_names(question: Question, named: Set[str], numbers: Set[str]) -> list[_Span]:
    """Return the spans of words that belong to the names of schema elements.

    Args:
        question: The question.
        named: The stems of the words of the elements that a plan uses.
        numbers: The stems of the words of its numeric properties: a plan with `unitsInStock` reads `number of units`.
    """
    words = question.words
    starts, ends = {start: root for start, _, root in words}, {end: root for _, end, root in words}
    inside = [
        (start, end)
        for place, (start, end, root) in enumerate(words)
        if is_named(root, named)
        and any(
            is_named(near, named) for _, _, near in (*words[max(0, place - 1) : place], *words[place + 1 : place + 2])
        )
    ]
    before = [
        (one.start, one.end) for one in question.all(Mark.NUMBER_OF) if is_named(starts.get(one.end, ""), numbers)
    ]
    after = [
        (one.start, one.end) for one in question.all(Mark.NUMBER_BEHIND) if is_named(ends.get(one.start - 1, ""), named)
    ]
    return inside + before + after


def is_named(root: str, named: Set[str]) -> bool:
    """Return whether a word with a stem may stand for one of the words with some other stems."""
    if root in named or not named.isdisjoint(SIMILAR.get(root, ())):
        return True
    return any(len(root) > 3 and len(one) > 3 and (root.startswith(one) or one.startswith(root)) for one in named)
