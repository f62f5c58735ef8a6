"""Estimate how far to trust a query that a language model wrote.

Models differ too much to calibrate this estimate once and for all. What holds for small and large ones: a query is far
likelier right if a plan, which was predicted without the model, has the same result.
"""

from collections.abc import Sequence
from datetime import date
from typing import Any

from graph.plan.algebra import Constant, HasKind, NodePattern, Plan, Property, RelationshipPattern, Slice
from graph.plan.result import PlanResult
from graph.plan.traversal import walk
from language.english.stems import stems_of
from language.marks import Mark
from language.question import Question
from language.values import QuestionValue, Recurring, ValueForm
from services.retriever.linking.selection import LinkedTopic
from services.retriever.plans.judging.plan_readings import PlanReading
from services.retriever.plans.judging.results import answers_of
from shared.text import normalise

HIGHEST = 0.7
_AFTER_REPAIR, _AFTER_REPLACEMENT, _UNREAD, _ZERO = 0.8, 0.9, 0.5, 0.4
_UNCONFIRMED, _CONTRADICTED = 0.6, 0.4
_LIKELY_TOPIC = 0.5


def query_confidence(
    question: Question, result: PlanResult, repairs: int, replacements: int, unread: Sequence[str]
) -> float:
    """Return a confidence that repairs, replaced names, and unread names or values of the question lower."""
    confidence = HIGHEST * _AFTER_REPAIR**repairs * _AFTER_REPLACEMENT**replacements * _UNREAD ** len(unread)
    is_zero = [*map(list, result.rows)] == [[0]]
    return confidence * (_ZERO if is_zero and not question.says(Mark.WHETHER) else 1.0)


def in_view_of_plans(confidence: float, result: PlanResult, readings: Sequence[PlanReading], threshold: float) -> float:
    """Return the confidence in a query, in view of how plans read the question.

    It is kept if a plan with the same result would be an answer itself, much lower if the likeliest plan would be
    another answer, and lower if neither is the case.
    """
    found = answers_of(result)
    agreeing = max((one.confidence for one in readings if answers_of(one.result) == found), default=0.0)
    if agreeing >= threshold:
        return max(confidence, agreeing)
    is_contradicted = any(one.confidence >= threshold for one in readings[:1])
    return confidence * (_CONTRADICTED if is_contradicted and not agreeing else _UNCONFIRMED)


def unread_parts(question: Question, plan: Plan, topics: Sequence[LinkedTopic]) -> list[str]:
    """Return the names and values of a question that a plan does not use, in the order of the question."""
    constants = [value for part in walk(plan) for value in _constants(part)]
    texts = [normalise(value) for value in constants if isinstance(value, str)]
    stems = frozenset(stem for part in walk(plan) for name in _schema_names(part) for stem in stems_of(name))
    spans: list[tuple[int, int, bool]] = []
    for topic in topics:
        if topic.mention and topic.score >= _LIKELY_TOPIC:
            start, end = topic.mention.start, topic.mention.end
            is_used = normalise(topic.entity.name) in texts or _is_text_used(question.text[start:end], texts, stems)
            spans.append((start, end, is_used))
    # A capital at the beginning of a question may make a text of several values.
    for value in sorted(question.stated, key=lambda value: value.form is ValueForm.TEXT):
        if not any(start < value.end and value.start < end for start, end, _ in spans):
            spans.append((value.start, value.end, _is_used(value, constants, texts, stems)))
    used = {(start, end) for start, end, is_used in spans if is_used}
    return list(dict.fromkeys(question.text[start:end] for start, end, _ in sorted(spans) if (start, end) not in used))


def _constants(part: Any) -> tuple[Any, ...]:
    if isinstance(part, Slice):
        return (part.limit,)
    if not isinstance(part, Constant):
        return ()
    return part.value if isinstance(part.value, tuple) else (part.value,)


def _schema_names(part: Any) -> tuple[str, ...]:
    match part:
        case NodePattern():
            return part.kinds
        case RelationshipPattern():
            return part.types
        case Property():
            return (part.key,)
        case HasKind():
            return (part.kind,)
    return ()


def _is_used(value: QuestionValue, constants: Sequence[Any], texts: Sequence[str], stems: frozenset[str]) -> bool:
    match value.form:
        case ValueForm.PERIOD if isinstance(value.value, Recurring):
            return (value.value.month or value.value.weekday) in constants
        case ValueForm.PERIOD:
            first, last = value.value
            return any(first.year <= year <= last.year + 1 for year in map(_year, constants) if year is not None)
        case ValueForm.NUMBER | ValueForm.DATE:
            return value.value in constants or _is_text_used(value.text, texts, frozenset())
        case ValueForm.YEAR:
            # A period after 1999 may begin with 2000.
            years = [year for year in map(_year, constants) if year is not None]
            return any(abs(year - value.value) <= 1 for year in years) or value.text in " ".join(texts)
    return _is_text_used(value.text, texts, stems)


def _year(constant: Any) -> int | None:
    if isinstance(constant, date):
        return constant.year
    return int(constant) if isinstance(constant, int | float) and not isinstance(constant, bool) else None


def _is_text_used(text: str, texts: Sequence[str], stems: frozenset[str]) -> bool:
    sought = normalise(text)
    if any(sought in known or (known and known in sought) for known in texts):
        return True
    return bool(words := stems_of(text)) and words <= stems
