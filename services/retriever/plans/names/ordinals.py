"""Find the ordinal of a question: `the third largest` is the row with the number 3."""

from collections.abc import Sequence

from language.marks import Mark
from language.question import Question
from language.values import QuestionValue, ValueForm

_PERIODS = (ValueForm.DATE, ValueForm.PERIOD, ValueForm.YEAR)


def ordinal_of(question: Question, values: Sequence[QuestionValue]) -> tuple[int, int, int] | None:
    """Return where the only ordinal of a question begins and ends, and its number; those in names and dates are none.

    Example:
        >>> ordinal_of(english("Which is the 3rd largest city?"), [])
        (13, 16, 3)
    """
    taken = [(one.start, one.end) for one in values if one.form in _PERIODS or any(map(_is_text, one.stored.values()))]
    found = [
        one
        for one in question.all(Mark.ORDINAL)
        if not any(start < one.end and one.start < end for start, end in taken)
    ]
    if len(found) != 1:
        return None
    [one] = found
    *words, digits = one.parts
    number = int(digits) if digits else 2 + next(place for place, word in enumerate(words) if word)
    return one.start, one.end, number


def _is_text(value: object) -> bool:
    return isinstance(value, str)
