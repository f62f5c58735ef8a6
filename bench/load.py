"""Put load on a running service: latency at one client, and requests a second at many.

python -m bench.load http://127.0.0.1:8001/retrieve QUESTIONS.jsonl      # prints the figures as JSON
"""

import argparse
import asyncio
import itertools
import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from urllib.parse import urlsplit

from question_sets.records import read_questions
from shared.processes import free_port

ONE, MANY = 1, 32
_SECONDS = 10.0
_WARM_UP_S = 2.0
_STARTS_WITHIN_S = 60


@dataclass(frozen=True, slots=True)
class Load:
    """What so many clients got, each with one request at a time: milliseconds a request, requests a second."""

    clients: int
    p50_ms: float
    p99_ms: float
    per_second: float

    def shown(self) -> dict[str, str]:
        """The figures as text, by measure."""
        return {"latency, ms (p50)": str(self.p50_ms), "latency, ms (p99)": str(self.p99_ms),
                "requests a second": str(self.per_second)}  # fmt: skip


def serve_and_load(home: Path, graph: str, model: Path, questions: Path) -> tuple[Load, Load]:
    """Start the retriever as it is served, and put load on it: with one client, and with many."""
    port = free_port()
    settings = {"GRAPH": graph, "MODEL": str(model), "PORT": str(port)}
    environment = {**os.environ, "KGQA_HOME": str(home), **{f"KGQA_RETRIEVER_{k}": v for k, v in settings.items()}}
    bodies = bodies_of(questions)
    command = [sys.executable, "-m", "services.retriever"]
    with subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL) as service:
        try:
            _wait_for(port)
            one, many = (asyncio.run(put_load(f"http://127.0.0.1:{port}/retrieve", bodies, n)) for n in (ONE, MANY))
        finally:
            service.terminate()
    return one, many


def _wait_for(port: int) -> None:
    for _ in range(_STARTS_WITHIN_S * 10):
        try:
            socket.create_connection(("127.0.0.1", port)).close()
            return
        except ConnectionRefusedError:
            time.sleep(0.1)
    raise RuntimeError(f"the retriever did not start within {_STARTS_WITHIN_S} s")


async def put_load(url: str, bodies: Sequence[bytes], clients: int, seconds: float = _SECONDS) -> Load:
    """Send the bodies in turns for some seconds, over one connection a client. Raises RuntimeError if one fails."""
    turns = itertools.cycle(bodies)
    await asyncio.gather(*(_client(url, turns, time.perf_counter() + _WARM_UP_S) for _ in range(clients)))
    started = time.perf_counter()
    spent = await asyncio.gather(*(_client(url, turns, started + seconds) for _ in range(clients)))
    taken = time.perf_counter() - started
    ranked = sorted(one for many in spent for one in many)
    return Load(
        clients,
        round(1000 * ranked[len(ranked) // 2], 2),
        round(1000 * ranked[int(len(ranked) * 0.99)], 2),
        round(len(ranked) / taken, 1),
    )


async def _client(url: str, turns: Iterator[bytes], until: float) -> list[float]:
    """Seconds that each request took. Plain sockets: a client library would take more of the cores than the service."""
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


def bodies_of(questions: Path) -> list[bytes]:
    """The questions of a file as request bodies, with nothing but the bare question."""
    texts = (record.question.replace("[", "").replace("]", "") for record in read_questions(questions))
    return [json.dumps({"question": text}).encode() for text in texts]


def main() -> None:
    """Measure with one client and with many."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("url", help="the address of a POST route that takes a question")
    parser.add_argument("questions", type=Path, help="questions to ask in turns, JSON Lines")
    arguments = parser.parse_args()
    bodies = bodies_of(arguments.questions)
    for clients in (ONE, MANY):
        print(json.dumps(asdict(asyncio.run(put_load(arguments.url, bodies, clients)))))


if __name__ == "__main__":
    main()
