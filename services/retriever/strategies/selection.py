"""Answer a request by the strategy that it names, or by the first one that is certain enough."""

import logging
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from contracts.answers import NO_QUERY, STRATEGY_UNAVAILABLE, ReplyWarning
from contracts.base import Strategy
from contracts.retrieve import RetrieveRequest
from language.question import Question
from services.retriever.replies.asked import Asked
from services.retriever.replies.reply import AnyReply
from services.retriever.replies.retrieval import RetrievalStrategy
from shared.errors import DependencyError, InvalidInputError, PlanLimitError, TooManyPathsError
from shared.request_context import remaining_time, time_limit
from shared.text import with_full_stop
from shared.tracing.tracer import traced

log = logging.getLogger(__name__)

_CHEAPEST_FIRST = (Strategy.PLAN, Strategy.NEIGHBOURHOOD, Strategy.DENSE, Strategy.CYPHER)
_UNCALIBRATED = frozenset({Strategy.NEIGHBOURHOOD, Strategy.DENSE})
"""Strategies whose confidence may be high although the question asks for something else, such as a second hop."""
_WITH_OWN_THRESHOLD = _UNCALIBRATED | {Strategy.CYPHER}
"""Strategies whose confidence is no probability, so that the default cost of wrong answers says nothing about it."""
_DOUBTED = 0.45
"""The greatest confidence in answers of such a strategy if it may overlook a part of the question."""
_NAMED, _DEFAULT = "the request names it", "it is the default, and the request names no other"
_REQUEST_SECONDS = 60.0
_SHARE = 0.75
"""The share of the remaining time that one strategy may take if others follow."""


class StrategySelector:
    """Choose among strategies without gold answers: the first one that answers, in the order of their cost."""

    def __init__(
        self, strategies: Mapping[Strategy, RetrievalStrategy], missing: Mapping[Strategy, str] | None = None
    ) -> None:
        """Choose among the strategies that are available, of which there must be one.

        `missing` says what to do about strategies that could be available.
        """
        self._strategies = strategies
        self._missing = missing or {}

    @property
    def available(self) -> list[Strategy]:
        """Return the strategies that requests may name, `auto` last."""
        return [*(one for one in _CHEAPEST_FIRST if one in self._strategies), Strategy.AUTO]

    async def reply(self, asked: Asked) -> AnyReply:
        """Answer a question, and say which strategy answered and why.

        With `auto`, an uncalibrated strategy answers only if it agrees with the likeliest reading that an earlier
        strategy withheld, and a query of a language model only if it uses all names and values of the question. A
        strategy that is missing, fails, or abstains gives way to the next one, and a warning says why, unless it
        abstained. If all abstain, the reply is that of the first one that did not fail.

        Raises:
            InvalidInputError: The strategy is not available.
            KGQAError: The strategy failed; with `auto`, the last one, after all others had failed.
        """
        if asked.strategy in (unfit := _unfit(asked.question)):
            raise InvalidInputError(
                f"the strategy '{asked.strategy}' cannot keep to {unfit[asked.strategy]}; leave it out"
            )
        if asked.strategy is Strategy.AUTO:
            return await self._first_certain(asked)
        if asked.strategy not in self._strategies:
            raise self._unavailable(asked.strategy)
        # A default that the request names cannot be told from one that it does not name.
        reason = _DEFAULT if asked.strategy is RetrieveRequest.model_fields["strategy"].default else _NAMED
        if asked.strategy in _WITH_OWN_THRESHOLD:
            asked = asked.at_own_threshold()
        return replace(await self._ask(asked.strategy, asked), strategy=asked.strategy, strategy_reason=reason)

    def _unavailable(self, strategy: Strategy) -> InvalidInputError:
        available = ", ".join([Strategy.AUTO, *(one for one in _CHEAPEST_FIRST if one in self._strategies)])
        reason = f": {why}" if (why := self._missing.get(strategy)) else ""
        return InvalidInputError(
            f"the strategy '{strategy}' is not available for this graph{reason}; use one of: {available}"
        )

    async def _ask(self, name: Strategy, asked: Asked) -> AnyReply:
        with traced(f"strategy {name}") as span:
            reply = await self._strategies[name].reply(asked)
            span.set(answers=len(reply.answers), confidence=reply.confidence)
            return reply

    async def _first_certain(self, asked: Asked) -> AnyReply:
        """Ask one strategy after another until one answers; see `reply`."""
        known = {*self._strategies, *self._missing} - _unfit(asked.question).keys()
        order = [name for name in _CHEAPEST_FIRST if name in known]
        last = [name for name in order if name in self._strategies][-1]
        course = _Course(asked.question)
        for name in order:
            if name not in self._strategies:
                course.passed_by(name, "is not available", STRATEGY_UNAVAILABLE, self._missing[name])
            else:
                await self._try(name, asked, course, is_last=name is last)
            if course.answer is not None:
                break
        return course.reply()

    async def _try(self, name: Strategy, asked: Asked, course: "_Course", is_last: bool) -> None:
        """Ask a strategy, and record its reply or its failure."""
        try:
            with time_limit(None if is_last else remaining_time(_REQUEST_SECONDS) * _SHARE):
                course.weigh(name, await self._ask(name, asked))
        except (DependencyError, PlanLimitError, TooManyPathsError) as error:
            if is_last and course.fallback is None:
                raise
            log.warning("the strategy %s failed: %s", name, error.detail)
            course.passed_by(name, "failed", "strategy_failed", error.public_detail)


