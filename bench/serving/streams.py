"""Read two hundred streams of `POST /ask/stream` at a time, with slow and vanishing clients among them.

python -m bench.serving.streams                           # a minute; saves the figures
python -m bench.serving.streams --clients 20 --seconds 10 # prints them

The retriever, the rewriter, the answerer, Redis, a stub model that writes word by word, and the clients share the cores
of this machine. The graph is the demo's, in a file. The clients of the fast model keep both cores busy; the slow one
writes about as long as a large model does.
"""

import argparse
import asyncio
import json
import os
import random
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import aiohttp

from bench.results import Section, head, keep
from question_sets.records import read_questions
from tests.support.abuse import resident_bytes
from tests.support.command_line import WORLD, run_kgqa
from tests.support.production_stack import QUESTIONS, ProductionStack
from tests.support.stream_clients import Answers, StreamConnection, StreamCounts, answers_of, new_request_id

_CLIENTS, _SECONDS = 200, 60.0
_QUESTION_COUNT = 150
_MODELS_MS = {"200 ms": 200, "4 s": 4000}
"""Milliseconds that the stub model takes for a completion, by column."""
# Of ten clients, one reads slowly, and one vanishes.
_SLOW_EVERY = _VANISHING_EVERY = 10
_SLOW_PAUSE_S = 0.25
_SETTLED_AFTER_S = 5.0
_ASKED_ONCE = 20
"""Clients that ask each question before the measurement, to know its answers and to fill caches."""
_MEGABYTE = 1_000_000
_NOTE = (
    "`POST /ask/stream` by two hundred clients over the demo's test questions, whose answers are known from asking "
    "each of them undisturbed. A stub model writes word by word, for as long as the column says on average, and up to "
    "half of that more or less. Clients start one after another within that time, and ask again as soon as a stream "
    "ends. With the fast model, that is more than two cores can answer, so every stream waits for its turn. One client "
    f"in ten waits {1000 * _SLOW_PAUSE_S:.0f} ms before it reads each chunk; another one breaks its connection after "
    "one to eight events. A stream is whole if it has each event once, and its result has the ID and the answers of "
    "its own question. Memory is that of the answerer, resident, before the streams and "
    f"{_SETTLED_AFTER_S:.0f} s after them."
)


async def measure(
    stack: ProductionStack, clients: int, seconds: float, start_s: float
) -> tuple[StreamCounts, tuple[int, int]]:
    """Read streams for some seconds; return the counts, and the answerer's memory before and after.

    The clients start within the first `start_s` seconds.
    """
    url, pid = stack.url("answerer"), stack.pid("answerer")
    expected = await _expected(url, [record.question for record in read_questions(QUESTIONS)][:_QUESTION_COUNT])
    counts = StreamCounts()
    before = resident_bytes(pid)
    until = time.perf_counter() + seconds
    async with asyncio.TaskGroup() as group:
        for number in range(clients):
            delay_s = start_s * number / clients
            group.create_task(_client(url, number, delay_s, until, expected, counts))
    await asyncio.sleep(_SETTLED_AFTER_S)
    return counts, (before, resident_bytes(pid))


async def _expected(url: str, questions: Sequence[str]) -> dict[str, Answers]:
    """Ask each question a few at a time, twice, and return the answers of the second time, when caches are full."""
    answers: dict[str, Answers] = {}
    slots = asyncio.Semaphore(_ASKED_ONCE)

    async def ask(http: aiohttp.ClientSession, question: str) -> None:
        async with slots, http.post(f"{url}/ask", json={"question": question}) as reply:
            answers[question] = answers_of(await reply.json())

    async with aiohttp.ClientSession() as http:
        for _ in range(2):
            await asyncio.gather(*(ask(http, question) for question in questions))
    return answers


