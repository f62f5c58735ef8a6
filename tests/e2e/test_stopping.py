"""However `kgqa up` ends, its services end with it."""

import signal
import time
from pathlib import Path

import httpx
import pytest

from tests.e2e.conftest import Running, start_up

PATIENCE_S = 30


def _answers(url: str) -> bool:
    try:
        return httpx.get(f"{url}/healthz", timeout=2, trust_env=False).is_success
    except httpx.HTTPError:
        return False


def _wait_until_all_are_gone(running: Running) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while any(_answers(url) for url in running.urls.values()):
        assert time.monotonic() < deadline, "a service outlived kgqa up"
        time.sleep(0.1)


@pytest.mark.parametrize(
    ("how", "code", "in_background"),
    [(signal.SIGTERM, 0, True), (signal.SIGHUP, 0, False), (signal.SIGKILL, -signal.SIGKILL, False)],
)
def test_no_service_outlives_it(tmp_path: Path, how: signal.Signals, code: int, in_background: bool) -> None:
    running = start_up(tmp_path, in_background)
    assert all(_answers(url) for url in running.urls.values())
    running.process.send_signal(how)
    assert running.process.wait(PATIENCE_S) == code
    _wait_until_all_are_gone(running)
    assert running.process.stdout is not None
    running.process.stdout.close()
