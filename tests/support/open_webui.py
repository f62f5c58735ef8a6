"""Run Open WebUI, a chat front end that people install, with the answerer as its only model server."""

import os
import shutil
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from shared.processes import free_port
from tests.support.waiting import wait_until

PROGRAM = shutil.which(os.environ.get("KGQA_TEST_OPEN_WEBUI", "open-webui"))
needs_open_webui = pytest.mark.skipif(PROGRAM is None, reason="needs Open WebUI: see CONTRIBUTING.md")
_STARTS_AFTER_S = 600.0  # It migrates its database first.
_STOP_TIMEOUT_S = 120
# It neither asks for an account nor fetches models of its own.
_SETTINGS = {
    "WEBUI_AUTH": "False",
    "WEBUI_SECRET_KEY": "of-the-tests",
    "ENABLE_OLLAMA_API": "False",
    "OPENAI_API_KEY": "unused",
    "OFFLINE_MODE": "True",
    "HF_HUB_OFFLINE": "1",
    "RAG_EMBEDDING_ENGINE": "openai",
}


@contextmanager
def open_webui(folder: Path, models: str) -> Iterator[str]:
    """Start it with its data in a folder and the base URL `models`, and return its URL when it responds."""
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    environment = {**os.environ, **_SETTINGS, "OPENAI_API_BASE_URL": models, "DATA_DIR": str(folder)}
    with (folder / "open-webui.log").open("wb") as log:
        process = subprocess.Popen(
            [str(PROGRAM), "serve", "--host", "127.0.0.1", "--port", str(port)],
            cwd=folder,
            env=environment,
            stdout=log,
            stderr=subprocess.STDOUT,
        )
    try:
        wait_until(
            lambda: _responds(url, process), lambda: (folder / "open-webui.log").read_text(), 0.5, _STARTS_AFTER_S
        )
        yield url
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(_STOP_TIMEOUT_S)


def _responds(url: str, process: "subprocess.Popen[bytes]") -> bool:
    assert process.poll() is None, "Open WebUI ended"
    try:
        return httpx.get(f"{url}/health", trust_env=False).is_success
    except httpx.HTTPError:
        return False
