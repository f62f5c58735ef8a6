"""Send the longest allowed questions to a real retriever: other clients must not be delayed."""

import asyncio
import itertools
import os
import time
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

pytestmark = pytest.mark.hostile

_HOSTILE, _HONEST = 8, 4
_SECONDS = 15.0
_SECONDS_BETWEEN_HONEST = 0.05
_SECONDS_BETWEEN_PROBES = 0.05
_LONGEST_PROBE_S = 0.2
_LONGEST_HONEST_S = 1.0
# If hostile questions take longer because the machine is slow or busy, others may take longer too. On any machine, a
# request that waits for hostile questions takes more than this share of their median duration.
_LONGEST_SHARE = 0.25
_PATIENCE_S = 30


@dataclass
class Requests:
    """Collect the durations and statuses of one kind of request."""

    seconds: list[float] = field(default_factory=list)
    statuses: list[int] = field(default_factory=list)

    def quantile(self, share: float) -> float:
        return sorted(self.seconds)[min(len(self.seconds) - 1, int(share * len(self.seconds)))]

    def shown(self) -> str:
        p50, p99, most = (f"{1000 * self.quantile(share):.0f}" for share in (0.5, 0.99, 1.0))
        return f"{len(self.seconds)} requests, p50 {p50} ms, p99 {p99} ms, longest {most} ms"


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
    attacks, answers, alive, ready = Requests(), Requests(), Requests(), Requests()
    until = time.monotonic() + _SECONDS
    timeout = aiohttp.ClientTimeout(total=_PATIENCE_S)
    async with (
        aiohttp.ClientSession(retriever, timeout=timeout, connector=aiohttp.TCPConnector(limit=0)) as session,
        # Kubernetes opens a new connection for each probe.
        aiohttp.ClientSession(retriever, timeout=timeout, connector=aiohttp.TCPConnector(force_close=True)) as prober,
    ):
        await asyncio.gather(
            *(_ask(session, itertools.cycle(hostile[n::_HOSTILE]), until, attacks) for n in range(_HOSTILE)),
            *(
                _ask(session, itertools.cycle(honest[n::_HONEST]), until, answers, _SECONDS_BETWEEN_HONEST)
                for n in range(_HONEST)
            ),
            _probe(prober, "/healthz", until, alive),
            _probe(prober, "/readyz", until, ready),
        )
    for name, seen in {"hostile": attacks, "honest": answers, "healthz": alive, "readyz": ready}.items():
        print(f"{name}: {seen.shown()}")
    assert {status for seen in (attacks, answers, alive, ready) for status in seen.statuses} == {HTTPStatus.OK}
    share_s = _LONGEST_SHARE * attacks.quantile(0.5)
    longest_probe_s = max(_LONGEST_PROBE_S, share_s)
    assert alive.quantile(1.0) < longest_probe_s
    assert ready.quantile(1.0) < longest_probe_s
    assert answers.quantile(0.99) < max(_LONGEST_HONEST_S, share_s)


async def _ask(
    session: aiohttp.ClientSession, questions: Iterator[str], until: float, seen: Requests, pause: float = 0.0
) -> None:
    """Ask as one client, which sends one request at a time."""
    while time.monotonic() < until:
        started = time.monotonic()
        async with session.post("/retrieve", json={"question": next(questions)}) as reply:
            await reply.read()
        seen.seconds.append(time.monotonic() - started)
        seen.statuses.append(reply.status)
        await asyncio.sleep(pause)


async def _probe(session: aiohttp.ClientSession, route: str, until: float, seen: Requests) -> None:
    while time.monotonic() < until:
        started = time.monotonic()
        async with session.get(route) as reply:
            await reply.read()
        seen.seconds.append(time.monotonic() - started)
        seen.statuses.append(reply.status)
        await asyncio.sleep(_SECONDS_BETWEEN_PROBES)
