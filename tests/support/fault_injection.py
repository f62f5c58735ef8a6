"""Freeze and kill a production component while clients ask questions, and check the answers."""

import asyncio
import itertools
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from http import HTTPStatus
from typing import Any, Protocol

import aiohttp
from prometheus_client.parser import text_string_to_metric_families

from contracts.answers import Answer, answer_names
from graph.store import TOO_MANY_PATHS
from question_sets.records import read_questions
from shared.exact_match import mentions
from tests.support.production_stack import QUESTIONS
from tests.support.waiting import until

ALLOWED_DEGRADATIONS: dict[str, set[str]] = {
    "neo4j": set(),
    "redis": {"cache"},
    "model": {"qa_model", "rewriter_model"},
    "llm": {"qa_model", "rewriter_model"},
    "retriever": set(),
    "rewriter": {"rewriter"},
    # An answerer that resumes finds that its own calls timed out.
    "answerer": {"rewriter", "qa_model"},
}
"""Degradations that an answer may report while a part is down, keyed by part; the empty set means no answer at all."""
CONNECTION_LOST = 0
"""Status of a request whose connection broke."""
UNDISTURBED_S, FROZEN_S, KILLED_S = 8, 10, 4
RECOVERED_AFTER = 50
"""Number of complete answers in a row after which the stack counts as recovered."""
_LATE = "late"
"""Kind of warning of a reply for which the plan of a question could not be read in time."""
_DEGRADATIONS = set.union(*ALLOWED_DEGRADATIONS.values())
_REQUIRED_PARTS = {"neo4j"}
"""Parts without which the answerer is not ready."""
_UNUSED_PARTS = {"llm"}
"""Parts that may be missing unnoticed: under `kgqa up`, grammar writes the texts that the model could write."""
_QUESTION_COUNT = 150
# A request that takes longer shows that a fault had an effect.
_NOTICEABLE_S = 1.0
_PAUSE_AFTER_FAILURE_S = 0.1
_REQUEST_TIMEOUT_S = 30


class FaultyStack(Protocol):
    """A running stack whose parts can be frozen and killed, named as in `ALLOWED_DEGRADATIONS`."""

    def url(self, name: str) -> str:
        """Return the URL of a part."""
        ...

    def freeze(self, name: str) -> None:
        """Send SIGSTOP to a part."""
        ...

    def thaw(self, name: str) -> None:
        """Send SIGCONT to a part."""
        ...

    def kill(self, name: str) -> None:
        """Send SIGKILL to a part."""
        ...

    def start(self, name: str) -> None:
        """Return when a part that was killed is ready again."""
        ...


@dataclass(frozen=True, slots=True)
class Outage:
    """Say when a part went down, was back, and was in full use again, in seconds of the monotonic clock."""

    gone: float
    back: float
    recovered: float


@dataclass(frozen=True, slots=True)
class Exchange:
    """Record a request to `/ask` and its reply; times are in seconds of the monotonic clock."""

    question: str
    sent: float
    ended: float
    status: int
    body: Mapping[str, Any]

    @property
    def is_answered(self) -> bool:
        """Return whether there is an answer, or an abstention."""
        return self.status == HTTPStatus.OK

    @property
    def is_complete(self) -> bool:
        """Return whether there is an answer that used every part, and the time that it needed."""
        return self.is_answered and not self.is_cut_short and not _DEGRADATIONS & set(self.body["degraded"])

    @property
    def is_provisional(self) -> bool:
        """Return whether reading the question took too long, so that the reply may be another one at another time."""
        warned = any(warning["kind"] == _LATE for warning in self.body.get("warnings", ()))
        return self.is_answered and warned

    @property
    def is_cut_short(self) -> bool:
        """Return whether the system abstained because reading the question took too long, and said so."""
        return self.is_provisional and bool(self.body["abstained"])

    @property
    def answers(self) -> tuple[list[str], bool]:
        """Return the answer set, and whether the system abstained."""
        return answer_names([Answer.model_validate(answer) for answer in self.body["answers"]]), self.body["abstained"]

    def is_correct(self, expected: tuple[list[str], bool]) -> bool:
        """Return whether the answers are as expected and, unless the system abstained, the text names one of them."""
        names, abstained = self.answers
        if self.is_cut_short or (self.is_provisional and expected[1]):
            return True  # a path may answer what a plan would not
        return self.answers == expected and (abstained or bool(mentions(self.body["answer"], names)))

    @property
    def is_explained(self) -> bool:
        """Return whether a failure is a 503 with a reason that does not blame the question."""
        unavailable, detail = self.status == HTTPStatus.SERVICE_UNAVAILABLE, str(self.body.get("detail") or "")
        return unavailable and bool(detail) and TOO_MANY_PATHS not in detail and bool(self.body.get("request_id"))


