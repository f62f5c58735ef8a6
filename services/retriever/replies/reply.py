"""Define replies as the retriever works with them; `messages` writes them for others."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

from contracts.answers import WITHHELD, AnswerType, Evidence, EvidenceTriples, ReplyWarning
from contracts.base import Strategy
from contracts.plans import QueryPlan
from contracts.retrieve import Alternative, Clarification, ScoredPath, TopicEntity
from graph.plan.value_text import value_text
from shared.cost_of_wrong import affordable_cost


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundAnswer:
    """Hold an answer, and where its evidence is among that of the reply; see `contracts.answers.Answer`."""

    value: Any
    score: float
    evidence: tuple[int, ...]
    id: str | None = None
    kind: str | None = None
    detail: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """Hold what all replies have.

    Attributes:
        answers: The answer set. Empty if the confidence is too low.
        topics: The entities that the question may be about, the likeliest or chosen one first.
        plan: The plan that produced the answers, if there are any.
        answer_type: What the answers are, if there are any.
        confidence: The probability that the answer set is right.
        alternatives: Other readings, best first; if there are no answers, the likeliest reading comes first.
        unread: The words of the question that the reading does not account for.
        truncated: Whether the graph has more answers.
        link_ms: The milliseconds until the entities were found.
        retrieve_ms: The milliseconds since then.
        strategy: The strategy that answered, and why it was chosen.
        clarification: What to ask back, if a name of the question stands for several entities.
    """

    answers: tuple[FoundAnswer, ...] = ()
    topics: tuple[TopicEntity, ...] = ()
    plan: QueryPlan | None = None
    answer_type: AnswerType | None = None
    confidence: float = 0.0
    alternatives: tuple[Alternative, ...] = ()
    unread: tuple[str, ...] = ()
    truncated: bool = False
    warnings: tuple[ReplyWarning, ...] = ()
    graph_version: str
    link_ms: float = 0.0
    retrieve_ms: float = 0.0
    strategy: Strategy = Strategy.PLAN
    strategy_reason: str = ""
    clarification: Clarification | None = None

    @property
    def answer_names(self) -> list[str]:
        """Return the answers as text, in order."""
        return [value_text(answer.value) for answer in self.answers]

    @property
    def is_withheld(self) -> bool:
        """Return whether the likeliest reading is no answer only because the request asks for more confidence."""
        return any(warning.kind == WITHHELD for warning in self.warnings)

    def warned(self, *warnings: ReplyWarning) -> Self:
        """Return the reply with further warnings."""
        return replace(self, warnings=(*self.warnings, *warnings))


@dataclass(frozen=True, slots=True, kw_only=True)
class PathReply(Reply):
    """Hold a reply by relation paths.

    Attributes:
        hop_probabilities: P(h) for h = 0..H; 0 hops means that the graph cannot answer the question.
        paths: The paths from the chosen topic entity, best first.
        other_answers: Answers of other paths, best first.
        evidence: In the order in which `answers` and then `other_answers` refer to it.
    """

    hop_probabilities: tuple[float, ...]
    paths: tuple[ScoredPath, ...] = ()
    other_answers: tuple[FoundAnswer, ...] = ()
    evidence: tuple[EvidenceTriples, ...] = ()

    @property
    def relations(self) -> tuple[str, ...]:
        """Return the relations of the best path; none if no path answers."""
        return tuple(self.paths[0].relations) if self.paths else ()

    @property
    def mention(self) -> str | None:
        """Return the mention of the best topic entity that has one."""
        return next((topic.mention for topic in self.topics if topic.mention), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanReply(Reply):
    """Hold a reply by a plan, which predicts no hops.

    Attributes:
        columns: The names of the columns, if the answer has several.
        rows: The rows, as JSON, if the answer has several columns.
        evidence: What supports the answers.
        durations: The keys of the properties in the plan that hold durations.
        trusted: The name of the trusted question that answers, if one does.
    """

    columns: tuple[str, ...] = ()
    rows: tuple[tuple[Any, ...], ...] = ()
    evidence: tuple[Evidence, ...] = ()
    durations: tuple[str, ...] = ()
    trusted: str | None = None


AnyReply = PathReply | PlanReply


def unread_warning(words: Sequence[str]) -> ReplyWarning:
    """Warn of words of the question that a reading does not account for."""
    listed = ", ".join(f"“{word}”" for word in words)
    return ReplyWarning(kind="unread", text=f"I did not understand these words of the question: {listed}.")


def respelled_warning(respelled: Mapping[str, str]) -> ReplyWarning:
    """Warn of words of the question that were read as others, because they seem to be misspelt."""
    listed = ", ".join(f"“{word}” as “{meant}”" for word, meant in respelled.items())
    return ReplyWarning(kind="respelled", text=f"I read {listed}.")


def withheld_warning(confidence: float, own: float, least: float) -> tuple[ReplyWarning, ...]:
    """Warn that the likeliest reading is no answer only because the request asks for more confidence.

    Args:
        confidence: The confidence of the reading.
        own: The confidence from which on the model itself answers.
        least: The confidence that the request asks for.
    """
    if not own <= confidence < least:
        return ()
    text = (
        f"The likeliest reading, which the alternatives list, has a confidence of {_below(confidence)}, and an answer "
        f"takes {least:.3g} here. With a cost_of_wrong of {affordable_cost(confidence):g} or less, it is the answer."
    )
    return (ReplyWarning(kind=WITHHELD, text=text),)


def _below(confidence: float) -> str:
    """Write a confidence, rounded down, since it is below what an answer takes.

    Example:
        >>> _below(0.90899)
        '0.908'
    """
    return f"{math.floor(1000 * confidence) / 1000:g}"
