"""Processes of this project run its own code, wherever they are started."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest

from kgqa.console import interrupt
from services.launcher import embedded_language_model
from shared.processes import free_port, start_module, stop
from tests.support.waiting import HANGS_AFTER_S, wait_until

TRAP = "import os, pathlib; pathlib.Path(os.environ['TRAP']).write_text(__name__)\n"


@pytest.fixture
def trap(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Change to a folder with modules named like this project's; the file appears if one of them is imported."""
    folder = tmp_path / "somebody's project"
    for module in ("services/__init__.py", "services/rewriter/__init__.py", "shared/__init__.py", "uvicorn.py"):
        file = folder / module
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(TRAP, encoding="utf-8")
    monkeypatch.chdir(folder)
    monkeypatch.setenv("TRAP", str(tmp_path / "imported"))
    return tmp_path / "imported"


def _wait_until_up(url: str, process: "subprocess.Popen[bytes]") -> None:
    def is_up() -> bool:
        assert process.poll() is None, "the service ended"
        try:
            return httpx.get(f"{url}/healthz", timeout=HANGS_AFTER_S, trust_env=False).is_success
        except httpx.HTTPError:
            return False

    wait_until(is_up, "the service did not start", pause_s=0.05)


@pytest.mark.parametrize("path", [None, "", os.pathsep, f"{os.sep}nowhere{os.pathsep}"])
def test_a_service_imports_nothing_from_the_current_folder(
    trap: Path, monkeypatch: pytest.MonkeyPatch, path: str | None
) -> None:
    monkeypatch.delenv("PYTHONPATH", raising=False)
    if path is not None:
        monkeypatch.setenv("PYTHONPATH", path)
    port = free_port()
    process = start_module("services.rewriter", environment={**os.environ, "KGQA_REWRITER_PORT": str(port)})
    try:
        _wait_until_up(f"http://127.0.0.1:{port}", process)
    finally:
        stop(process, 10)
    assert not trap.exists()


def test_the_embedded_model_imports_nothing_from_the_current_folder(trap: Path) -> None:
    with embedded_language_model():
        pass
    assert not trap.exists()


def test_the_program_imports_nothing_from_the_current_folder(trap: Path) -> None:
    done = subprocess.run([sys.executable, "-m", "kgqa", "--help"], capture_output=True, text=True, check=False)
    assert "Answer questions" in done.stdout, done.stderr
    assert not trap.exists()


def test_modules_of_the_users_own_path_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mine.py").write_text("print('found')\n", encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    process = start_module("mine", environment=os.environ, output=tmp_path / "output")
    process.wait(HANGS_AFTER_S)
    stop(process, 1)
    assert (tmp_path / "output").read_text(encoding="utf-8") == "found\n"


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], "subprocess.Popen[bytes]"]]:
    """Start a module that ignores SIGTERM, runs this code, and then sleeps; wait until it sleeps."""
    started: list[subprocess.Popen[bytes]] = []
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))

    def start(code: str) -> "subprocess.Popen[bytes]":
        head = "import signal, sys, time\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        tail = "\nprint('asleep', flush=True)\ntime.sleep(60)\n"
        (tmp_path / "mine.py").write_text(head + code + tail, encoding="utf-8")
        output = tmp_path / "output"
        process = start_module("mine", environment=os.environ, output=output)
        started.append(process)

        def is_asleep() -> bool:
            said = output.read_text(encoding="utf-8")
            assert process.poll() is None, said
            return "asleep" in said

        wait_until(is_asleep)
        return process

    yield start
    for process in started:
        with process:
            process.kill()


def test_a_stop_that_is_interrupted_leaves_no_process(module: Callable[[str], "subprocess.Popen[bytes]"]) -> None:
    process = module("")
    before = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, 0.3)
    try:
        with pytest.raises(KeyboardInterrupt):
            stop(process, 30)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert process.poll() == -signal.SIGKILL


def test_a_process_that_cannot_end_well_still_ends_after_its_starter(
    module: Callable[[str], "subprocess.Popen[bytes]"],
) -> None:
    process = module("from shared.processes import stop_with_parent\nstop_with_parent(0.2)")
    assert process.stdin
    process.stdin.close()
    assert process.wait(HANGS_AFTER_S) == 1


def test_sigterm_ends_a_process_whose_threads_would_not(module: Callable[[str], "subprocess.Popen[bytes]"]) -> None:
    process = module(
        "import threading\nfrom shared.processes import exit_on_sigterm\n"
        "threading.Thread(target=time.sleep, args=(60,)).start()\nexit_on_sigterm()"
    )
    process.terminate()
    assert process.wait(HANGS_AFTER_S) == 0