def summaries(exchanges: Sequence[Exchange]) -> list[str]:
    """Describe requests, each in one line, for the message of a failed test."""
    return [
        f"{exchange.question!r} at {exchange.sent:.1f}, {exchange.ended - exchange.sent:.1f} s: {exchange.status}, "
        + str({key: exchange.body.get(key) for key in ("detail", "abstained", "degraded", "warnings", "confidence")})
        + (f", {exchange.answers[0][:3]}" if exchange.is_answered else "")
        for exchange in exchanges
    ]


@dataclass(frozen=True, slots=True)
class FaultReport:
    """Summarise a minute in which a part was frozen for ten seconds, and killed and restarted.

    Attributes:
        requests: Number of requests.
        complete: Number of answers that used every part.
        degraded: Numbers of other answers, by what they did without.
        failed: Numbers of requests without an answer, by status.
        wrong: Answers that differ from those before the faults.
        unexplained: Failures that are not a 503 with a reason, or blame the question, except connections lost because
            the answerer was killed.
        miscounted: Statuses and missing parts that the answerer's metrics count differently.
        late: Failed or degraded requests that ended before each outage, or began after the recovery from it; not
            abstentions for want of time.
        recovery_s: Seconds from each return of the part to the last request that was not answered completely.
        outages: When the part was down.
    """

    requests: int
    complete: int
    degraded: Counter[str]
    failed: Counter[int]
    wrong: list[Exchange]
    unexplained: list[Exchange]
    miscounted: list[str]
    late: list[Exchange]
    recovery_s: tuple[float, float]
    outages: tuple[Outage, ...]


async def inject_faults(stack: FaultyStack, part: str, clients: int) -> FaultReport:
    """Freeze and kill a part while several clients ask questions, until the stack has recovered from both.

    Raises:
        AssertionError: If the stack does not recover.
        RuntimeError: If the fault had no effect, or if the stack was not healthy before it.
    """
    url = stack.url("answerer")
    questions = [record.question for record in read_questions(QUESTIONS)][:_QUESTION_COUNT]
    expected = {exchange.question: exchange.answers for exchange in await _ask_undisturbed(url, questions)}
    questions = list(expected)
    before = await _metrics(url)
    traffic = Traffic()
    async with asyncio.TaskGroup() as tasks:
        asking = tasks.create_task(_ask_until_over(url, questions, traffic, clients))
        disturbing = tasks.create_task(_freeze_and_kill(stack, part, traffic))
    exchanges, outages = asking.result(), disturbing.result()
    if part not in _UNUSED_PARTS:
        _require_effect(part, exchanges, outages)
    # An answerer that is killed loses its counters.
    counted = None if part == "answerer" else await _metrics(url) - before
    return _report(part, exchanges, outages, expected, counted)


def _report(
    part: str,
    exchanges: Sequence[Exchange],
    outages: Sequence[Outage],
    expected: Mapping[str, tuple[list[str], bool]],
    counted: Counter[str] | None,
) -> FaultReport:
    answered = [exchange for exchange in exchanges if exchange.is_answered]
    failed = [exchange for exchange in exchanges if not exchange.is_answered]
    degraded = Counter(name for exchange in answered for name in exchange.body["degraded"])
    seen = Counter(str(exchange.status) for exchange in exchanges) + degraded
    counted = seen if counted is None else counted
    may_disconnect = part == "answerer"
    return FaultReport(
        requests=len(exchanges),
        complete=sum(exchange.is_complete for exchange in exchanges),
        degraded=Counter({name: number for name, number in degraded.items() if name in _DEGRADATIONS}),
        failed=Counter(exchange.status for exchange in failed),
        wrong=[exchange for exchange in answered if not exchange.is_correct(expected[exchange.question])],
        unexplained=[e for e in failed if not (e.is_explained or (may_disconnect and e.status == CONNECTION_LOST))],
        miscounted=[name for name in seen.keys() | counted.keys() if seen[name] != counted[name]],
        late=[exchange for exchange in exchanges if _is_late(exchange, outages)],
        recovery_s=_recovery_s(exchanges, outages),
        outages=tuple(outages),
    )


class Traffic:
    """Follow the replies that the clients get.

    Attributes:
        complete_in_a_row: Number of complete answers since the last other reply.
        is_over: Whether the clients stop asking.
    """

    def __init__(self) -> None:
        self.complete_in_a_row = 0
        self.is_over = False

    def saw(self, exchange: Exchange) -> None:
        """Count a reply."""
        self.complete_in_a_row = self.complete_in_a_row + 1 if exchange.is_complete else 0


