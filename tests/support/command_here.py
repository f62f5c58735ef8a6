"""Run `kgqa` in the process of a test, which is faster than another one, and lets settings be replaced."""

import sys
from pathlib import Path

import pytest

from kgqa.cli import main


def run_here(monkeypatch: pytest.MonkeyPatch, *words: str | Path) -> int:
    """Run a command, and return its exit code."""
    monkeypatch.setattr(sys, "argv", ["kgqa", *map(str, words)])
    with pytest.raises(SystemExit) as ended:
        main()
        sys.exit(0)
    return int(ended.value.code or 0)
