"""Start this project's servers as processes on loopback, wait until they are ready, and stop them."""

import json
import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http import HTTPStatus
from pathlib import Path

from services.healthcheck import fetch
from services.llm.settings import KEY_VARIABLE, random_key
from shared.errors import DependencyError, KGQAError
from shared.processes import free_port, port_is_free, start_module, stop

START_TIMEOUT_S = 60.0
STOP_TIMEOUT_S = 10.0
_EMBEDDED_STOP_TIMEOUT_S = 5.0
_POLL_INTERVAL_S = 0.05
_PROBE_TIMEOUT_S = 3.0

Checks = Mapping[str, bool]


class ServiceDiedError(KGQAError):
    """Report that a server process exited unexpectedly."""

    kind = "service-died"
    title = "A service ended by itself"


@dataclass(frozen=True, slots=True)
class ServerProcess:
    """Represent a running server; `log` is its log file, or None if it writes to this process's output."""

    name: str
    popen: "subprocess.Popen[bytes]"
    log: Path | None = None

    def raise_if_exited(self) -> None:
        """Raise ServiceDiedError with the exit code, or the signal, if the process has exited."""
        code = self.popen.poll()
        if code is None:
            return
        if code < 0:
            reason = f"was ended by {signal.Signals(-code).name}"
        else:
            reason = f"ended with exit code {code}"
            if self.log:
                last_line = self.log.read_text(encoding="utf-8", errors="replace").strip().splitlines()[-1:]
                reason += f": {' '.join(last_line)}"
        where = f"its log is {self.log}" if self.log else "see its output"
        raise ServiceDiedError(f"the {self.name} {reason}; {where}")


@contextmanager
def server_process(
    name: str,
    module: str,
    *arguments: str,
    environment: Mapping[str, str],
    log: Path | None = None,
    keep_open: Sequence[int] = (),
    stop_timeout_s: float = STOP_TIMEOUT_S,
) -> Iterator[ServerProcess]:
    """Run a server module in a new process, and stop the process on exit.

    Args:
        name: the name of the server in messages.
        module: the module to run, such as `services.retriever`.
        *arguments: its command-line arguments.
        environment: the complete set of its environment variables.
        log: the file for its output; if None, it writes to this process's output.
        keep_open: file descriptors that it inherits.
        stop_timeout_s: seconds between SIGTERM and SIGKILL.
    """
    popen = start_module(module, *arguments, environment=environment, output=log, keep_open=keep_open)
    try:
        yield ServerProcess(name, popen, log)
    finally:
        stop(popen, stop_timeout_s)


def wait_until_ready(
    probe: str,
    servers: Sequence[ServerProcess] = (),
    timeout_s: float = START_TIMEOUT_S,
    is_enough: Callable[[Checks, float], bool] | None = None,
) -> Checks:
    """Poll a health endpoint until every check passes.

    Args:
        probe: URL of `/readyz`, or of `/healthz` for a server without dependencies.
        servers: processes that must stay alive during the wait.
        timeout_s: seconds to wait.
        is_enough: decides whether to accept an incomplete result, given the checks and the seconds waited so far.

    Returns:
        The last result for each dependency; empty for a server without dependencies.

    Raises:
        ServiceDiedError: one of `servers` exited.
        DependencyError: the server was not ready in time; the message names the checks that failed.
    """
    started = time.monotonic()
    checks: Checks | None = None
    while (waited := time.monotonic() - started) < timeout_s:
        for server in servers:
            server.raise_if_exited()
        checks = _checks(probe)
        if checks is not None and (all(checks.values()) or (is_enough and is_enough(checks, waited))):
            return checks
        time.sleep(_POLL_INTERVAL_S)
    missing = ", ".join(failed_checks(checks or {})) or f"no answer from {probe}"
    raise DependencyError(f"not ready within {timeout_s:.0f} s: {missing}")


def failed_checks(checks: Checks) -> list[str]:
    """Return the names of the checks that failed."""
    return [name for name, passed in checks.items() if not passed]


def _checks(url: str) -> Checks | None:
    """Return the checks that a health endpoint reports (empty if it reports none), or None if it does not answer."""
    if (response := fetch(url, _PROBE_TIMEOUT_S)) is None:
        return None
    status, body = response
    with suppress(ValueError, AttributeError, TypeError):
        return dict(json.loads(body).get("checks", {} if status == HTTPStatus.OK else None))
    return None


@dataclass(frozen=True, slots=True)
class EmbeddedServer:
    """Hold the address of a running embedded language model, and the key that it requires."""

    url: str
    api_key: str = field(repr=False)


@contextmanager
def embedded_language_model(port: int | None = None, graph: str | None = None) -> Iterator[EmbeddedServer]:
    """Run the embedded language model on loopback with a random key, and stop it on exit.

    The server also stops when this process exits.

    Args:
        port: the port to listen on; by default, any free port.
        graph: serve the adapters trained for this graph, if it has any.

    Raises:
        DependencyError: the port is in use, or the server was not ready in time.
        ServiceDiedError: the server exited while it started.
    """
    if port and not port_is_free("127.0.0.1", port):
        raise DependencyError(f"the embedded language model cannot listen on port {port}: it is in use")
    chosen = port or free_port()
    server = EmbeddedServer(f"http://127.0.0.1:{chosen}", random_key())
    arguments = ["--port", str(chosen), "--log-level", "WARNING", *(["--graph", graph] if graph else [])]
    with server_process(
        "embedded language model",
        "services.llm",
        *arguments,
        environment={**os.environ, KEY_VARIABLE: server.api_key},
        stop_timeout_s=_EMBEDDED_STOP_TIMEOUT_S,
    ) as process:
        wait_until_ready(f"{server.url}/healthz", [process])
        yield server