async def _freeze_and_kill(stack: FaultyStack, part: str, traffic: Traffic) -> list[Outage]:
    outages = []
    try:
        for leave, come_back, seconds in (
            (stack.freeze, stack.thaw, FROZEN_S),
            (stack.kill, stack.start, KILLED_S),
        ):
            await asyncio.sleep(UNDISTURBED_S)
            gone = time.monotonic()
            await asyncio.to_thread(leave, part)
            await asyncio.sleep(seconds)
            if part in _REQUIRED_PARTS:
                await until(partial(_is_unready, stack.url("answerer")), f"/readyz did not report an outage of {part}")
            await asyncio.to_thread(come_back, part)
            back = time.monotonic()
            traffic.complete_in_a_row = 0
            await until(lambda: traffic.complete_in_a_row >= RECOVERED_AFTER, f"no recovery from an outage of {part}")
            outages.append(Outage(gone, back, time.monotonic()))
        await asyncio.sleep(UNDISTURBED_S)
    finally:
        traffic.is_over = True
    return outages


async def _is_unready(url: str) -> bool:
    async with aiohttp.ClientSession() as session, session.get(f"{url}/readyz") as reply:
        return reply.status == HTTPStatus.SERVICE_UNAVAILABLE


def _require_effect(part: str, exchanges: Sequence[Exchange], outages: Sequence[Outage]) -> None:
    for outage in outages:
        during = [exchange for exchange in exchanges if exchange.sent < outage.back and exchange.ended > outage.gone]
        if all(exchange.is_complete and exchange.ended - exchange.sent < _NOTICEABLE_S for exchange in during):
            raise RuntimeError(f"the outage of {part} had no effect")


def _is_late(exchange: Exchange, outages: Sequence[Outage]) -> bool:
    is_undisturbed = all(exchange.ended < outage.gone or exchange.sent > outage.recovered for outage in outages)
    return is_undisturbed and not exchange.is_complete and not exchange.is_cut_short


def _recovery_s(exchanges: Sequence[Exchange], outages: Sequence[Outage]) -> tuple[float, float]:
    frozen, killed = outages
    incomplete = [exchange.ended for exchange in exchanges if not exchange.is_complete]
    after_thaw = max((ended - frozen.back for ended in incomplete if frozen.back <= ended < killed.gone), default=0.0)
    return after_thaw, max((ended - killed.back for ended in incomplete if killed.back <= ended), default=0.0)


async def _ask_undisturbed(url: str, questions: Sequence[str]) -> list[Exchange]:
    """Return the answers to the questions that this machine reads in time."""
    async with aiohttp.ClientSession() as session:
        asked = [await _ask(session, url, question) for question in questions]
    exchanges = [exchange for exchange in asked if not exchange.is_provisional]
    if incomplete := [exchange for exchange in exchanges if not exchange.is_complete]:
        raise RuntimeError(f"some answers were incomplete before any fault was injected: {incomplete[0]}")
    return exchanges


async def _ask_until_over(url: str, questions: Sequence[str], traffic: Traffic, clients: int) -> list[Exchange]:
    """Ask with several clients, each sending one request at a time, until the traffic is over."""
    turns = itertools.cycle(questions)
    timeout = aiohttp.ClientTimeout(total=_REQUEST_TIMEOUT_S)
    async with aiohttp.ClientSession(timeout=timeout, connector=aiohttp.TCPConnector(limit=0)) as session:
        asking = (_client(session, url, turns, traffic) for _ in range(clients))
        return list(itertools.chain.from_iterable(await asyncio.gather(*asking)))


async def _client(session: aiohttp.ClientSession, url: str, turns: Iterator[str], traffic: Traffic) -> list[Exchange]:
    exchanges = []
    while not traffic.is_over:
        exchanges.append(await _ask(session, url, next(turns)))
        traffic.saw(exchanges[-1])
        if not exchanges[-1].is_answered:
            await asyncio.sleep(_PAUSE_AFTER_FAILURE_S)
    return exchanges


async def _ask(session: aiohttp.ClientSession, url: str, question: str) -> Exchange:
    sent = time.monotonic()
    try:
        async with session.post(f"{url}/ask", json={"question": question}) as reply:
            status, body = reply.status, await reply.json(content_type=None)
    except (aiohttp.ClientError, TimeoutError, ValueError) as error:
        status, body = CONNECTION_LOST, {"detail": str(error)}
    return Exchange(question, sent, time.monotonic(), status, body)


async def _metrics(url: str) -> Counter[str]:
    """Return the answerer's counts of statuses and of missing parts."""
    counted: Counter[str] = Counter()
    async with aiohttp.ClientSession() as session, session.get(f"{url}/metrics") as reply:
        for family in text_string_to_metric_families(await reply.text()):
            for sample in family.samples:
                if sample.name == "kgqa_requests_total" and sample.labels["route"] == "/ask":
                    counted[sample.labels["status"]] += int(sample.value)
                elif sample.name == "kgqa_degraded_total":
                    counted[sample.labels["without"]] += int(sample.value)
    return counted
