"""What schemathesis makes of the OpenAPI documents: no 5xx, no status and no content type that is not documented."""

import re
import subprocess
import sys

import pytest

from tests.hostile.fuzzing import command
from tests.kgqa_up import Running

pytestmark = pytest.mark.hostile

_SECONDS = 12


@pytest.mark.parametrize("server", ["answerer", "retriever", "rewriter", "embedded_llm"])
def test_every_response_is_documented(attacked: Running, server: str) -> None:
    fuzzing = subprocess.run(
        [sys.executable, "-m", *command(attacked.urls[server], _SECONDS, seed=1)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert fuzzing.returncode == 0, fuzzing.stdout[-6000:]
    assert re.search(r"(\d{2,}) generated, \1 passed", fuzzing.stdout), fuzzing.stdout[-6000:]
