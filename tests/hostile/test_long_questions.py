"""Send the longest allowed questions to a real retriever: other clients must not wait for them."""

import asyncio
import itertools
import os
import statistics
from collections.abc import Iterator
from dataclasses import dataclass, field
from http import HTTPStatus
from pathlib import Path

import aiohttp
import pytest

from question_sets.records import read_questions
from services.launcher import server_process, wait_until_ready
from shared.processes import free_port
from tests.hostile.long_questions import hostile_questions, names_of
from tests.support.command_line import WORLD, run_kgqa
from tests.support.waiting import HANGS_AFTER_S

pytestmark = pytest.mark.hostile

_HOSTILE, _HONEST = 8, 4
_HOSTILE_QUESTIONS = 48
_SECONDS_BETWEEN_HONEST = 0.05
_SECONDS_BETWEEN_PROBES = 0.05


class Attack:
    """Count the hostile questions that have been answered."""

    def __init__(self) -> None:
        self.answered = 0

    @property
    def is_over(self) -> bool:
        return self.answered >= _HOSTILE_QUESTIONS


@dataclass
class Requests:
    """Collect the statuses of one kind of request, and how many hostile questions were answered during each."""

    statuses: list[int] = field(default_factory=list)
    overtaken_by: list[int] = field(default_factory=list)


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder: Path = tmp_path_factory.mktemp("home")
    run_kgqa(folder, "import", str(WORLD / "graph.tsv.xz"), "--graph", "world")
    return folder


@pytest.fixture(scope="module")
def retriever(home: Path) -> Iterator[str]:
    port = free_port()
    settings = {"KGQA_HOME": str(home), "KGQA_RETRIEVER_PORT": str(port), "KGQA_RETRIEVER_LOG_LEVEL": "ERROR"}
    settings["KGQA_RETRIEVER_MODEL"] = str(WORLD / "retriever")
    url = f"http://127.0.0.1:{port}"
    with server_process("retriever", "services.retriever", environment={**os.environ, **settings}) as process:
        wait_until_ready(f"{url}/readyz", [process])
        yield url


async def test_hostile_questions_delay_neither_health_nor_honest_questions(home: Path, retriever: str) -> None:
    names = names_of(home / "graphs" / "world.sqlite")
    hostile = [question for turn in range(4) for question in hostile_questions(names, turn).values()]
    honest = [record.question for record in read_questions(WORLD / "questions" / "test.jsonl")]
    attack = Attack()
    attacks, answers, alive, ready = Requests(), Requests(), Requests(), Requests()
    timeout = aiohttp.ClientTimeout(total=2 * HANGS_AFTER_S)
    async with (
        aiohttp.ClientSession(retriever, timeout=timeout, connector=aiohttp.TCPConnector(limit=0)) as session,
        # Kubernetes opens a new connection for each probe.
        aiohttp.ClientSession(retriever, timeout=timeout, connector=aiohttp.TCPConnector(force_close=True)) as prober,
    ):
        await asyncio.gather(
            *(_attack(session, itertools.cycle(hostile[n::_HOSTILE]), attack, attacks) for n in range(_HOSTILE)),
            *(_ask(session, itertools.cycle(honest[n::_HONEST]), attack, answers) for n in range(_HONEST)),
            _probe(prober, "/healthz", attack, alive),
            _probe(prober, "/readyz", attack, ready),
        )
    assert {status for seen in (attacks, answers, alive, ready) for status in seen.statuses} == {HTTPStatus.OK}
    # Those that queue see the questions of all attackers end before their own. Others share the processor with the
    # hostile question in progress, so they may see that one end, and a short one after it.
    for seen in (answers, alive, ready):
        assert max(seen.overtaken_by) < _HOSTILE - 1
        assert statistics.median(seen.overtaken_by) == 0
        assert len(seen.statuses) > len(attacks.statuses)


async def _attack(session: aiohttp.ClientSession, questions: Iterator[str], attack: Attack, seen: Requests) -> None:
    while not attack.is_over:
        async with session.post("/retrieve", json={"question": next(questions)}) as reply:
            await reply.read()
        attack.answered += 1
        seen.statuses.append(reply.status)


async def _ask(session: aiohttp.ClientSession, questions: Iterator[str], attack: Attack, seen: Requests) -> None:
    """Ask as one client, which sends one request at a time."""
    while not attack.is_over:
        before = attack.answered
        async with session.post("/retrieve", json={"question": next(questions)}) as reply:
            await reply.read()
        seen.overtaken_by.append(attack.answered - before)
        seen.statuses.append(reply.status)
        await asyncio.sleep(_SECONDS_BETWEEN_HONEST)


async def _probe(session: aiohttp.ClientSession, route: str, attack: Attack, seen: Requests) -> None:
    while not attack.is_over:
        before = attack.answered
        async with session.get(route) as reply:
            await reply.read()
        seen.overtaken_by.append(attack.answered - before)
        seen.statuses.append(reply.status)
        await asyncio.sleep(_SECONDS_BETWEEN_PROBES)
