"""Judge the plans that ran for a question: which of them say the same, which comes first, and how far to trust it."""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

from graph.plan.algebra import Plan
from graph.plan.result import PlanResult
from language.marks import Mark
from services.retriever.plans.accounting.unread import (
    Part,
    Unread,
    unread_share,
    unread_words,
    unsupported_elements,
    unused_values,
)
from services.retriever.plans.assembly.plan_structure import structure_of
from services.retriever.plans.grammar.actions import Action, Op
from services.retriever.plans.judging.doubt import Candidate, Doubt, Effect
from services.retriever.plans.judging.kinds import kinds_of
from services.retriever.plans.judging.registry import doubts_without
from services.retriever.plans.judging.results import answers_of, finds_nothing
from services.retriever.plans.names.asked_kind import are_others
from services.retriever.plans.names.asked_question import AskedQuestion
from services.retriever.plans.predictor.plan_confidence import CONFIRMED_RANK, PlanCalibration, PlanFeatures
from services.retriever.plans.predictor.search import PredictedActions

_INCOMPLETE = 0.1
"""The factor by which a plan ranks lower if it is wrong, or leaves more than a word unread."""
_BEYOND = 0.1
"""The share of its confidence that a plan keeps if the question asks for what no plan can compute, such as a median."""


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
        respelled: The words that the question misspells, with what they were read as.
        asks_whether: Whether a count is to be told as yes or no, since such a question was confirmed.
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
    asks_whether: bool = False
    respelled: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RanPlan:
    """Hold a predicted plan with its result; `read`, `plan`, and `tied` are those of `PlanReading`."""

    found: PredictedActions
    read: Plan
    plan: Plan
    result: PlanResult
    tied: Plan | None = None


@dataclass(frozen=True, slots=True)
class _Judged:
    """Hold a plan with how doubts look at it, and what the judge gives it; the reading follows when all are known.

    `share` is the probability of all plans that count for its result.
    """

    ran: RanPlan
    candidate: Candidate
    is_wrong: bool
    completeness: float
    share: float = 1.0
    judged_share: float = 1.0
    is_confirmed: bool = False

    @property
    def score(self) -> float:
        return self.ran.found.judged or 0.0

    @property
    def parts(self) -> set[Part]:
        return {each.part for each in self.candidate.unread}


def judge(
    asked: AskedQuestion,
    ran: Sequence[RanPlan],
    calibration: PlanCalibration,
    ranking: PlanCalibration | None,
    without: Collection[str] = (),
) -> list[PlanReading]:
    """Return the readings that plans with different results are, best first.

    Of plans with equal results, only the most complete ones count, and the most probable of these stands for them.

    Args:
        asked: The question.
        ran: The plans, the most probable first.
        calibration: How the confidence follows from the features of a reading.
        ranking: How readings are ordered; by their probability if it is missing.
        without: The names of doubts that do not count.
    """
    doubts = doubts_without(without)
    chosen = _with_judged_shares(_chosen([_judged(one, asked, doubts) for one in ran]))
    readings = [(one.candidate, _reading(one, chosen, asked, calibration)) for one in chosen]
    readings.sort(key=lambda one: _rank(one[0], one[1], asked, doubts, ranking))
    return _with_remainders([reading for _, reading in readings])


def _judged(ran: RanPlan, asked: AskedQuestion, doubts: Sequence[Doubt]) -> _Judged:
    elements, actions = asked.elements, ran.found.actions
    structure = structure_of(ran.read, elements.name_keys, elements.date_keys)
    unread = unread_words(asked.question, actions, asked.values, elements, structure)
    asks_whether = ran.found.asks_whether or asked.question.says(Mark.WHETHER)
    candidate = Candidate(actions, ran.read, ran.result, structure, unread, asks_whether)
    is_wrong = bool(_held(doubts, Effect.WRONG, candidate, asked))
    if _held(doubts, Effect.INCOMPLETE, candidate, asked):
        candidate = replace(candidate, unread=[*unread, Unread("", Part.NAME)])
    is_lacking = is_wrong or any(one.part is not Part.WORD for one in candidate.unread)
    return _Judged(ran, candidate, is_wrong, _INCOMPLETE if is_lacking else 1.0)


def _held(doubts: Sequence[Doubt], effect: Effect, candidate: Candidate, asked: AskedQuestion) -> list[Doubt]:
    """Return the doubts with an effect that hold."""
    return [one for one in doubts if one.effect is effect and one.holds(candidate, asked)]


