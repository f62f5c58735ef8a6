"""Run all production parts on this machine; each can be frozen, killed, and restarted."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from unittest.mock import patch

from services.launcher import wait_until_ready
from shared.processes import free_port, stop
from tests.support.command_line import WORLD, run_kgqa

QUESTIONS = WORLD / "questions" / "test.jsonl"
NEO4J = "neo4j"
SERVICES = ("retriever", "rewriter", "answerer")
PARTS = (NEO4J, "redis", "model", *SERVICES)
_STARTS_WITHIN_S = 90
_STUB_MODEL_MS = 20
# Short timeouts, for impatient users, but long enough for brief pauses, because all parts share the CPU.
_SHORT_TIMEOUTS = {
    "KGQA_REWRITER_REDIS_TIMEOUT_S": "0.5",
    "KGQA_ANSWERER_RETRIEVER_TIMEOUT_S": "3",
    "KGQA_ANSWERER_REWRITER_TIMEOUT_S": "3",
    "KGQA_ANSWERER_LLM_TIMEOUT_S": "2",
    "KGQA_REWRITER_LLM_TIMEOUT_S": "1",
}


class Neo4jServer:
    """Control a Neo4j server through a program.

    Its commands are `start HOME PORT PASSWORD`, which returns when the server is ready, `stop HOME`, `kill HOME`
    (SIGKILL), `freeze HOME` (SIGSTOP), and `thaw HOME` (SIGCONT).
    """

    def __init__(self, program: str, folder: Path) -> None:
        self._program, self._folder = program, folder
        self._port, self._password = free_port(), "a-password-for-tests"
        self.settings = {"KGQA_NEO4J_URL": f"bolt://127.0.0.1:{self._port}", "KGQA_NEO4J_PASSWORD": self._password}

    def start(self) -> None:
        """Start the server, and wait until it is ready."""
        self.run("start", str(self._port), self._password)

    def run(self, command: str, *words: str) -> None:
        """Run a command of the program; raise RuntimeError with the program's status and output if it fails."""
        done = subprocess.run([self._program, command, str(self._folder), *words], capture_output=True, text=True)
        if done.returncode:
            raise RuntimeError(f"{self._program} {command} ended with {done.returncode}: {done.stdout}{done.stderr}")


class ProductionStack:
    """Run Redis, a stub model, and the three services, with the Neo4j server that the environment names.

    On entry, the context manager starts them and waits until they are ready; on exit, it stops them.

    Args:
        home: The folder to use as KGQA_HOME.
        model_ms: Milliseconds that the stub model takes for each completion.
        settings: Further environment variables for the services.
        neo4j: The Neo4j server, if it is to be frozen and killed too.
    """

    def __init__(
        self,
        home: Path,
        model_ms: float,
        settings: Mapping[str, str] | None = None,
        neo4j: Neo4jServer | None = None,
    ) -> None:
        self._neo4j = neo4j
        self._ports = {name: free_port() for name in ("redis", "model", *SERVICES)}
        self._environment = {**os.environ, **self._settings(home), **(settings or {})}
        python = [sys.executable, "-m"]
        port = {name: str(number) for name, number in self._ports.items()}
        self._commands = {
            "redis": ["redis-server", "--port", port["redis"], "--save", "", "--dir", str(home)],
            "model": [*python, "tests.support.stub_model", port["model"], str(model_ms), str(QUESTIONS)],
            **{name: [*python, f"services.{name}"] for name in SERVICES},
        }
        self._running: dict[str, subprocess.Popen[bytes]] = {}

    def __enter__(self) -> "ProductionStack":
        try:
            for name in self._commands:
                self._launch(name)
            self._wait_until_ready("answerer")
        except BaseException:
            self._stop()
            raise
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._stop()

    def url(self, name: str) -> str:
        """Return the URL of a part."""
        return f"http://127.0.0.1:{self._ports[name]}"

    def pid(self, name: str) -> int:
        """Return the process ID of a part."""
        return self._running[name].pid

    def freeze(self, name: str) -> None:
        """Send SIGSTOP to a part."""
        self._send(name, signal.SIGSTOP, "freeze")

    def thaw(self, name: str) -> None:
        """Send SIGCONT to a part."""
        self._send(name, signal.SIGCONT, "thaw")

    def kill(self, name: str) -> None:
        """Send SIGKILL to a part, and wait until it is gone."""
        self._send(name, signal.SIGKILL, "kill")

    def start(self, name: str) -> None:
        """Start a part that was killed; wait until it is ready, as a cluster would before it routes requests to it."""
        if name == NEO4J and self._neo4j:
            self._neo4j.start()
            return
        self._launch(name)
        if name in SERVICES:
            self._wait_until_ready(name)

    def _launch(self, name: str) -> None:
        command = self._commands[name]
        self._running[name] = subprocess.Popen(command, env=self._environment, stdout=subprocess.DEVNULL)

    def _wait_until_ready(self, name: str) -> None:
        wait_until_ready(f"{self.url(name)}/readyz", timeout_s=_STARTS_WITHIN_S)

    def _send(self, name: str, number: signal.Signals, command: str) -> None:
        if name == NEO4J and self._neo4j:
            self._neo4j.run(command)
            return
        self._running[name].send_signal(number)
        if number == signal.SIGKILL:
            self._running[name].wait()

    def _settings(self, home: Path) -> dict[str, str]:
        return {
            "KGQA_HOME": str(home),
            "KGQA_RETRIEVER_MODEL": str(WORLD / "retriever"),
            "KGQA_REWRITER_REDIS_URL": f"redis://127.0.0.1:{self._ports['redis']}/0",
            "KGQA_REWRITER_LLM_URL": self.url("model"),
            "KGQA_ANSWERER_LLM_URL": self.url("model"),
            "KGQA_ANSWERER_RETRIEVER_URL": self.url("retriever"),
            "KGQA_ANSWERER_REWRITER_URL": self.url("rewriter"),
            **{f"KGQA_{name.upper()}_PORT": str(self._ports[name]) for name in SERVICES},
            **{f"KGQA_{name.upper()}_LOG_LEVEL": "ERROR" for name in SERVICES},
        }

    def _stop(self) -> None:
        for process in reversed(self._running.values()):
            process.send_signal(signal.SIGCONT)
            stop(process, 10)


@contextmanager
def production_stack_with_neo4j(program: str, folder: Path) -> Iterator[ProductionStack]:
    """Run the demo with all production parts, with short timeouts; `program` controls Neo4j."""
    neo4j = Neo4jServer(program, folder / NEO4J)
    with patch.dict(os.environ, neo4j.settings):
        neo4j.start()
        try:
            run_kgqa(folder, "import", str(WORLD / "graph.tsv.xz"), "--graph", "world", "--to", "neo4j")
            with ProductionStack(folder, _STUB_MODEL_MS, _SHORT_TIMEOUTS, neo4j) as stack:
                yield stack
        finally:
            neo4j.run("thaw")
            neo4j.run("stop")
