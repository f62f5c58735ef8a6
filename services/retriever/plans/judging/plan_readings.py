"""Judge the plans that ran for a question: which of them say the same, which comes first, and how far to trust it."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from graph.plan.algebra import Plan
from graph.plan.result import PlanResult
from graph.plan.values import NodeRef
from language.english.attributes import leaves_attribute
from language.english.operators import operator_spans
from language.english.opposites import says_opposite
from language.english.question_form import asks_definition
from language.english.stems import question_words
from language.question import Question
from language.values import QuestionValue
from services.retriever.plans.accounting.unread import (
    Part,
    Unread,
    says_something,
    unread_share,
    unread_words,
    unsupported_elements,
    unused_values,
)
from services.retriever.plans.assembly.plan_structure import MEANINGLESS, element_names, structure_of
from services.retriever.plans.grammar.actions import Action, Op
from services.retriever.plans.judging.contradictions import contradicts
from services.retriever.plans.judging.held_back import completeness, held_back
from services.retriever.plans.judging.implausible import counts_once, lacks_rows
from services.retriever.plans.judging.measures import measures_another
from services.retriever.plans.judging.results import answers_of, finds_nothing
from services.retriever.plans.names.shared_nouns import reads_one_of_several, reads_other_kind
from services.retriever.plans.predictor.plan_confidence import MUCH_LESS, PlanCalibration, PlanFeatures
from services.retriever.plans.predictor.search import PredictedActions
from services.retriever.plans.rewriting.asked_kind import are_others, asked_kinds, leaves_modifier, placed_kinds
from services.retriever.plans.schema.schema_elements import SchemaElements

_SOME_ROWS = 50  # that show of which kinds the nodes of a result are


@dataclass(frozen=True, slots=True)
class PlanReading:
    """Hold a reading of a question as a plan, with its result.

    Attributes:
        plan: The plan that ran, without the limit on its rows.
        read: The plan as it was read, which names inferred kinds if the graph has none of its own.
        result: Its result.
        confidence: The probability that the result answers the question.
        share: The model's probability of the plans that give this result.
        unread: The words of the question that the plan does not account for.
        mentions: The names in the question that the plan uses, as the question has them.
        features: What the confidence is based on.
        completeness: The factor by which the reading ranks lower because of words it leaves unread, from 0 to 1.
        is_overtaken: Whether a more probable plan took too long to run, so that nobody knows what it gives.
        tied: The plan that gives the result, if several rows tie for the only one that `plan` takes.
    """

    plan: Plan
    read: Plan
    result: PlanResult
    confidence: float
    share: float
    unread: tuple[str, ...]
    mentions: tuple[str, ...]
    features: PlanFeatures
    completeness: float = 1.0
    is_overtaken: bool = False
    tied: Plan | None = None


@dataclass(frozen=True, slots=True)
class RanPlan:
    """Hold a predicted plan with its result; `read`, `plan`, and `tied` are those of `PlanReading`."""

    found: PredictedActions
    read: Plan
    plan: Plan
    result: PlanResult
    tied: Plan | None = None


@dataclass(frozen=True, slots=True)
class _Accounted:
    """Hold a plan with what it leaves unread, and whether it is wrong whatever its probability."""

    ran: RanPlan
    unread: Sequence[Unread]
    is_wrong: bool

    @property
    def completeness(self) -> float:
        return completeness(self.unread, self.is_wrong)


def judge(
    question: Question,
    values: Sequence[QuestionValue],
    elements: SchemaElements,
    ran: Sequence[RanPlan],
    calibration: PlanCalibration,
    ranking: PlanCalibration | None,
) -> list[PlanReading]:
    """Return the readings that plans with different results are, best first.

    Of plans with equal results, only the most complete ones count, and the most probable of these stands for them.

    Args:
        question: The question.
        values: The values that the question states.
        elements: The schema elements that the plans name.
        ran: The plans, the most probable first.
        calibration: How the confidence follows from the features of a reading.
        ranking: How readings are ordered; by their probability if it is missing.
    """
    groups: dict[object, list[_Accounted]] = {}
    for one in ran:
        groups.setdefault(answers_of(one.result), []).append(_accounted(question, values, elements, one))
    standing = {key: _most_complete(group) for key, group in groups.items()}
    mass = {key: sum(math.exp(one.ran.found.log_probability) for one in group) for key, group in standing.items()}
    asked = asked_kinds(question, elements)
    found = [mass[key] for key, (one, *_) in standing.items() if not finds_nothing(question, one.ran.result)]
    improbable = MUCH_LESS * max(found, default=0.0)
    readings = []
    for key, (chosen, *_) in standing.items():
        others = [mass[other] for other in groups if other != key]
        features = _features(question, values, elements, asked, chosen, mass[key], others)
        readings.append(_reading(chosen, features, values, elements, calibration, mass[key] < improbable))
    readings.sort(key=lambda one: _rank(one, ranking))
    return _with_remainders(readings)


def _accounted(
    question: Question, values: Sequence[QuestionValue], elements: SchemaElements, ran: RanPlan
) -> _Accounted:
    structure, actions = structure_of(ran.read, elements.name_keys, elements.date_keys), ran.found.actions
    unread = unread_words(question, actions, values, elements, structure)
    is_wrong = (
        not structure.isdisjoint(MEANINGLESS)
        or contradicts(question, values, ran.read, ran.result, elements)
        or measures_another(question, values, ran.read, actions, elements)
        or reads_other_kind(question, ran.read, elements)
        or _reads_nothing(question, actions, unread)
        or asks_definition(question)
        or _gives_what_is_placed(question, ran.result, elements)
        or says_opposite(question, element_names(ran.read, elements.name_keys))
    )
    if reads_one_of_several(question, ran.read, elements) or _leaves_noun(question, unread, elements):
        unread = [*unread, Unread("", Part.NAME)]
    return _Accounted(ran, unread, is_wrong)


def _leaves_noun(question: Question, unread: Sequence[Unread], elements: SchemaElements) -> bool:
    """Return whether a plan leaves a noun unread that its answer depends on, or a word that restricts one."""
    missed = {word for one in unread if one.part is Part.WORD for word in one.text.lower().split()}
    return leaves_modifier(question, missed, elements) or leaves_attribute(question, missed)


def _gives_what_is_placed(question: Question, result: PlanResult, elements: SchemaElements) -> bool:
    """Return whether a plan gives what the question asks the place of."""
    placed, found = placed_kinds(question, elements), _kinds_of(result)
    return bool(placed and found) and not any(placed.isdisjoint(one) for one in found)


def _reads_nothing(question: Question, actions: Sequence[Action], unread: Sequence[Unread]) -> bool:
    """Return whether a plan reads no word of a question, such as a greeting."""
    texts = {one.text for one in unread}
    if any(action.op is Op.VALUE for action in actions) or any(
        question[start:end] not in texts for start, end in operator_spans(question)
    ):
        return False
    missed = {word for text in texts for word in text.split()}
    return all(
        question[start:end] in missed
        for start, end, _ in question_words(question)
        if says_something(question[start:end])
    )


def _most_complete(group: Sequence[_Accounted]) -> list[_Accounted]:
    most = max(one.completeness for one in group)
    return [one for one in group if one.completeness == most]


def _features(
    question: Question,
    values: Sequence[QuestionValue],
    elements: SchemaElements,
    asked: frozenset[str],
    chosen: _Accounted,
    share: float,
    others: Sequence[float],
) -> PlanFeatures:
    """Return the features of a reading with the probability `share`; those of the `others` follow."""
    found, result = chosen.ran.found, chosen.ran.result
    return PlanFeatures(
        share=share,
        best=math.exp(found.log_probability),
        weakest=math.exp(found.weakest),
        runner_up=max(others, default=0.0),
        total=share + sum(others),
        unread_share=unread_share(question, [one.text for one in chosen.unread]),
        unread_words=len(chosen.unread),
        unused_values=unused_values(question, found.actions, values),
        unsupported=unsupported_elements(question, found.actions, elements),
        readings=1 + len(others),
        rows=len(result.rows),
        is_empty=finds_nothing(question, result),
        actions=len(found.actions),
        is_other_kind=are_others(asked, _kinds_of(result)),
    )


def _reading(
    chosen: _Accounted,
    features: PlanFeatures,
    values: Sequence[QuestionValue],
    elements: SchemaElements,
    calibration: PlanCalibration,
    is_improbable: bool,
) -> PlanReading:
    ran = chosen.ran
    return PlanReading(
        plan=ran.plan,
        read=ran.read,
        result=ran.result,
        confidence=held_back(calibration.probability(features), chosen.unread, chosen.is_wrong, is_improbable),
        share=features.share,
        unread=tuple(one.text for one in chosen.unread if one.text),
        mentions=_mentions(ran.found.actions, values, elements),
        features=features,
        completeness=chosen.completeness,
        tied=ran.tied,
    )


def _rank(reading: PlanReading, ranking: PlanCalibration | None) -> tuple[float, ...]:
    """Return what readings are sorted by, best first; people seldom ask for what, or for more than, is there."""
    score = reading.share if ranking is None else ranking.probability(reading.features)
    has_too_few = lacks_rows(reading.read, reading.result)
    is_trivial = counts_once(reading.read, reading.result)
    return float(reading.features.is_empty), float(has_too_few), float(is_trivial), -score * reading.completeness


def _kinds_of(result: PlanResult) -> list[tuple[str, ...]]:
    """Return the kinds of the nodes in the first column."""
    return [row[0].kinds for row in result.rows[:_SOME_ROWS] if isinstance(row[0], NodeRef)]


def _mentions(actions: Sequence[Action], values: Sequence[QuestionValue], elements: SchemaElements) -> tuple[str, ...]:
    """Return the texts of the values that a plan uses as names of nodes."""
    used = [values[action.number] for action in actions if action.op is Op.VALUE]
    return tuple(dict.fromkeys(value.text for value in used if not elements.name_numbers.isdisjoint(value.stored)))


def _with_remainders(readings: Sequence[PlanReading]) -> list[PlanReading]:
    """Divide what the best reading leaves of the probability among the others."""
    if not readings:
        return []
    rest = sum(one.share for one in readings[1:]) or 1.0
    left = 1.0 - readings[0].confidence
    return [readings[0], *(replace(one, confidence=min(left * one.share / rest, one.share)) for one in readings[1:])]
