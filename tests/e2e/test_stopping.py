"""However `kgqa up` ends, its services end with it; and a service that is told to end finishes its work first."""

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path

import httpx
import pytest
from starlette.responses import JSONResponse
from starlette.types import Receive, Scope, Send

from services.launcher import Checks, wait_until_ready
from shared.processes import free_port
from tests.fakes.serving import serving
from tests.support.command_line import Running, server_pids, start_kgqa_up
from tests.support.waiting import HANGS_AFTER_S, wait_until


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return one home for all starts, of which the first installs the demo."""
    folder: Path = tmp_path_factory.mktemp("home")
    return folder


def _answers(url: str) -> bool:
    try:
        return httpx.get(f"{url}/healthz", timeout=HANGS_AFTER_S, trust_env=False).is_success
    except httpx.HTTPError:
        return False


def _wait_until_all_are_gone(running: Running) -> None:
    wait_until(lambda: not any(map(_answers, running.urls.values())), "a service outlived kgqa up", pause_s=0.1)


def test_no_service_outlives_it(home: Path) -> None:
    logs = len(list(home.glob("logs/*/answerer.log")))
    running = start_kgqa_up(home)
    assert len(list(home.glob("logs/*/answerer.log"))) == logs + 1
    assert all(_answers(url) for url in running.urls.values())
    running.process.send_signal(signal.SIGHUP)
    assert running.process.wait(HANGS_AFTER_S) == 0
    _wait_until_all_are_gone(running)
    assert running.process.stdout is not None
    running.process.stdout.close()


def _runs(pid: int) -> bool:
    try:
        return bool(Path(f"/proc/{pid}/cmdline").read_bytes())
    except FileNotFoundError:
        return False


def test_no_service_survives_a_signal_during_the_teardown(home: Path) -> None:
    running = start_kgqa_up(home, in_background=True)  # where SIGTERM works as it does in a terminal
    pids = server_pids(running)
    os.kill(pids["llm"], signal.SIGSTOP)  # it is stopped first, and takes as long as it may
    # A process that has yet to stop would handle SIGTERM first, which has the lower number.
    wait_until(lambda: _status(pids["llm"], "State").startswith("T"), "it does not stop")
    try:
        running.process.send_signal(signal.SIGTERM)
        wait_until(lambda: _is_told_to_stop(pids["llm"]), "the teardown did not begin")
        running.process.send_signal(signal.SIGTERM)
        assert running.process.wait(HANGS_AFTER_S) == 0
        assert not any(map(_runs, pids.values()))
    finally:
        if _runs(pids["llm"]):
            os.kill(pids["llm"], signal.SIGKILL)
    assert running.process.stdout is not None
    running.process.stdout.close()


def _is_told_to_stop(pid: int) -> bool:
    """Return whether a process has yet to handle SIGTERM."""
    return bool(int(_status(pid, "ShdPnd"), 16) & 1 << (signal.SIGTERM - 1))


def _status(pid: int, name: str) -> str:
    lines = Path(f"/proc/{pid}/status").read_text(encoding="utf-8").splitlines()
    return next(line.partition(":")[2].strip() for line in lines if line.startswith(f"{name}:"))


def test_a_service_that_dies_is_started_again_and_does_not_outlive_a_kgqa_up_that_is_killed(home: Path) -> None:
    running = start_kgqa_up(home)
    killed = server_pids(running)["rewriter"]
    os.kill(killed, signal.SIGKILL)
    wait_until(lambda: server_pids(running).get("rewriter", killed) != killed, "it was not started again", pause_s=0.1)
    wait_until_ready(f"{running.urls['answerer']}/readyz", timeout_s=HANGS_AFTER_S, is_enough=_has_rewriter)
    status = subprocess.run(
        [sys.executable, "-m", "kgqa", "status"], env=running.environment, capture_output=True, text=True
    )
    assert "restarted once, because it was killed by SIGKILL" in status.stdout
    running.process.kill()
    assert running.process.wait(HANGS_AFTER_S) == -signal.SIGKILL
    _wait_until_all_are_gone(running)
    assert running.process.stdout is not None
    running.process.stdout.close()


def _has_rewriter(checks: Checks, _: float) -> bool:
    return checks["rewriter"]


async def _slow_model(scope: Scope, receive: Receive, send: Send) -> None:
    """Serve an OpenAI-compatible API that replies slowly."""
    if scope["type"] == "http":
        await asyncio.sleep(1.5)
        text = {"choices": [{"message": {"content": "The capital of France is Paris."}}]}
        await JSONResponse(text)(scope, receive, send)


async def test_sigterm_lets_a_service_finish_what_is_in_flight() -> None:
    port = free_port()
    async with serving(_slow_model) as llm, httpx.AsyncClient(trust_env=False, timeout=HANGS_AFTER_S) as client:
        environment = {**os.environ, "KGQA_REWRITER_PORT": str(port), "KGQA_REWRITER_LLM_URL": llm}
        process = await asyncio.create_subprocess_exec(sys.executable, "-m", "services.rewriter", env=environment)
        url = f"http://127.0.0.1:{port}"
        await asyncio.to_thread(wait_until_ready, f"{url}/healthz", timeout_s=HANGS_AFTER_S)
        fact = {"subject": "France", "relation": "capital", "object": "Paris"}
        asked = asyncio.create_task(
            client.post(f"{url}/rewrite", json={"evidence": [{"triples": [fact]}], "graph_version": "1"})
        )
        await asyncio.sleep(0.5)
        process.terminate()
        await asyncio.sleep(0.3)

        assert not await asyncio.to_thread(_answers, url), "a new caller was let in"
        assert (await asked).json()["texts"] == ["The capital of France is Paris."]
        assert await asyncio.wait_for(process.wait(), HANGS_AFTER_S) == 0
