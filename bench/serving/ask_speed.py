"""Time `POST /ask` as `kgqa up` serves it, with the embedded language model and cold caches.

python -m bench.serving.ask_speed --home HOME [--count N] [--seed N] [--clients N] [--save NAME]

Each question is asked once: first `--count` questions one at a time, then as many others by `--clients` clients, and
then as many others as streams. Run it on an idle machine: besides durations, which show the load of the machine, it
prints what does not depend on it, which is the CPU time of all services and the tokens. The ratio compares the CPU time
with that of a loop in this process, so that figures of different machines can be compared.
"""

import argparse
import asyncio
import json
import os
import time
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from statistics import mean

import httpx

from bench.results import RESULTS, ROOT, Section, head, keep
from bench.serving.replies import read_questions
from evaluation.metrics import percentile
from ingestion.demo import install_demo, needs_demo
from shared.paths import DEMO_GRAPH
from tests.support.command_line import Running, kgqa_up

_QUESTIONS = ROOT / "examples" / "world" / "questions" / "test.jsonl"
_NOTE = (
    "Questions of the demo graph's test set over HTTP, with the embedded language model. No question is asked twice. "
    "`CPU`: user and system time of all services together; `in loops`: as a multiple of the CPU time that a million "
    "additions in Python take on this machine at that time. `first words`: until the first event with text of "
    "`POST /ask/stream`. Durations depend on what else the machine does; `load` is its average load over a minute, at "
    "the start, on {cores} cores."
)
_LOOPS, _LOOP_LENGTH = 5, 1_000_000
_WARM_UP = 5

Asked = Callable[[httpx.AsyncClient, str], Awaitable[tuple[float, dict[str, int]]]]


class ServiceClock:
    """Read the CPU time of `kgqa up` and of the processes that it started."""

    def __init__(self, root: int) -> None:
        self._root = root

    def milliseconds(self) -> float:
        """Return the CPU time so far."""
        parents: dict[int, list[int]] = {}
        ticks: dict[int, int] = {}
        for file in Path("/proc").glob("[0-9]*/stat"):
            try:
                fields = file.read_text(encoding="utf-8").rpartition(")")[2].split()
            except OSError:
                continue  # the process has ended
            pid = int(file.parent.name)
            parents.setdefault(int(fields[1]), []).append(pid)
            ticks[pid] = int(fields[11]) + int(fields[12])
        found, total = [self._root], 0
        while found:
            pid = found.pop()
            total += ticks.get(pid, 0)
            found += parents.get(pid, [])
        return 1000 * total / os.sysconf("SC_CLK_TCK")


def loop_ms() -> float:
    """Return the CPU time of a fixed loop, in milliseconds: the smallest of some runs."""
    times = []
    for _ in range(_LOOPS):
        started, total = time.process_time(), 0
        for number in range(_LOOP_LENGTH):
            total += number
        times.append(1000 * (time.process_time() - started))
    return min(times)


async def ask(client: httpx.AsyncClient, question: str) -> tuple[float, dict[str, int]]:
    """Return the duration of `POST /ask` in milliseconds, and the tokens."""
    started = time.perf_counter()
    reply = await client.post("/ask", json={"question": question})
    elapsed = 1000 * (time.perf_counter() - started)
    return elapsed, reply.raise_for_status().json()["usage"]


async def first_words(client: httpx.AsyncClient, question: str) -> tuple[float, dict[str, int]]:
    """Return the milliseconds until the first text of a stream."""
    started = time.perf_counter()
    first = 0.0
    async with client.stream("POST", "/ask/stream", json={"question": question}) as reply:
        async for line in reply.aiter_lines():
            if line == "event: text" and not first:
                first = 1000 * (time.perf_counter() - started)
    return first, {}


async def measure(running: Running, questions: Sequence[str], clients: int) -> dict[str, str]:
    """Ask the questions in three parts, and return the figures."""
    clock = ServiceClock(running.process.pid)
    third = (len(questions) - _WARM_UP) // 3
    warm_up, rest = questions[:_WARM_UP], questions[_WARM_UP:]
    alone, together, streamed = rest[:third], rest[third : 2 * third], rest[2 * third : 3 * third]
    async with httpx.AsyncClient(base_url=running.urls["answerer"], timeout=600, trust_env=False) as client:
        await _ask_all(client, warm_up, 1, ask)
        before = clock.milliseconds()
        times, usages = await _ask_all(client, alone, 1, ask)
        cpu = (clock.milliseconds() - before) / len(alone)
        crowd, _ = await _ask_all(client, together, clients, ask)
        first, _ = await _ask_all(client, streamed, 1, first_words)
    return {
        "questions in each part": str(third),
        "CPU per question, ms": f"{cpu:.0f}",
        "CPU per question, in loops": f"{cpu / loop_ms():.2f}",
        "prompt tokens per question": f"{mean(usage['prompt_tokens'] for usage in usages):.1f}",
        "completion tokens per question": f"{mean(usage['completion_tokens'] for usage in usages):.1f}",
        "one client, ms (p50 / p99)": _shown(times),
        f"{clients} clients, ms (p50 / p99)": _shown(crowd),
        "first words, ms (p50 / p99)": _shown(first),
    }


async def _ask_all(
    client: httpx.AsyncClient, questions: Sequence[str], clients: int, one: Asked
) -> tuple[list[float], list[dict[str, int]]]:
    """Ask questions with some clients at once, each of which asks one after another."""
    waiting = iter(questions)

    async def work() -> list[tuple[float, dict[str, int]]]:
        return [await one(client, question) for question in waiting]

    found = [outcome for outcomes in await asyncio.gather(*(work() for _ in range(clients))) for outcome in outcomes]
    return [elapsed for elapsed, _ in found], [usage for _, usage in found]


def _shown(times: Sequence[float]) -> str:
    return f"{percentile(times, 0.5):.0f} / {percentile(times, 0.99):.0f}"


def main() -> None:
    """Measure, print the figures, and save them if a column is given."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--home", type=Path, required=True, help="KGQA_HOME; the demo graph is installed there")
    parser.add_argument("--count", type=int, default=200, help="questions in each part (default %(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="random seed for sampling questions (default %(default)s)")
    parser.add_argument("--clients", type=int, default=8, help="clients at once (default %(default)s)")
    parser.add_argument("--save", metavar="NAME", help="write the figures to docs/benchmarks.md, in the column NAME")
    arguments = parser.parse_args()
    os.environ["KGQA_HOME"] = str(arguments.home.absolute())
    commit, load = head(), os.getloadavg()[0]
    if needs_demo():
        install_demo()
    questions = read_questions([_QUESTIONS], 3 * arguments.count + _WARM_UP, arguments.seed)
    with kgqa_up(arguments.home.absolute(), "--graph", DEMO_GRAPH) as running:
        figures = asyncio.run(measure(running, questions, arguments.clients)) | {"load": f"{load:.1f}"}
    print(json.dumps(figures, indent=2))
    if arguments.save:
        _save(arguments.save, figures, commit)


def _save(column: str, figures: dict[str, str], commit: str) -> None:
    file = RESULTS / "ask-speed.json"
    kept = Section.model_validate_json(file.read_text(encoding="utf-8")).columns if file.is_file() else {}
    section = Section(
        order=85,
        title="Time of a reply",
        note=_NOTE.format(cores=os.cpu_count()),
        command="python -m bench.serving.ask_speed --home DIR --save NAME",
        columns={**kept, column: figures},
        commit=commit,
    )
    keep("ask-speed", section)


if __name__ == "__main__":
    main()
