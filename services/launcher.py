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
# Each poll makes the services ask their own dependencies, such as a model server elsewhere.
_MAX_POLL_INTERVAL_S = 1.0
_POLL_GROWTH = 1.2
_PROBE_TIMEOUT_S = 3.0

Checks = Mapping[str, bool]


class ServiceDiedError(KGQAError):
    """Report that a server process exited unexpectedly."""

    kind = "service-died"
    title = "A service exited unexpectedly"


@dataclass(frozen=True, slots=True)
class ServerProcess:
    """Represent a running server; `log` is its log file, or None if the server writes to this process's output."""

    name: str
    popen: "subprocess.Popen[bytes]"
    log: Path | None = None

    def exit_reason(self) -> str | None:
        """Return why the process has exited: its exit code and last line of output, or its signal; None if it runs."""
        code = self.popen.poll()
        if code is None:
            return None
        if code < 0:
            return f"was killed by {signal.Signals(-code).name}"
        last_line = self.log.read_text(encoding="utf-8", errors="replace").strip().splitlines()[-1:] if self.log else []
        return ": ".join([f"exited with code {code}", *last_line])

    def raise_if_exited(self) -> None:
        """Raise ServiceDiedError with the reason if the process has exited."""
        if reason := self.exit_reason():
            raise ServiceDiedError(f"the {self.name} {reason}; see {self.log or 'its output'}")

    def stop(self, timeout_s: float = STOP_TIMEOUT_S) -> None:
        """Terminate the process, and kill it if it still runs after `timeout_s`."""
        stop(self.popen, timeout_s)


def start_server(
    name: str,
    module: str,
    *arguments: str,
    environment: Mapping[str, str],
    log: Path | None = None,
    keep_open: Sequence[int] = (),
) -> ServerProcess:
    """Run a server module in a new process.

    `name` is the server's name in messages. `environment` holds all environment variables of the new process, and
    `keep_open` lists the file descriptors that it inherits. Without a `log` file, it writes to this process's output.
    """
    popen = start_module(module, *arguments, environment=environment, output=log, keep_open=keep_open)
    return ServerProcess(name, popen, log)


@contextmanager
def server_process(
    name: str,
    module: str,
    *arguments: str,
    environment: Mapping[str, str],
    log: Path | None = None,
    stop_timeout_s: float = STOP_TIMEOUT_S,
) -> Iterator[ServerProcess]:
    """Run a server module as `start_server` does, and stop the process on exit."""
    server = start_server(name, module, *arguments, environment=environment, log=log)
    try:
        yield server
    finally:
        server.stop(stop_timeout_s)


def wait_until_ready(
    probe: str,
    servers: Sequence[ServerProcess] = (),
    timeout_s: float = START_TIMEOUT_S,
    is_enough: Callable[[Checks, float], bool] | None = None,
) -> Checks:
    """Poll `/readyz`, or `/healthz` for a server without dependencies, until every check passes; return the checks.

    `is_enough` decides whether to accept failed checks, given all checks and the seconds waited so far. Raises
    ServiceDiedError if one of the servers exits, and DependencyError, naming the failed checks, if the time runs out.
    """
    started = time.monotonic()
    checks: Checks | None = None
    interval = _POLL_INTERVAL_S
    while (waited := time.monotonic() - started) < timeout_s:
        for server in servers:
            server.raise_if_exited()
        checks = _checks(probe)
        if checks is not None and (all(checks.values()) or (is_enough and is_enough(checks, waited))):
            return checks
        time.sleep(interval)
        interval = min(_MAX_POLL_INTERVAL_S, interval * _POLL_GROWTH)
    missing = explained(failed_checks(checks or {}), probe) or f"no response from {probe}"
    raise DependencyError(f"not ready within {timeout_s:.0f} s: {missing}")


def failed_checks(checks: Checks) -> list[str]:
    """Return the names of the checks that failed."""
    return [name for name, passed in checks.items() if not passed]


def explained(checks: Sequence[str], probe: str) -> str:
    """List failed checks, with the reasons that a health endpoint gives for them."""
    reasons: dict[str, str] = {}
    with suppress(ValueError, AttributeError, TypeError):
        _, body = fetch(probe, _PROBE_TIMEOUT_S) or (0, b"{}")
        reasons = dict(json.loads(body).get("reasons") or {})
    return ", ".join(f"{name} ({reasons[name]})" if name in reasons else name for name in checks)


def _checks(url: str) -> Checks | None:
    """Return the checks that a health endpoint reports (empty if it reports none), or None if it does not respond."""
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
    """Run the embedded language model on loopback with a random key; stop it on exit, or when this process dies.

    By default, it listens on any free port. It serves the adapters trained for `graph`, if there are any. Raises
    DependencyError if the port is in use or the server is not ready in time, and ServiceDiedError if the server exits.
    """
    if port and not port_is_free("127.0.0.1", port):
        raise DependencyError(f"port {port}, for the embedded language model, is in use; choose another port")
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