@dataclass
class _Course:
    """Record what became of each strategy so far.

    Attributes:
        question: The question that all strategies are asked.
        passed: Why each strategy did not answer.
        warnings: What the reader of the reply should know of that.
        fallback: The first reply without answers, which has the readings that were withheld, and its strategy.
        answer: The reply of the strategy that answers, if one does.
    """

    question: Question
    passed: list[str] = field(default_factory=list)
    warnings: list[ReplyWarning] = field(default_factory=list)
    fallback: tuple[AnyReply, Strategy] | None = None
    answer: tuple[AnyReply, Strategy] | None = None

    def passed_by(self, name: Strategy, what: str, kind: str, reason: str) -> None:
        """Record that a strategy gave no reply, and warn of it."""
        self.passed.append(f"{name} {what}")
        self.warnings.append(ReplyWarning(kind=kind, text=with_full_stop(f"{self.passed[-1]}: {reason}")))

    def weigh(self, name: Strategy, reply: AnyReply) -> None:
        """Record whether the reply of a strategy is the answer, or why not."""
        support = self._support(name, reply)
        if not reply.answers:
            self.passed.append(f"{name} abstained")
            self.warnings += [one for one in reply.warnings if self.fallback and one.kind == NO_QUERY]
            self.fallback = self.fallback or (reply, name)
        elif not support:
            self.passed.append(f"{name} has answers that no other strategy supports")
        elif name is Strategy.CYPHER and reply.unread:
            words = ", ".join(f"“{word}”" for word in reply.unread)
            self.passed.append(f"{name} has a query that does not use {words}")
        else:
            confidence = min(reply.confidence, support)
            self.passed.append(f"{name} answers with confidence {confidence:.2f}")
            self.answer = replace(reply, confidence=confidence), name

    def reply(self) -> AnyReply:
        """Return the answer, or the first reply without answers.

        Raises DependencyError if no strategy replied, or if all replies had answers that nothing supports.
        """
        chosen = self.answer or self.fallback
        if chosen is None:
            raise DependencyError("no strategy could answer; see the log for what each one reported")
        reply, strategy = chosen
        return replace(reply.warned(*self.warnings), strategy=strategy, strategy_reason="; ".join(self.passed))

    def _support(self, name: Strategy, reply: AnyReply) -> float:
        """Return the greatest confidence that a reply deserves in view of the one that was withheld, if any.

        It is 1 for calibrated strategies. For others, it is 0 unless the two agree.
        """
        if name not in _UNCALIBRATED:
            return 1.0
        if self.fallback is None or not _agrees(reply, self.fallback[0]):
            return 0.0
        unread = self.fallback[0].unread
        overlooked = any(word != word.lower() for word in unread) or bool(self.question.operator_words)
        return _DOUBTED if overlooked else 1.0


def _unfit(question: Question) -> dict[Strategy, str]:
    """Return the strategies that cannot keep to the nodes that a request names by ids, and to which field of it."""
    by_plan_alone = dict.fromkeys(Strategy, "among") if question.among else {}
    found = {**({Strategy.CYPHER: "means"} if question.meant else {}), **by_plan_alone}
    return {one: field for one, field in found.items() if one not in (Strategy.PLAN, Strategy.AUTO)}


def _agrees(reply: AnyReply, withheld: AnyReply) -> bool:
    """Return whether a reply has the answers of the likeliest reading of a reply without answers."""
    if not withheld.alternatives:
        return False
    reading, names = withheld.alternatives[0], reply.answer_names
    return len(names) == len(reading.answers) + reading.more and set(reading.answers) <= set(names)
