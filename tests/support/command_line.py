"""Run `kgqa` as a user does, such as `kgqa up` on free ports."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import patch

from services.instances import recorded_instances
from shared.processes import free_port

WORLD = Path(__file__).resolve().parents[2] / "examples" / "world"
"""Folder of the demo."""
LLM_KEY = "of-the-tests"
STOP_TIMEOUT_S = 120
_NO_SETTINGS: Mapping[str, str] = {}


@dataclass(frozen=True)
class Running:
    """Represent a running `kgqa up`: its environment, the URLs of its servers, keyed by name, and its process.

    `ready` is the line that it printed when it was ready.
    """

    environment: dict[str, str]
    urls: dict[str, str]
    process: "subprocess.Popen[str]"
    ready: str


def clean_environment(home: Path) -> dict[str, str]:
    """Return this process's environment without KGQA settings, and with `home` as KGQA_HOME."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("KGQA_")}
    return {**kept, "KGQA_HOME": str(home), "NO_COLOR": "1"}


def run_kgqa(home: Path, *words: str) -> float:
    """Run a command with `home` as KGQA_HOME, and return the seconds it took; raise CalledProcessError if it fails."""
    started = time.perf_counter()
    subprocess.run([sys.executable, "-m", "kgqa", *words], env={**os.environ, "KGQA_HOME": str(home)}, check=True)
    return time.perf_counter() - started


@contextmanager
def kgqa_up(home: Path, *options: str, settings: Mapping[str, str] = _NO_SETTINGS) -> Iterator[Running]:
    """Run `kgqa up` with command-line options, wait until it is ready, and stop it with Ctrl-C on exit."""
    running = start_kgqa_up(home, *options, settings=settings)
    assert running.process.stdout is not None
    try:
        yield running
    finally:
        running.process.send_signal(signal.SIGINT)
        code = running.process.wait(STOP_TIMEOUT_S)
        running.process.stdout.close()
    assert code == 0


def start_kgqa_up(
    home: Path, *options: str, in_background: bool = False, settings: Mapping[str, str] = _NO_SETTINGS
) -> Running:
    """Start `kgqa up` with command-line options, and wait until it reports that it is ready; the caller stops it.

    `settings` are further environment variables. With `in_background`, the process ignores Ctrl-C, like a command that
    a shell script starts with `&`.
    """
    names = ("answerer", "retriever", "rewriter", "embedded_llm")
    ports = {name: free_port() for name in names}
    urls = {name: f"http://127.0.0.1:{port}" for name, port in ports.items()}
    environment = clean_environment(home) | {"KGQA_EMBEDDED_LLM_API_KEY": LLM_KEY}
    environment |= {f"KGQA_{name.upper()}_PORT": str(port) for name, port in ports.items()}
    environment |= {"KGQA_URL": urls["answerer"], **settings}
    command = [sys.executable, "-m", "kgqa", "up", *options]
    if in_background:
        command = ["sh", "-c", 'trap "" INT; exec "$@"', "sh", *command]
    process = subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, text=True, bufsize=1, preexec_fn=_reset_signals
    )
    assert process.stdout is not None
    line = process.stdout.readline()
    assert line.startswith("ready: "), line
    return Running(environment, urls, process, line.rstrip())


def server_pids(running: Running) -> dict[str, int]:
    """Return the process of each server of a `kgqa up`, by its name, as `kgqa status` finds them."""
    with patch.dict(os.environ, {"KGQA_HOME": running.environment["KGQA_HOME"]}):
        recorded = (instance for _, instance in recorded_instances() if instance.pid == running.process.pid)
        return next(recorded).pids


def _reset_signals() -> None:
    """Handle signals as in a terminal, even if the tests themselves run in the background or under nohup."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
