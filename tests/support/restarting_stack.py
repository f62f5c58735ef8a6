"""Freeze and kill the servers of a `kgqa up`, which restarts them itself."""

import os
import signal

from services.launcher import wait_until_ready
from tests.support.command_line import Running, server_pids
from tests.support.waiting import HANGS_AFTER_S, wait_until

LLM = "llm"
SERVERS = ("retriever", "rewriter", "answerer", LLM)


class RestartingStack:
    """Represent a running `kgqa up` whose servers are disturbed."""

    def __init__(self, running: Running) -> None:
        self._running = running
        self._killed: dict[str, int] = {}

    def url(self, name: str) -> str:
        """Return the URL of a server."""
        return self._running.urls["embedded_llm" if name == LLM else name]

    def freeze(self, name: str) -> None:
        """Send SIGSTOP to a server."""
        os.kill(server_pids(self._running)[name], signal.SIGSTOP)

    def thaw(self, name: str) -> None:
        """Send SIGCONT to a server."""
        os.kill(server_pids(self._running)[name], signal.SIGCONT)

    def kill(self, name: str) -> None:
        """Send SIGKILL to a server."""
        self._killed[name] = server_pids(self._running)[name]
        os.kill(self._killed[name], signal.SIGKILL)

    def start(self, name: str) -> None:
        """Wait until a server that was killed runs again, and is ready."""
        wait_until(
            lambda: server_pids(self._running).get(name, self._killed[name]) != self._killed[name],
            f"the {name} was not started again",
            pause_s=0.1,
        )
        path = "healthz" if name == LLM else "readyz"
        wait_until_ready(f"{self.url(name)}/{path}", timeout_s=HANGS_AFTER_S)