async def _client(
    url: str, number: int, delay_s: float, until: float, expected: Mapping[str, Answers], counts: StreamCounts
) -> None:
    """Wait, and ask questions one after another until the time is over."""
    await asyncio.sleep(delay_s)
    chance = random.Random(number)
    questions = list(expected)
    pause_s = _SLOW_PAUSE_S if number % _SLOW_EVERY == 1 else 0.0
    vanishes = number % _VANISHING_EVERY == 2
    connection = await StreamConnection.open(url, pause_s)
    while time.perf_counter() < until:
        question, request_id = chance.choice(questions), new_request_id()
        limit = chance.randint(1, 8) if vanishes else None
        events = []
        try:
            async for event in connection.ask(question, request_id):
                events.append(event)
                if len(events) == limit:
                    break
        except (asyncio.IncompleteReadError, ConnectionError) as error:
            counts.broken[type(error).__name__] += 1
        if len(events) == limit:
            counts.left += 1
        elif connection.status not in (0, 200):
            counts.refused[connection.status] += 1
            await asyncio.sleep(0.1)
        else:
            counts.add(question, request_id, events, expected[question])
            if events and not pause_s:
                counts.first_event_s.append(events[0].after_s)
        if len(events) == limit or pause_s or not connection.status:
            # The service has sent everything and closed an idle connection long before a slow client has read it all.
            connection.abort()
            connection = await StreamConnection.open(url, pause_s)
    connection.abort()


def _column(counts: StreamCounts, memory: tuple[int, int]) -> dict[str, str]:
    ranked = sorted(counts.first_event_s)
    return {
        "streams, whole": f"{counts.whole:,}",
        "streams that abstained for want of time": f"{counts.late:,}",
        "streams with lost events": str(counts.lost),
        "streams with duplicated events": str(counts.duplicated),
        "streams with a result about something else": str(counts.crossed),
        "streams that ended with an error": str(counts.failed),
        "connections broken": ", ".join(f"{n} by {name}" for name, n in counts.broken.items()) or "0",
        "requests refused": ", ".join(f"{n} with {status}" for status, n in sorted(counts.refused.items())) or "0",
        "streams that their client left": f"{counts.left:,}",
        "first event, ms (p50)": f"{1000 * ranked[len(ranked) // 2]:.0f}",
        "first event, ms (p99)": f"{1000 * ranked[int(len(ranked) * 0.99)]:.0f}",
        "memory before, MB": f"{memory[0] / _MEGABYTE:.0f}",
        "memory after, MB": f"{memory[1] / _MEGABYTE:.0f}",
    }


def main() -> None:
    """Run the measurement; save the figures unless it was a smaller one."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--clients", type=int, default=_CLIENTS)
    parser.add_argument("--seconds", type=float, default=_SECONDS)
    arguments = parser.parse_args()
    if "KGQA_NEO4J_URL" in os.environ:
        raise SystemExit("unset KGQA_NEO4J_URL; the graph of this measurement is a file")
    commit = head()
    columns = {}
    for name, model_ms in _MODELS_MS.items():
        columns[name] = _run(model_ms, arguments.clients, arguments.seconds)
    if (arguments.clients, arguments.seconds) != (_CLIENTS, _SECONDS):
        return
    command = "python -m bench.serving.streams"
    keep("streams", Section(order=69, title="Streams", note=_NOTE, command=command, columns=columns, commit=commit))


def _run(model_ms: int, clients: int, seconds: float) -> dict[str, str]:
    with tempfile.TemporaryDirectory(prefix="kgqa-bench-") as folder:
        run_kgqa(Path(folder), "import", str(WORLD / "graph.tsv.xz"), "--graph", "world")
        with ProductionStack(Path(folder), model_ms) as stack:
            counts, memory = asyncio.run(measure(stack, clients, seconds, model_ms / 1000))
    column = _column(counts, memory)
    print(json.dumps(column, indent=2), *counts.examples[:10], sep="\n")
    return column


if __name__ == "__main__":
    main()
