"""Fuzz the servers with schemathesis: no 5xx, and no undocumented status or content type."""

import re
import subprocess
import sys

import pytest

from tests.support.command_line import Running
from tests.support.fuzzing import schemathesis_command

pytestmark = pytest.mark.hostile

_SECONDS = 12


@pytest.mark.parametrize("server", ["answerer", "retriever", "rewriter", "embedded_llm"])
def test_every_response_is_documented(attacked: Running, server: str) -> None:
    fuzzing = subprocess.run(
        [sys.executable, "-m", *schemathesis_command(attacked.urls[server], _SECONDS, seed=1)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert fuzzing.returncode == 0, fuzzing.stdout[-6000:]
    assert re.search(r"(\d{2,}) generated, \1 passed", fuzzing.stdout), fuzzing.stdout[-6000:]
