"""Measure `POST /ask` over the production parts: a real Neo4j, a real Redis, and a model that takes a given time.

python -m bench.production            # KGQA_NEO4J_URL and KGQA_NEO4J_PASSWORD say where an empty Neo4j is

The demo graph is copied there. The services, Redis, the model's stub, the load, and Neo4j if it runs here, share the
machine's cores.
"""

import argparse
import asyncio
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

from bench.command import kgqa
from bench.load import bodies_of, put_load
from bench.results import Section, head, keep
from bench.run import WORLD
from shared.processes import free_port, stop

_QUESTIONS = WORLD / "questions" / "test.jsonl"
_CLIENTS, _FIRST_CLIENTS = 64, 8
_MODEL_MS = 50
_STARTS_WITHIN_S = 90
_FIRST_ROUND_S = 90.0
# One client does not get through all of them.
_FIRST_TIME_S = 15.0


@contextmanager
def services(home: Path, model_ms: float) -> Iterator[str]:
    """The answerer's URL, with all that it needs running for as long."""
    ports = {name: free_port() for name in ("redis", "model", "retriever", "rewriter", "answerer")}
    urls = {name: f"http://127.0.0.1:{port}" for name, port in ports.items()}
    environment = {
        "KGQA_HOME": str(home),
        "KGQA_RETRIEVER_MODEL": str(WORLD / "retriever"),
        "KGQA_REWRITER_REDIS_URL": f"redis://127.0.0.1:{ports['redis']}/0",
        "KGQA_REWRITER_LLM_URL": urls["model"],
        "KGQA_ANSWERER_LLM_URL": urls["model"],
        "KGQA_ANSWERER_RETRIEVER_URL": urls["retriever"],
        "KGQA_ANSWERER_REWRITER_URL": urls["rewriter"],
        **{f"KGQA_{name.upper()}_PORT": str(ports[name]) for name in ("retriever", "rewriter", "answerer")},
        **{f"KGQA_{name.upper()}_LOG_LEVEL": "WARNING" for name in ("retriever", "rewriter", "answerer")},
    }
    python = [sys.executable, "-m"]
    commands = [
        ["redis-server", "--port", str(ports["redis"]), "--save", "", "--dir", str(home)],
        [*python, "bench.stub_model", str(ports["model"]), str(model_ms), str(_QUESTIONS)],
        *([*python, f"services.{name}"] for name in ("retriever", "rewriter", "answerer")),
    ]
    with ExitStack() as stack:
        for command in commands:
            stack.enter_context(_running(command, environment))
        _wait_until_ready(urls["answerer"])
        yield urls["answerer"]


@contextmanager
def _running(command: Sequence[str], environment: Mapping[str, str]) -> Iterator[None]:
    process = subprocess.Popen(command, env={**os.environ, **environment}, stdout=subprocess.DEVNULL)
    try:
        yield
    finally:
        stop(process, 10)


def _wait_until_ready(url: str) -> None:
    """Until all that it depends on answers, and not only what it cannot do without."""
    deadline = time.monotonic() + _STARTS_WITHIN_S
    while time.monotonic() < deadline:
        try:
            with urlopen(f"{url}/readyz", timeout=5) as reply:
                if b"false" not in reply.read():
                    return
        except (URLError, OSError):
            pass
        time.sleep(0.2)
    raise SystemExit(f"the services did not get ready within {_STARTS_WITHIN_S} s; see what they said above")


def measure(home: Path) -> None:
    """One client and a model that takes no time; then many and one that takes its time."""
    commit = head()
    kgqa(home, "import", str(WORLD / "graph.tsv.xz"), "--graph", "world", "--to", "neo4j")
    bodies, columns = bodies_of(_QUESTIONS), {}
    for clients, milliseconds in ((1, 0), (_CLIENTS, _MODEL_MS)):
        column = f"{clients} client{'s' * (clients > 1)}, model {milliseconds} ms"
        with services(home, milliseconds) as url:
            if clients == 1:
                load = asyncio.run(put_load(f"{url}/ask", bodies, 1, _FIRST_TIME_S))
                columns[f"{column}, asked for the first time"] = load.shown()
            # All of them once, so that names and texts are cached as they are after the first day.
            asyncio.run(put_load(f"{url}/ask", bodies, _FIRST_CLIENTS, _FIRST_ROUND_S))
            columns[column] = asyncio.run(put_load(f"{url}/ask", bodies, clients)).shown()
    note = (
        "`POST /ask` with format `text` over the demo graph's test questions; Neo4j, Redis, the three services, the "
        "model's stub and the load share two cores. With a model that takes no time, the latency is what the system "
        "adds. All questions were asked before, so that names, steps and encodings are in the retriever's memory and "
        "texts in Redis, but for the first column."
    )
    command = "python -m bench.production"
    keep("production", Section(order=30, title="Production parts", note=note, command=command, columns=columns,
                               commit=commit))  # fmt: skip


def main() -> None:
    """Measure, in a home of its own."""
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    if "KGQA_NEO4J_URL" not in os.environ:
        raise SystemExit("set KGQA_NEO4J_URL and KGQA_NEO4J_PASSWORD to an empty Neo4j")
    with tempfile.TemporaryDirectory(prefix="kgqa-bench-") as folder:
        measure(Path(folder))


if __name__ == "__main__":
    main()
