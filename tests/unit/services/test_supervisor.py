"""Restarts of servers that exit, with processes and a clock that the test controls."""

from dataclasses import dataclass, field

import pytest

from services.instances import Restarts
from services.supervisor import FIRST_PAUSE_S, LONGEST_PAUSE_S, STABLE_AFTER_S, Supervisor


@dataclass
class _Popen:
    pid: int


@dataclass
class _Process:
    """Stand in for a `ServerProcess`."""

    name: str
    popen: _Popen
    reason: str | None = None
    stopped: list[str] = field(default_factory=list)

    def exit_reason(self) -> str | None:
        return self.reason

    def stop(self) -> None:
        self.stopped.append(self.name)


class _Machine:
    """Start processes, and let them exit; `now` is the time."""

    def __init__(self, *names: str) -> None:
        self.now = 0.0
        self.running: dict[str, _Process] = {}
        self.stopped: list[str] = []
        self.warnings: list[str] = []
        self.recorded: list[dict[str, Restarts]] = []
        self.error: OSError | None = None
        self._last_pid = 0
        self.supervisor = Supervisor(
            names,
            self._launch,  # type: ignore[arg-type]
            self.warnings.append,
            lambda supervisor: self.recorded.append(supervisor.restarts),
            clock=lambda: self.now,
        )
        self.supervisor.start()

    def _launch(self, name: str) -> _Process:
        if self.error:
            raise self.error
        self._last_pid += 1
        self.running[name] = _Process(name, _Popen(self._last_pid), stopped=self.stopped)
        return self.running[name]

    def exit(self, name: str, reason: str = "was killed by SIGKILL") -> None:
        self.running.pop(name).reason = reason
        self.supervisor.check()

    def pass_time(self, seconds: float) -> None:
        self.now += seconds
        self.supervisor.check()


def test_a_server_that_exits_is_restarted_and_the_others_keep_running() -> None:
    machine = _Machine("rewriter", "llm")
    machine.exit("llm")
    assert machine.supervisor.pids == {"rewriter": 1}
    assert "the embedded language model was killed by SIGKILL; it is started again in 1 s" in machine.warnings
    assert not machine.recorded[-1]["llm"].is_running
    machine.pass_time(FIRST_PAUSE_S / 2)
    assert "llm" not in machine.running
    machine.pass_time(FIRST_PAUSE_S / 2)
    assert machine.supervisor.pids == {"rewriter": 1, "llm": 3}
    assert (machine.recorded[-1]["llm"].is_running, machine.recorded[-1]["llm"].number) == (True, 1)
    assert "rewriter" not in machine.recorded[-1]


def _pauses(machine: _Machine, number: int) -> list[float]:
    """Let a server exit again and again as soon as it runs, and return the pauses before its restarts."""
    pauses = []
    for _ in range(number):
        machine.exit("llm")
        pauses.append(machine.supervisor.restarts["llm"].pause_s)
        machine.pass_time(pauses[-1])
    return pauses


def test_the_pauses_grow_up_to_a_limit_and_begin_again_after_a_stable_run() -> None:
    machine = _Machine("llm")
    pauses = _pauses(machine, 9)
    assert pauses[:4] == [FIRST_PAUSE_S, 2 * FIRST_PAUSE_S, 4 * FIRST_PAUSE_S, 8 * FIRST_PAUSE_S]
    assert pauses[-2:] == [LONGEST_PAUSE_S, LONGEST_PAUSE_S]
    machine.pass_time(STABLE_AFTER_S)
    assert _pauses(machine, 2) == [FIRST_PAUSE_S, 2 * FIRST_PAUSE_S]


def test_a_restart_that_fails_is_tried_again_later() -> None:
    machine = _Machine("llm")
    machine.error = OSError(12, "Cannot allocate memory")
    machine.exit("llm")
    machine.pass_time(FIRST_PAUSE_S)
    assert "cannot be started: Cannot allocate memory; it is started again in 2 s" in machine.warnings[-1]
    machine.error = None
    machine.pass_time(2 * FIRST_PAUSE_S)
    assert machine.supervisor.pids == {"llm": 2}


def test_nothing_is_recorded_while_nothing_changes() -> None:
    machine = _Machine("llm")
    for _ in range(3):
        machine.pass_time(1)
    assert machine.recorded == [{}]


def test_all_servers_are_stopped_the_last_one_first() -> None:
    machine = _Machine("retriever", "rewriter", "llm")
    machine.supervisor.stop()
    assert machine.stopped == ["llm", "rewriter", "retriever"]


def test_the_other_servers_are_stopped_if_one_cannot_be(monkeypatch: pytest.MonkeyPatch) -> None:
    machine = _Machine("retriever", "rewriter")

    def interrupted() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(machine.running["rewriter"], "stop", interrupted)
    with pytest.raises(KeyboardInterrupt):
        machine.supervisor.stop()
    assert machine.stopped == ["retriever"]
