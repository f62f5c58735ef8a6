"""Keep the servers of a local stack running: restart those that exit, with growing pauses."""

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from services.instances import Restarts
from services.launcher import ServerProcess
from services.stack_addresses import SERVER_NAMES

FIRST_PAUSE_S = 1.0
LONGEST_PAUSE_S = 60.0
STABLE_AFTER_S = 60.0
"""A server that ran this long was not failing from the start, so the pauses begin again."""


@dataclass(frozen=True, slots=True)
class _Server:
    """Hold the state of one server; `process` is None while it waits for its next start at `starts`."""

    process: ServerProcess | None
    starts: float
    pause_s: float = 0.0
    restarts: int = 0
    reason: str = ""
    exited: datetime | None = None


class Supervisor:
    """Start servers, restart each one that exits unexpectedly, and stop them all.

    The pause before a restart is `FIRST_PAUSE_S`, and doubles up to `LONGEST_PAUSE_S` while the server keeps exiting.

    Args:
        names: The servers, in the order of their start.
        launch: Starts a server, given its name.
        warn: Called with a message for each exit.
        record: Called with this supervisor after each change.
        clock: The time in seconds.
    """

    def __init__(
        self,
        names: Iterable[str],
        launch: Callable[[str], ServerProcess],
        warn: Callable[[str], None],
        record: Callable[["Supervisor"], None],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._names = tuple(names)
        self._launch = launch
        self._warn = warn
        self._record = record
        self._clock = clock
        self._servers: dict[str, _Server] = {}

    def start(self) -> list[ServerProcess]:
        """Start all servers, and return their processes."""
        for name in self._names:
            self._servers[name] = _Server(self._launch(name), self._clock())
        self._record(self)
        return [server.process for server in self._servers.values() if server.process]

    def check(self) -> None:
        """Note which servers have exited, and restart those whose pause is over."""
        before = dict(self._servers)
        for name, server in before.items():
            if server.process is None:
                self._restart_if_due(name, server)
            elif reason := server.process.exit_reason():
                server.process.stop()  # releases its pipe
                self._schedule(name, server, reason)
        if self._servers != before:
            self._record(self)

    def stop(self) -> None:
        """Stop all servers, those that were started last first."""
        while self._servers:
            _, server = self._servers.popitem()
            try:
                if server.process:
                    server.process.stop()
            except BaseException:
                self.stop()
                raise

    @property
    def pids(self) -> dict[str, int]:
        """Return the processes of the servers that run, by name."""
        return {name: server.process.popen.pid for name, server in self._servers.items() if server.process}

    @property
    def restarts(self) -> dict[str, Restarts]:
        """Return the servers that exited at least once, by name."""
        return {
            name: Restarts(
                number=server.restarts,
                reason=server.reason,
                exited=server.exited,
                pause_s=server.pause_s,
                is_running=server.process is not None,
            )
            for name, server in self._servers.items()
            if server.exited
        }

    def _schedule(self, name: str, server: _Server, reason: str) -> None:
        was_stable = self._clock() - server.starts >= STABLE_AFTER_S
        pause_s = FIRST_PAUSE_S if was_stable or not server.pause_s else min(LONGEST_PAUSE_S, 2 * server.pause_s)
        exited = datetime.now(UTC).replace(microsecond=0)
        starts = self._clock() + pause_s
        self._servers[name] = replace(
            server, process=None, starts=starts, pause_s=pause_s, reason=reason, exited=exited
        )
        self._warn(f"{SERVER_NAMES[name]} {reason}; it is started again in {pause_s:g} s")

    def _restart_if_due(self, name: str, server: _Server) -> None:
        now = self._clock()
        if now < server.starts:
            return
        try:
            process = self._launch(name)
        except OSError as error:  # for example, no memory is left for another process
            self._schedule(name, server, f"cannot be started: {error.strerror or error}")
        else:
            self._servers[name] = replace(server, process=process, starts=now, restarts=server.restarts + 1)
