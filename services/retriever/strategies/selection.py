"""Answer a request by the strategy that it names, or by the first one that is certain enough."""

import logging
from collections.abc import Mapping
from dataclasses import dataclass, field

from contracts.answers import NO_QUERY, STRATEGY_UNAVAILABLE, ReplyWarning, answer_names
from contracts.base import Strategy
from contracts.retrieve import RetrieveRequest, RetrieveResponse
from language.english.operators import operator_words
from services.retriever.strategies.protocol import RetrievalStrategy
from shared.errors import DependencyError, InvalidInputError, PlanLimitError, TooManyPathsError
from shared.request_context import remaining_time, time_limit
from shared.text import with_full_stop
from shared.tracing.tracer import traced

log = logging.getLogger(__name__)

_CHEAPEST_FIRST = (Strategy.PLAN, Strategy.NEIGHBOURHOOD, Strategy.DENSE, Strategy.CYPHER)
_UNCALIBRATED = frozenset({Strategy.NEIGHBOURHOOD, Strategy.DENSE})
"""Strategies whose confidence may be high although the question asks for something else, such as a second hop."""
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

    async def retrieve(self, request: RetrieveRequest) -> RetrieveResponse:
        """Answer a request, and say which strategy answered and why.

        With `auto`, an uncalibrated strategy answers only if it agrees with the likeliest reading that an earlier
        strategy withheld, and a query of a language model only if it uses all names and values of the question. A
        strategy that is missing, fails, or abstains gives way to the next one, and a warning says why, unless it
        abstained. If all abstain, the reply is that of the first one that did not fail.

        Raises:
            InvalidInputError: The strategy is not available.
            KGQAError: The strategy failed; with `auto`, the last one, after all others had failed.
        """
        if request.strategy is Strategy.AUTO:
            return await self._first_certain(request)
        if request.strategy not in self._strategies:
            available = ", ".join([Strategy.AUTO, *(one for one in _CHEAPEST_FIRST if one in self._strategies)])
            reason = f": {why}" if (why := self._missing.get(request.strategy)) else ""
            raise InvalidInputError(
                f"the strategy '{request.strategy}' is not available for this graph{reason}; use one of: {available}"
            )
        # A default that the request names cannot be told from one that it does not name.
        is_default = request.strategy is RetrieveRequest.model_fields["strategy"].default
        response = await self._ask(request.strategy, request)
        return _chosen(response, request.strategy, _DEFAULT if is_default else _NAMED, [])

    async def _ask(self, name: Strategy, request: RetrieveRequest) -> RetrieveResponse:
        with traced(f"strategy {name}") as span:
            response = await self._strategies[name].retrieve(request)
            span.set(answers=len(response.answers), confidence=response.confidence)
            return response

    async def _first_certain(self, request: RetrieveRequest) -> RetrieveResponse:
        order = [name for name in _CHEAPEST_FIRST if name in self._strategies or name in self._missing]
        last = [name for name in order if name in self._strategies][-1]
        course = _Course()
        for name in order:
            if name not in self._strategies:
                course.passed_by(name, "is not available", STRATEGY_UNAVAILABLE, self._missing[name])
                continue
            try:
                with time_limit(None if name is last else remaining_time(_REQUEST_SECONDS) * _SHARE):
                    response = await self._ask(name, request)
            except (DependencyError, PlanLimitError, TooManyPathsError) as error:
                if name is last and course.fallback is None:
                    raise
                log.warning("the strategy %s failed: %s", name, error.detail)
                course.passed_by(name, "failed", "strategy_failed", error.public_detail)
                continue
            if (answer := course.answer_of(name, response, request)) is not None:
                return answer
        return course.abstention()


@dataclass
class _Course:
    """Record what became of each strategy so far."""

    passed: list[str] = field(default_factory=list)
    warnings: list[ReplyWarning] = field(default_factory=list)
    fallback: tuple[RetrieveResponse, Strategy] | None = None
    """The first reply without answers, which has the readings that were withheld."""

    def passed_by(self, name: Strategy, what: str, kind: str, reason: str) -> None:
        """Record that a strategy gave no reply, and warn of it."""
        self.passed.append(f"{name} {what}")
        self.warnings.append(ReplyWarning(kind=kind, text=with_full_stop(f"{self.passed[-1]}: {reason}")))

    def answer_of(
        self, name: Strategy, response: RetrieveResponse, request: RetrieveRequest
    ) -> RetrieveResponse | None:
        """Return the reply of a strategy if it is to be taken; otherwise record why not."""
        if response.answers and name in _UNCALIBRATED:
            most = _support(request.question, response, self.fallback[0]) if self.fallback else 0.0
            if not most:
                self.passed.append(f"{name} has answers that no other strategy supports")
                return None
            response = response.model_copy(update={"confidence": min(response.confidence, most)})
        if response.answers and name is Strategy.CYPHER and response.unread:
            words = ", ".join(f"“{word}”" for word in response.unread)
            self.passed.append(f"{name} has a query that does not use {words}")
            return None
        if response.answers:
            reason = "; ".join([*self.passed, f"{name} answers with confidence {response.confidence:.2f}"])
            return _chosen(response, name, reason, self.warnings)
        self.passed.append(f"{name} abstained")
        self.warnings += [one for one in response.warnings if self.fallback and one.kind == NO_QUERY]
        self.fallback = self.fallback or (response, name)
        return None

    def abstention(self) -> RetrieveResponse:
        """Return the first reply without answers.

        Raises DependencyError if no strategy replied, or if all replies had answers that nothing supports.
        """
        if self.fallback is None:
            raise DependencyError("no strategy could answer; see the log for what each one reported")
        return _chosen(*self.fallback, "; ".join(self.passed), self.warnings)


def _support(question: str, response: RetrieveResponse, withheld: RetrieveResponse) -> float:
    """Return the greatest confidence in the reply of an uncalibrated strategy, in view of a reply without answers.

    It is 0 unless they agree.
    """
    if not _agrees(response, withheld):
        return 0.0
    overlooked = any(word != word.lower() for word in withheld.unread) or bool(operator_words(question))
    return _DOUBTED if overlooked else 1.0


def _agrees(response: RetrieveResponse, withheld: RetrieveResponse) -> bool:
    """Return whether a reply has the answers of the likeliest reading of a reply without answers."""
    if not withheld.alternatives:
        return False
    reading, names = withheld.alternatives[0], answer_names(response.answers)
    return len(names) == len(reading.answers) + reading.more and set(reading.answers) <= set(names)


def _chosen(
    response: RetrieveResponse, strategy: Strategy, reason: str, failures: list[ReplyWarning]
) -> RetrieveResponse:
    warnings = [*response.warnings, *failures]
    return response.model_copy(update={"strategy": strategy, "strategy_reason": reason, "warnings": warnings})
