"""Neo4j and all other production parts on this machine, and how each is frozen, killed and started anew."""

import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest.mock import patch

from bench.command import kgqa
from bench.parts import SERVICES, Parts, wait_until_ready
from bench.run import WORLD
from shared.processes import free_port

NEO4J = "neo4j"
_MODEL_MS = 20
# Of users who do not like to wait; but all parts share the cores, so that now and then one stands still for a while.
_SETTINGS = {
    "KGQA_REWRITER_REDIS_TIMEOUT_S": "0.5",
    "KGQA_ANSWERER_RETRIEVER_TIMEOUT_S": "3",
    "KGQA_ANSWERER_REWRITER_TIMEOUT_S": "3",
    "KGQA_ANSWERER_LLM_TIMEOUT_S": "2",
    "KGQA_REWRITER_LLM_TIMEOUT_S": "1",
}


class Neo4jServer:
    """Started and stopped by a program: `start HOME PORT PASSWORD`, `stop`, `kill`, `freeze`, `thaw`."""

    def __init__(self, program: str, folder: Path) -> None:
        self._program, self._folder = program, folder
        self._port, self._password = free_port(), "a-password-for-tests"
        self.settings = {"KGQA_NEO4J_URL": f"bolt://127.0.0.1:{self._port}", "KGQA_NEO4J_PASSWORD": self._password}

    def start(self) -> None:
        """Returns when it answers."""
        self.do("start", str(self._port), self._password)

    def do(self, command: str, *words: str) -> None:
        """Let the program do something. Raises RuntimeError with what it said if it cannot."""
        done = subprocess.run([self._program, command, str(self._folder), *words], capture_output=True, text=True)
        if done.returncode:
            raise RuntimeError(f"{self._program} {command}: {done.stdout}{done.stderr}")


class Whole:
    """Neo4j and the other parts by name; the demo graph is served at `url`."""

    def __init__(self, parts: Parts, neo4j: Neo4jServer) -> None:
        self.url = parts.url("answerer")
        self._parts = parts
        self._neo4j = neo4j

    def freeze(self, name: str) -> None:
        """SIGSTOP."""
        self._send(name, signal.SIGSTOP, "freeze")

    def thaw(self, name: str) -> None:
        """SIGCONT."""
        self._send(name, signal.SIGCONT, "thaw")

    def kill(self, name: str) -> None:
        """SIGKILL."""
        self._send(name, signal.SIGKILL, "kill")

    def start(self, name: str) -> None:
        """Returns when the part is ready, as a cluster would send it requests again."""
        if name == NEO4J:
            self._neo4j.start()
            return
        self._parts.start(name)
        if name in SERVICES:
            wait_until_ready(self._parts.url(name))

    def _send(self, name: str, number: signal.Signals, command: str) -> None:
        if name == NEO4J:
            self._neo4j.do(command)
        else:
            self._parts.send(name, number)


@contextmanager
def whole(program: str, folder: Path) -> Iterator[Whole]:
    """All parts, for as long as it is entered. `program` starts and stops a Neo4j."""
    neo4j = Neo4jServer(program, folder / NEO4J)
    with patch.dict(os.environ, neo4j.settings):
        neo4j.start()
        try:
            kgqa(folder, "import", str(WORLD / "graph.tsv.xz"), "--graph", "world", "--to", "neo4j")
            with Parts(folder, _MODEL_MS, _SETTINGS) as parts:
                yield Whole(parts, neo4j)
        finally:
            neo4j.do("thaw")
            neo4j.do("stop")
