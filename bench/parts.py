"""The production parts as processes of this machine: each can be stopped, frozen, killed and started anew."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType

import httpx

from bench.run import WORLD
from shared.processes import free_port, stop

QUESTIONS = WORLD / "questions" / "test.jsonl"
SERVICES = ("retriever", "rewriter", "answerer")
_STARTS_WITHIN_S = 90


class Parts:
    """Redis, a model's stub that takes `model_ms`, and the three services over the Neo4j of the environment.

    A context manager: the parts run, and are ready, for as long as it is entered. `settings` are for the services.
    """

    def __init__(self, home: Path, model_ms: float, settings: Mapping[str, str] | None = None) -> None:
        self._ports = {name: free_port() for name in ("redis", "model", *SERVICES)}
        self._environment = {**os.environ, **self._settings(home), **(settings or {})}
        python = [sys.executable, "-m"]
        port = {name: str(number) for name, number in self._ports.items()}
        self._commands = {
            "redis": ["redis-server", "--port", port["redis"], "--save", "", "--dir", str(home)],
            "model": [*python, "bench.stub_model", port["model"], str(model_ms), str(QUESTIONS)],
            **{name: [*python, f"services.{name}"] for name in SERVICES},
        }
        self._running: dict[str, subprocess.Popen[bytes]] = {}

    def __enter__(self) -> "Parts":
        try:
            for name in self._commands:
                self.start(name)
            wait_until_ready(self.url("answerer"))
        except BaseException:
            self._stop()
            raise
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._stop()

    def url(self, name: str) -> str:
        """Where a part listens."""
        return f"http://127.0.0.1:{self._ports[name]}"

    def start(self, name: str) -> None:
        """Start one part; it may not be ready yet."""
        command = self._commands[name]
        self._running[name] = subprocess.Popen(command, env=self._environment, stdout=subprocess.DEVNULL)

    def send(self, name: str, number: signal.Signals) -> None:
        """Send a signal to one part, and wait for its end if it is SIGKILL."""
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


def wait_until_ready(url: str) -> None:
    """Until all that a service depends on answers, and not only what it cannot do without.

    Raises RuntimeError if that takes too long.
    """
    deadline = time.monotonic() + _STARTS_WITHIN_S
    while time.monotonic() < deadline:
        try:
            reply = httpx.get(f"{url}/readyz", timeout=5, trust_env=False)
            if reply.is_success and all(reply.json()["checks"].values()):
                return
        except httpx.HTTPError:
            pass
        time.sleep(0.05)
    raise RuntimeError(f"{url} did not get ready within {_STARTS_WITHIN_S} s; see what it said above")
