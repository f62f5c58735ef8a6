"""Measure honest clients, health probes, and the servers' memory while attackers are active."""

import asyncio
import itertools
import json
import math
import os
import statistics
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import aiohttp

HONEST_CLIENTS = 4
PROBE_LIMIT_S = 0.2
_PROBE_EVERY_S = 0.1
_PATIENCE_S = 60
# Sleeps until its input ends, and prints by how many seconds each sleep was too long.
_SLEEPER = """
import json, select, sys, time
late = []
while True:
    started = time.monotonic()
    if select.select([sys.stdin], [], [], float(sys.argv[1]))[0]:
        break
    late.append(time.monotonic() - started - float(sys.argv[1]))
print(json.dumps(late or [0.0]))
"""
_PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")


@dataclass(frozen=True, slots=True)
class Period:
    """Record the requests from honest clients, and the probe requests, made during a period.

    `seconds` holds the duration of each answered request, and `failed` counts the statuses of the others (0 for a lost
    connection). `probes` holds the durations of answered probes, keyed by route; `probes_failed` counts other replies.
    `stalls` holds by how much a process that only sleeps woke up late: the machine's part of what probes took.
    """

    seconds: list[float]
    failed: Counter[int]
    probes: dict[str, list[float]]
    probes_failed: Counter[str]
    stalls: list[float] = field(default_factory=list)

    @property
    def p50(self) -> float:
        """Return the median of `seconds`."""
        return statistics.median(self.seconds)

    @property
    def p99(self) -> float:
        """Return the 99th percentile of `seconds`."""
        return sorted(self.seconds)[min(len(self.seconds) - 1, int(0.99 * len(self.seconds)))]

    @property
    def slowest_probe(self) -> float:
        """Return the duration of the slowest answered probe, in seconds."""
        return max(itertools.chain.from_iterable(self.probes.values()))


@dataclass(frozen=True, slots=True)
class AbuseReport:
    """Compare a period without attacks with one under attack.

    `attacks` counts the attacks by kind. `memory` holds each process's resident bytes before, at the peak, and after.
    """

    undisturbed: Period
    attacked: Period
    attacks: Mapping[str, int]
    memory: Mapping[str, tuple[int, int, int]]


async def measure_abuse(
    urls: Mapping[str, str], key: str, processes: Mapping[str, int], questions: Sequence[str], seconds: float
) -> AbuseReport:
    """Measure a period without attackers and one with them, and read the memory after they have left.

    Args:
        urls: URLs of the servers, keyed by name: answerer, retriever, rewriter, embedded_llm.
        key: API key of the embedded language model.
        processes: Process IDs of the servers, keyed by name.
        questions: Questions that the honest clients ask.
        seconds: Length of each period.
    """
    # A first round fills the caches, so that permanent allocations do not count as growth.
    await observe(urls, iter(questions), math.inf)
    asked = itertools.cycle(questions)
    undisturbed = await observe(urls, asked, seconds)
    before = {name: resident_bytes(pid) for name, pid in processes.items()}
    peak = dict(before)
    names = ("answerer", "retriever", "rewriter", "embedded_llm")
    attackers = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tests.support.attackers", str(seconds), *(urls[name] for name in names),
        env={**os.environ, "KGQA_EMBEDDED_LLM_API_KEY": key}, stdout=asyncio.subprocess.PIPE,
    )  # fmt: skip
    watching = asyncio.create_task(_watch_memory(processes, peak))
    attacked = await observe(urls, asked, seconds)
    output, _ = await attackers.communicate()
    await asyncio.sleep(2)
    watching.cancel()
    after = {name: resident_bytes(pid) for name, pid in processes.items()}
    return AbuseReport(
        undisturbed, attacked, json.loads(output), {name: (before[name], peak[name], after[name]) for name in processes}
    )


async def observe(urls: Mapping[str, str], questions: Iterator[str], seconds: float) -> Period:
    """Ask with four clients until `questions` or `seconds` run out, and probe every server ten times a second."""
    period = Period([], Counter(), {}, Counter())
    until = time.monotonic() + seconds
    connector = aiohttp.TCPConnector(limit=0)
    timeout = aiohttp.ClientTimeout(total=_PATIENCE_S)
    async with aiohttp.ClientSession(timeout=timeout, connector=connector) as session:
        # The language model server has no dependencies, and therefore no `/readyz`.
        routes = [(name, "/healthz") for name in urls] + [(n, "/readyz") for n in urls if n != "embedded_llm"]
        probes = [asyncio.create_task(_probe(session, name, urls[name] + route, period)) for name, route in routes]
        url = f"{urls['answerer']}/ask"
        sleeper = await asyncio.create_subprocess_exec(
            sys.executable, "-c", _SLEEPER, str(_PROBE_EVERY_S), stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
        )  # fmt: skip
        await asyncio.gather(*(_ask_on(session, url, questions, until, period) for _ in range(HONEST_CLIENTS)))
        for probe in probes:
            probe.cancel()
        output, _ = await sleeper.communicate(b"")  # closes its input, which without any would stay open
        period.stalls.extend(json.loads(output))
    return period


async def _ask_on(
    session: aiohttp.ClientSession, url: str, questions: Iterator[str], until: float, period: Period
) -> None:
    for question in itertools.takewhile(lambda _: time.monotonic() < until, questions):
        started = time.monotonic()
        try:
            async with session.post(url, json={"question": question}) as reply:
                await reply.read()
                status = reply.status
        except (aiohttp.ClientError, TimeoutError):
            status = 0
        if status == 200:
            period.seconds.append(time.monotonic() - started)
        else:
            period.failed[status] += 1


async def _probe(session: aiohttp.ClientSession, name: str, url: str, period: Period) -> None:
    route = f"{name} {url[url.rindex('/') :]}"
    took = period.probes.setdefault(route, [])
    while True:
        started = time.monotonic()
        try:
            async with session.get(url) as reply:
                await reply.read()
                status = reply.status
        except (aiohttp.ClientError, TimeoutError) as error:
            period.probes_failed[f"{route}: {error}"] += 1
        else:
            took.append(time.monotonic() - started)
            if status != 200:
                period.probes_failed[f"{route}: {status}"] += 1
        await asyncio.sleep(_PROBE_EVERY_S)


async def _watch_memory(processes: Mapping[str, int], peak: dict[str, int]) -> None:
    while True:
        for name, pid in processes.items():
            peak[name] = max(peak[name], resident_bytes(pid))
        await asyncio.sleep(0.1)


def resident_bytes(pid: int) -> int:
    """Return the resident memory of a process."""
    return int(Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1]) * _PAGE_BYTES


def children(pid: int) -> dict[str, int]:
    """Return the process IDs of the servers that `kgqa up` started, keyed by name."""
    found = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = int(stat.read_text(encoding="utf-8").rpartition(")")[2].split()[1])
            command = (stat.parent / "cmdline").read_text(encoding="utf-8").split("\0")
        except OSError:
            continue  # the process has exited
        if parent == pid and "-m" in command:
            name = command[command.index("-m") + 1].rpartition(".")[2]
            found["embedded_llm" if name == "llm" else name] = int(stat.parent.name)
    return found
