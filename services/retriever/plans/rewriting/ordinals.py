"""Read ordinals: `the third largest` is one row, and not the first three."""

import re
from collections.abc import Sequence
from dataclasses import replace

from graph.plan.algebra import Order, Plan, Slice
from language.values import QuestionValue, ValueForm

_WORDS = ("second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
_ORDINAL = re.compile(
    rf"(?<!per )\b(?:(?P<word>{'|'.join(_WORDS)})|(?P<number>[2-9]|[1-9]\d)(?:st|nd|rd|th))\b"
    r"(?![ -](?:to )?(?:the )?last)",
    re.IGNORECASE,
)
_PERIODS = (ValueForm.DATE, ValueForm.PERIOD, ValueForm.YEAR)


def ordinal_of(question: str, values: Sequence[QuestionValue]) -> tuple[int, int, int] | None:
    """Return where the only ordinal of a question begins and ends, and its number; those in names and dates are none.

    Example:
        >>> ordinal_of("Which is the 3rd largest city?", [])
        (13, 16, 3)
    """
    taken = [(one.start, one.end) for one in values if one.form in _PERIODS or any(map(_is_text, one.stored.values()))]
    found = [
        one
        for one in _ORDINAL.finditer(question)
        if not any(start < one.end() and one.start() < end for start, end in taken)
    ]
    if len(found) != 1:
        return None
    [one] = found
    number = int(one["number"]) if one["number"] else 2 + _WORDS.index(one["word"].lower())
    return one.start(), one.end(), number


def as_ranked(plan: Plan, question: str, values: Sequence[QuestionValue]) -> Plan:
    """Return a plan that gives the one row that an ordinal asks for, if the plan orders rows and takes the first ones.

    Args:
        plan: A predicted plan.
        question: The question.
        values: The values that the question states.
    """
    ordinal = ordinal_of(question, values)
    orders = [place for place, step in enumerate(plan.steps) if isinstance(step, Order)]
    cuts = [place for place, step in enumerate(plan.steps) if isinstance(step, Slice)]
    if ordinal is None or len(orders) != 1 or len(cuts) != 1:
        return plan
    [cut], number = cuts, ordinal[2]
    step = plan.steps[cut]
    if not isinstance(step, Slice) or step.per or step.limit not in (1, number):
        return plan
    return Plan((*plan.steps[:cut], replace(step, limit=1, offset=number - 1), *plan.steps[cut + 1 :]))


def _is_text(value: object) -> bool:
    return isinstance(value, str)
