"""Decide whether relation paths or a plan answer a question that both have read."""

from dataclasses import dataclass, replace

from contracts.answers import ReplyWarning
from contracts.retrieve import Alternative
from services.retriever.replies.plan_replies import MAX_ALTERNATIVES, MAX_PREVIEW
from services.retriever.replies.reply import AnyReply, PathReply, PlanReply, unread_warning

_DOUBT = 0.1
"""Share of the confidence that a path keeps if it leaves words of the question unread."""
_CLEAR = 0.7
"""The confidence of a plan that answers although the trained paths do not, and nothing is left unread."""
_BELIEVED = 0.5
"""The score of a topic entity that the question probably names."""


@dataclass(frozen=True, slots=True)
class WeighedPath:
    """Hold a reply by relation paths, with what speaks for and against it.

    Attributes:
        reply: The reply.
        unread: What its path leaves unread of the question.
        comes_first: Whether paths were shown to answer better than plans.
        least: The confidence below which there is no answer.
    """

    reply: PathReply
    unread: frozenset[str]
    comes_first: bool
    least: float

    def against(self, plan: PlanReply | ReplyWarning) -> AnyReply:
        """Return which reply answers: this one or that of a plan, of which there may be only a warning."""
        if isinstance(plan, ReplyWarning):
            return replace(self, reply=self.reply.warned(plan))._doubted
        return self._with_topics(plan) if self._gives_way(plan) else self._doubted

    def _with_topics(self, plan: PlanReply) -> PlanReply:
        """Let a reply that answers nothing, and names no entities, keep those that were linked for this one."""
        return plan if plan.answers or plan.topics else replace(plan, topics=self.reply.topics)

    @property
    def _doubted(self) -> PathReply:
        """Return the reply; as another reading, if words that it leaves unread lower its confidence too much."""
        if not self.unread:
            return self.reply
        doubted = _with_unread(self.reply, self.unread)
        return doubted if doubted.confidence >= self.least else _withheld(doubted)

    def _gives_way(self, plan: PlanReply) -> bool:
        path = self.reply
        if self.unread:
            return plan.confidence > _DOUBT * path.confidence
        if path.is_withheld and not plan.answers:
            return plan.confidence > path.confidence
        if not self.comes_first:
            return bool(plan.answers) or not path.answers or path.confidence < self.least
        if not plan.answers or path.answers:
            return bool(plan.answers) and plan.confidence > path.confidence
        if path.topics and path.topics[0].score >= _BELIEVED:
            # The trained paths know what is asked of such entities, so their silence says something.
            return plan.confidence > _CLEAR and not plan.unread
        return True


def _with_unread(reply: PathReply, unread: frozenset[str]) -> PathReply:
    """Lower the confidence of a reply whose path leaves words of the question unread."""
    words = tuple(sorted(unread))
    return replace(reply.warned(unread_warning(words)), confidence=_DOUBT * reply.confidence, unread=words)


def _withheld(reply: PathReply) -> PathReply:
    """List the answers of a reply as another reading, since its confidence is too low."""
    if reply.plan is None:
        return reply
    answers = reply.answer_names
    reading = Alternative(
        plan=reply.plan.text,
        topic_entity=reply.topics[0].entity if reply.topics else "",
        relations=list(reply.relations),
        score=reply.confidence,
        answers=answers[:MAX_PREVIEW],
        more=max(0, len(answers) - MAX_PREVIEW),
        steps=reply.plan.steps,
    )
    return replace(
        reply,
        answers=(),
        other_answers=(),
        evidence=(),
        plan=None,
        answer_type=None,
        truncated=False,
        alternatives=(reading, *reply.alternatives)[:MAX_ALTERNATIVES],
    )
