"""Measure a running service under load: latency with one client, and throughput with many.

python -m bench.serving.load http://127.0.0.1:8001/retrieve QUESTIONS.jsonl      # prints the figures as JSON
"""

import argparse
import asyncio
import itertools
import json
import os
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from urllib.parse import urlsplit

from question_sets.records import read_questions
from services.launcher import server_process, wait_until_ready
from shared.processes import free_port

ONE, MANY = 1, 32
_SECONDS = 10.0
_WARM_UP_S = 2.0


@dataclass(frozen=True, slots=True)
class LoadResult:
    """Hold the latency in milliseconds and the requests per second when each client sends one request at a time."""

    clients: int
    p50_ms: float
    p99_ms: float
    per_second: float

    def as_column(self) -> dict[str, str]:
        """Return the figures as text, keyed by measure."""
        return {
            "latency, ms (p50)": str(self.p50_ms),
            "latency, ms (p99)": str(self.p99_ms),
            "requests per second": str(self.per_second),
        }


def serve_and_load(home: Path, graph: str, model: Path, questions: Path) -> tuple[LoadResult, LoadResult]:
    """Start a retriever, and measure it with one client and with many clients."""
    port = free_port()
    settings = {"GRAPH": graph, "MODEL": str(model), "PORT": str(port)}
    environment = {**os.environ, "KGQA_HOME": str(home), **{f"KGQA_RETRIEVER_{k}": v for k, v in settings.items()}}
    bodies, url = request_bodies(questions), f"http://127.0.0.1:{port}"
    with server_process("retriever", "services.retriever", environment=environment, log=Path(os.devnull)) as service:
        wait_until_ready(f"{url}/readyz", [service])
        one, many = (asyncio.run(put_load(f"{url}/retrieve", bodies, clients)) for clients in (ONE, MANY))
    return one, many


async def put_load(url: str, bodies: Sequence[bytes], clients: int, seconds: float = _SECONDS) -> LoadResult:
    """Send the bodies in turn for `seconds`, over one connection per client; raise RuntimeError if a request fails."""
    turns = itertools.cycle(bodies)
    await asyncio.gather(*(_client(url, turns, time.perf_counter() + _WARM_UP_S) for _ in range(clients)))
    started = time.perf_counter()
    spent = await asyncio.gather(*(_client(url, turns, started + seconds) for _ in range(clients)))
    taken = time.perf_counter() - started
    ranked = sorted(one for many in spent for one in many)
    return LoadResult(
        clients,
        round(1000 * ranked[len(ranked) // 2], 2),
        round(1000 * ranked[int(len(ranked) * 0.99)], 2),
        round(len(ranked) / taken, 1),
    )


async def _client(url: str, turns: Iterator[bytes], until: float) -> list[float]:
    """Send requests until the time `until`, and return the duration of each one in seconds."""
    # Use plain sockets, because an HTTP client library would need more CPU than the service.
    parts = urlsplit(url)
    reader, writer = await asyncio.open_connection(parts.hostname, parts.port)
    head = f"POST {parts.path} HTTP/1.1\r\nHost: {parts.netloc}\r\nContent-Type: application/json\r\nContent-Length: "
    spent = []
    while time.perf_counter() < until:
        body = next(turns)
        started = time.perf_counter()
        writer.write(f"{head}{len(body)}\r\n\r\n".encode() + body)
        answer = await reader.readuntil(b"\r\n\r\n")
        lines = answer.decode("latin-1").lower().split("\r\n")
        length = next(int(line.split(":")[1]) for line in lines if line.startswith("content-length:"))
        text = await reader.readexactly(length)
        if " 200 " not in lines[0]:
            raise RuntimeError(f"{url} answered {lines[0]}: {text.decode()[:600]}")
        spent.append(time.perf_counter() - started)
    writer.close()
    await writer.wait_closed()
    return spent


def request_bodies(questions: Path) -> list[bytes]:
    """Return a request body for each question in a file, with brackets around mentions removed."""
    texts = (record.question.replace("[", "").replace("]", "") for record in read_questions(questions))
    return [json.dumps({"question": text}).encode() for text in texts]


def main() -> None:
    """Measure with one client and with many clients, and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("url", help="URL of a POST route that takes a question")
    parser.add_argument("questions", type=Path, help="JSON Lines file of questions to ask in turn")
    arguments = parser.parse_args()
    bodies = request_bodies(arguments.questions)
    for clients in (ONE, MANY):
        print(json.dumps(asdict(asyncio.run(put_load(arguments.url, bodies, clients)))))


if __name__ == "__main__":
    main()