def _chosen(judged: Sequence[_Judged]) -> list[_Judged]:
    """Return the plan that stands for each result, with the probability of all plans that count for it."""
    groups: dict[object, list[_Judged]] = {}
    for one in judged:
        groups.setdefault(answers_of(one.ran.result), []).append(one)
    return [
        replace(
            group[0],
            share=sum(math.exp(one.ran.found.log_probability) for one in group),
            is_confirmed=any(one.ran.found.confirmed for one in group),
        )
        for group in map(_most_complete, groups.values())
    ]


def _with_judged_shares(chosen: Sequence[_Judged]) -> list[_Judged]:
    """Return plans with the judge's probability of each, if one of them, or none, is right."""
    if any(one.ran.found.judged is None for one in chosen):
        return list(chosen)
    odds = [math.exp(one.score) for one in chosen]
    return [replace(one, judged_share=odd / (1.0 + sum(odds))) for one, odd in zip(chosen, odds, strict=True)]


def _most_complete(group: Sequence[_Judged]) -> list[_Judged]:
    most = max(one.completeness for one in group)
    return [one for one in group if one.completeness == most]


def _reading(
    one: _Judged, chosen: Sequence[_Judged], asked: AskedQuestion, calibration: PlanCalibration
) -> PlanReading:
    """Return the reading that one of the chosen plans is."""
    ran = one.ran
    features = _features(asked, one, chosen)
    return PlanReading(
        plan=ran.plan,
        read=ran.read,
        result=ran.result,
        confidence=calibration.probability(features) * (_BEYOND if Part.BEYOND in one.parts else 1.0),
        share=features.share,
        unread=tuple(dict.fromkeys(one.candidate.unread_texts)),
        mentions=_mentions(ran.found.actions, asked),
        features=features,
        completeness=one.completeness,
        tied=ran.tied,
        asks_whether=ran.found.asks_whether,
    )


def _features(asked: AskedQuestion, one: _Judged, chosen: Sequence[_Judged]) -> PlanFeatures:
    """Return the features of the reading that one of the chosen plans is."""
    found, result, share = one.ran.found, one.ran.result, one.share
    others = [other.share for other in chosen if other.ran is not one.ran]
    question, unread = asked.question, one.candidate.unread
    lacking = one.parts
    return PlanFeatures(
        share=share,
        best=math.exp(found.log_probability),
        weakest=math.exp(found.weakest),
        runner_up=max(others, default=0.0),
        total=share + sum(others),
        unread_share=unread_share(question, [each.text for each in unread]),
        unread_words=len(unread),
        unused_values=unused_values(question, found.actions, asked.values),
        unsupported=unsupported_elements(question, found.actions, asked.elements),
        readings=1 + len(others),
        rows=len(result.rows),
        is_empty=finds_nothing(result, one.candidate.asks_whether),
        actions=len(found.actions),
        is_other_kind=are_others(asked.asked_kinds, kinds_of(result)),
        judged=one.score,
        judged_share=one.judged_share,
        lacks_operator=not lacking.isdisjoint((Part.BEYOND, Part.OPERATOR, Part.CONSTRAINT)),
        lacks_name=Part.NAME in lacking,
        lacks_element=Part.ELEMENT in lacking,
        is_wrong=one.is_wrong,
        is_confirmed=one.is_confirmed,
    )


def _rank(
    candidate: Candidate,
    reading: PlanReading,
    asked: AskedQuestion,
    doubts: Sequence[Doubt],
    ranking: PlanCalibration | None,
) -> tuple[float, ...]:
    """Return what readings are sorted by, best first; people seldom ask for what, or for more than, is there."""
    score = reading.share if ranking is None else ranking.probability(reading.features, CONFIRMED_RANK)
    last = (float(one.holds(candidate, asked)) for one in doubts if one.effect is Effect.LAST)
    return *last, -score * reading.completeness


def _mentions(actions: Sequence[Action], asked: AskedQuestion) -> tuple[str, ...]:
    """Return the texts of the values that a plan uses as names of nodes."""
    used, names = [asked.values[one.number] for one in actions if one.op is Op.VALUE], asked.elements.name_numbers
    return tuple(dict.fromkeys(value.text for value in used if not names.isdisjoint(value.stored)))


def _with_remainders(readings: Sequence[PlanReading]) -> list[PlanReading]:
    """Divide what the best reading leaves of the probability among the others."""
    if not readings:
        return []
    rest = sum(one.share for one in readings[1:]) or 1.0
    left = 1.0 - readings[0].confidence
    return [readings[0], *(replace(one, confidence=min(left * one.share / rest, one.share)) for one in readings[1:])]
