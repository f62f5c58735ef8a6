"""Run `kgqa` in the process of the tests, which has imported already what a new one would import for seconds.

At least one test of each command starts a process, as users do.
"""

import io
import os
import sys
from collections.abc import Mapping
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import patch

from kgqa.cli import main


@dataclass(frozen=True, slots=True)
class Ended:
    """Hold the exit code of a command, and what it printed."""

    code: int
    out: str
    err: str


def kgqa(environment: Mapping[str, str], *words: str) -> Ended:
    """Run a command with these environment variables only; an error that is no exit ends the test."""
    printed, complained, code = io.StringIO(), io.StringIO(), 0
    with (
        patch.dict(os.environ, environment, clear=True),
        patch.object(sys, "argv", ["kgqa", *words]),
        redirect_stdout(printed),
        redirect_stderr(complained),
    ):
        try:
            main()
        except SystemExit as ended:
            code = int(ended.code or 0)
    return Ended(code, printed.getvalue(), complained.getvalue())


def new_key(home: Path, *words: str) -> str:
    """Create a key of a caller with `kgqa keys add` and these words, and return it."""
    added = kgqa({"KGQA_HOME": str(home)}, "keys", "add", *words)
    assert added.code == 0, added.err
    return added.out.strip()
