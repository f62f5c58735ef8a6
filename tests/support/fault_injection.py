"""Freeze and kill a production component while clients ask questions, and check the answers."""

import asyncio
import itertools
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

import aiohttp
from prometheus_client.parser import text_string_to_metric_families

from question_sets.records import read_questions
from shared.contracts import Answer, answer_names
from tests.support.production_stack import QUESTIONS, ProductionStack

ALLOWED_DEGRADATIONS: dict[str, set[str]] = {
    "neo4j": set(),
    "redis": {"cache"},
    "model": {"qa_model", "rewriter_model"},
    "retriever": set(),
    "rewriter": {"rewriter"},
    # An answerer that resumes finds that its own calls timed out.
    "answerer": {"rewriter", "qa_model"},
}
"""Degradations that an answer may report while a part is down, keyed by part; the empty set means no answer at all."""
CLIENTS = 16
CONNECTION_LOST = 0
"""Status of a request whose connection broke."""
DURATION_S = 60
FROZEN_AT_S, THAWED_AT_S, KILLED_AT_S, STARTED_AT_S = 8, 18, 28, 32
RECOVERS_WITHIN_S = 5.0
_DEGRADATIONS = set.union(*ALLOWED_DEGRADATIONS.values())
_QUESTION_COUNT = 150
# A request that takes longer shows that a fault had an effect.
_NOTICEABLE_S = 1.0
_PAUSE_AFTER_FAILURE_S = 0.1
_REQUEST_TIMEOUT_S = 30

Outage = tuple[float, float]
"""When a part went down, and when it was back, in seconds of the monotonic clock."""


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
        """Return whether there is an answer that used every part."""
        return self.is_answered and not _DEGRADATIONS & set(self.body["degraded"])

    @property
    def answers(self) -> tuple[list[str], bool]:
        """Return the answer set, and whether the system abstained."""
        return answer_names([Answer.model_validate(answer) for answer in self.body["answers"]]), self.body["abstained"]

    def is_correct(self, expected: tuple[list[str], bool]) -> bool:
        """Return whether the answers are as expected and, unless the system abstained, the text names one of them."""
        names, abstained = self.answers
        return self.answers == expected and (abstained or any(name in self.body["answer"] for name in names))

    @property
    def is_explained(self) -> bool:
        """Return whether a failure is a 503 with a reason."""
        unavailable = self.status == HTTPStatus.SERVICE_UNAVAILABLE
        return unavailable and bool(self.body.get("detail")) and bool(self.body.get("request_id"))


@dataclass(frozen=True, slots=True)
class FaultReport:
    """Summarise a minute in which a part was frozen for ten seconds, and killed and restarted.

    Attributes:
        requests: Number of requests.
        complete: Number of answers that used every part.
        degraded: Numbers of other answers, by what they did without.
        failed: Numbers of requests without an answer, by status.
        wrong: Answers that differ from those before the faults.
        unexplained: Failures that are not a 503 with a reason, except connections lost because the answerer was killed.
        miscounted: Statuses and missing parts that the answerer's metrics count differently.
        late: Failed or degraded requests that ended before each outage or began more than 5 s after it.
        recovery_s: Seconds from each return of the part to the last request that was not answered completely.
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


async def inject_faults(stack: ProductionStack, part: str) -> FaultReport:
    """Freeze and kill a part while sixteen clients ask questions for a minute.

    Raises:
        RuntimeError: If the fault had no effect, or if the stack was not healthy before it.
    """
    url = stack.url("answerer")
    questions = [record.question for record in read_questions(QUESTIONS)][:_QUESTION_COUNT]
    expected = {exchange.question: exchange.answers for exchange in await _ask_undisturbed(url, questions)}
    before = await _metrics(url)
    started = time.monotonic()
    async with asyncio.TaskGroup() as tasks:
        asking = tasks.create_task(_ask_until(url, questions, started + DURATION_S))
        disturbing = tasks.create_task(_freeze_and_kill(stack, part, started))
    exchanges, outages = asking.result(), disturbing.result()
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
    )


async def _freeze_and_kill(stack: ProductionStack, part: str, started: float) -> list[Outage]:
    outages = []
    for leave, come_back, gone_at, back_at in (
        (stack.freeze, stack.thaw, FROZEN_AT_S, THAWED_AT_S),
        (stack.kill, stack.start, KILLED_AT_S, STARTED_AT_S),
    ):
        await asyncio.sleep(started + gone_at - time.monotonic())
        gone = time.monotonic()
        await asyncio.to_thread(leave, part)
        await asyncio.sleep(started + back_at - time.monotonic())
        await asyncio.to_thread(come_back, part)
        outages.append((gone, time.monotonic()))
    return outages


def _require_effect(part: str, exchanges: Sequence[Exchange], outages: Sequence[Outage]) -> None:
    for gone, back in outages:
        during = [exchange for exchange in exchanges if exchange.sent < back and exchange.ended > gone]
        if all(exchange.is_complete and exchange.ended - exchange.sent < _NOTICEABLE_S for exchange in during):
            raise RuntimeError(f"the outage of {part} had no effect")


def _is_late(exchange: Exchange, outages: Sequence[Outage]) -> bool:
    is_undisturbed = all(exchange.ended < gone or exchange.sent > back + RECOVERS_WITHIN_S for gone, back in outages)
    return is_undisturbed and not exchange.is_complete


def _recovery_s(exchanges: Sequence[Exchange], outages: Sequence[Outage]) -> tuple[float, float]:
    (_, thawed), (killed, started) = outages
    incomplete = [exchange.ended for exchange in exchanges if not exchange.is_complete]
    after_thaw = max((ended - thawed for ended in incomplete if thawed <= ended < killed), default=0.0)
    return after_thaw, max((ended - started for ended in incomplete if started <= ended), default=0.0)


async def _ask_undisturbed(url: str, questions: Sequence[str]) -> list[Exchange]:
    async with aiohttp.ClientSession() as session:
        exchanges = [await _ask(session, url, question) for question in questions]
    if incomplete := [exchange for exchange in exchanges if not exchange.is_complete]:
        raise RuntimeError(f"some answers were incomplete before any fault was injected: {incomplete[0]}")
    return exchanges


async def _ask_until(url: str, questions: Sequence[str], until: float) -> list[Exchange]:
    """Ask with sixteen clients, each sending one request at a time, until a time of the monotonic clock."""
    turns = itertools.cycle(questions)
    timeout = aiohttp.ClientTimeout(total=_REQUEST_TIMEOUT_S)
    async with aiohttp.ClientSession(timeout=timeout, connector=aiohttp.TCPConnector(limit=0)) as session:
        clients = (_client(session, url, turns, until) for _ in range(CLIENTS))
        return list(itertools.chain.from_iterable(await asyncio.gather(*clients)))


async def _client(session: aiohttp.ClientSession, url: str, turns: Iterator[str], until: float) -> list[Exchange]:
    exchanges = []
    while time.monotonic() < until:
        exchanges.append(await _ask(session, url, next(turns)))
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
