"""The whole chain as a user starts it: `kgqa up` on the demo graph, on free ports, with an empty KGQA_HOME."""

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

START_TIMEOUT_S = 120
LLM_KEY = "of-the-tests"


@dataclass(frozen=True)
class Running:
    """A running `kgqa up`: its environment, the answerer's address, and the process."""

    environment: dict[str, str]
    urls: dict[str, str]
    process: "subprocess.Popen[str]"


def _free_ports(count: int) -> list[int]:
    sockets = [socket.socket() for _ in range(count)]
    for s in sockets:
        s.bind(("127.0.0.1", 0))
    ports = [s.getsockname()[1] for s in sockets]
    for s in sockets:
        s.close()
    return ports


def clean_environment(home: Path) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("KGQA_")}
    return {**kept, "KGQA_HOME": str(home), "NO_COLOR": "1"}


def start_up(home: Path, in_background: bool = False, **settings: str) -> Running:
    """`kgqa up` with `home` as its KGQA_HOME, on free ports, when it says that it is ready.

    `in_background`: as a shell's script starts what ends in `&`, with Ctrl-C ignored. `settings`: more variables
    of its environment.
    """
    names = ("answerer", "retriever", "rewriter", "embedded_llm")
    ports = dict(zip(names, _free_ports(len(names)), strict=True))
    environment = clean_environment(home) | settings
    environment |= {f"KGQA_{name.upper()}_PORT": str(port) for name, port in ports.items()}
    urls = {name: f"http://127.0.0.1:{port}" for name, port in ports.items()}
    environment |= {"KGQA_URL": urls["answerer"], "KGQA_EMBEDDED_LLM_API_KEY": LLM_KEY}
    command = [sys.executable, "-m", "kgqa", "up"]
    if in_background:
        command = ["sh", "-c", 'trap "" INT; exec "$@"', "sh", *command]
    process = subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, text=True, bufsize=1, preexec_fn=_heed_ctrl_c
    )
    assert process.stdout is not None
    line = process.stdout.readline()
    assert line.startswith("ready: "), line
    return Running(environment, urls, process)


def _heed_ctrl_c() -> None:
    """As in a terminal, even where the tests themselves were started in the background."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    started = start_up(tmp_path_factory.mktemp("home"))
    yield started
    started.process.send_signal(signal.SIGINT)
    assert started.process.wait(START_TIMEOUT_S) == 0
    assert started.process.stdout is not None
    started.process.stdout.close()
