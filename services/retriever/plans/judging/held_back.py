"""Hold the confidence back in plans that leave words of the question unread, or are wrong in themselves."""

from collections.abc import Sequence

from services.retriever.plans.accounting.unread import Part, Unread

_WITHOUT_OPERATOR = 0.1
_MOST_IF_DOUBTED = 0.45


def held_back(
    confidence: float, unread: Sequence[Unread], is_wrong: bool = False, is_improbable: bool = False
) -> float:
    """Return the confidence in a plan that leaves words of the question unread, or is improbable.

    Without an operator or a constraint, a plan answers another question; one that contradicts the question, or means
    nothing, `is_wrong` in itself.
    Without another name, a value, or a schema element that the question names, its answer may still be right, but is
    never likelier right than wrong. So it is if another plan with a result is far more probable.
    """
    parts = {one.part for one in unread}
    if is_wrong or not parts.isdisjoint((Part.OPERATOR, Part.CONSTRAINT)):
        return _WITHOUT_OPERATOR * confidence
    is_doubted = is_improbable or not parts.isdisjoint((Part.NAME, Part.ELEMENT))
    return min(confidence, _MOST_IF_DOUBTED) if is_doubted else confidence


def completeness(unread: Sequence[Unread], is_wrong: bool = False) -> float:
    """Return the factor by which a plan ranks lower if it is incomplete or wrong, from 0 to 1."""
    is_lacking = is_wrong or any(one.part is not Part.WORD for one in unread)
    return _WITHOUT_OPERATOR if is_lacking else 1.0
