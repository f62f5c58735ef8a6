"""Clients that go on asking whatever happens, and write down what came of each request."""

import asyncio
import itertools
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

import aiohttp

from shared.contracts import Answer, answer_set

CLIENTS = 16
LOST = 0
"""The status of a request whose connection broke."""

# What a client waits before it asks again where it got no answer.
_PAUSE_S = 0.1
_PATIENCE_S = 30


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of one request; times in seconds of the monotonic clock."""

    question: str
    sent: float
    ended: float
    status: int
    body: Mapping[str, Any]

    @property
    def is_answered(self) -> bool:
        """Whether there is an answer, were it that nobody knows."""
        return self.status == HTTPStatus.OK

    @property
    def found(self) -> tuple[list[str], bool]:
        """The answer set, and whether it abstained."""
        return answer_set([Answer.model_validate(answer) for answer in self.body["answers"]]), self.body["abstained"]


async def put_load(url: str, questions: Sequence[str], until: float) -> list[Outcome]:
    """Sixteen clients, each with one request at a time, until a time of the monotonic clock."""
    turns = itertools.cycle(questions)
    timeout = aiohttp.ClientTimeout(total=_PATIENCE_S)
    async with aiohttp.ClientSession(timeout=timeout, connector=aiohttp.TCPConnector(limit=0)) as session:
        clients = (_client(session, url, turns, until) for _ in range(CLIENTS))
        return list(itertools.chain.from_iterable(await asyncio.gather(*clients)))


async def _client(session: aiohttp.ClientSession, url: str, turns: Iterator[str], until: float) -> list[Outcome]:
    outcomes = []
    while time.monotonic() < until:
        outcomes.append(await ask(session, url, next(turns)))
        if not outcomes[-1].is_answered:
            await asyncio.sleep(_PAUSE_S)
    return outcomes


async def ask(session: aiohttp.ClientSession, url: str, question: str) -> Outcome:
    """What comes of one question."""
    sent = time.monotonic()
    try:
        async with session.post(f"{url}/ask", json={"question": question}) as reply:
            status, body = reply.status, await reply.json(content_type=None)
    except (aiohttp.ClientError, TimeoutError, ValueError) as error:
        status, body = LOST, {"detail": str(error)}
    return Outcome(question, sent, time.monotonic(), status, body)
