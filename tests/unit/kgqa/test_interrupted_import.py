"""An interrupted import leaves the graph as it was, and no unfinished file."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.command_line import clean_environment, run_kgqa
from tests.support.waiting import HANGS_AFTER_S, wait_until


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_removes_the_unfinished_file(tmp_path: Path, number: signal.Signals) -> None:
    (tmp_path / "old.tsv").write_text("Oslo\tcapital_of\tNorway\n")
    run_kgqa(tmp_path, "import", str(tmp_path / "old.tsv"), "--graph", "mine")
    graphs = tmp_path / "graphs"
    old = (graphs / "mine.sqlite").read_bytes()
    # Importing a million lines takes seconds.
    (tmp_path / "new.tsv").write_text("".join(f"{place}\tnext\t{place + 1}\n" for place in range(1_000_000)))
    process = subprocess.Popen(
        [sys.executable, "-m", "kgqa", "import", str(tmp_path / "new.tsv"), "--graph", "mine"],
        env=clean_environment(tmp_path),
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=_reset_signals,
    )
    _wait_for(graphs, ".mine.sqlite.*.partial")

    process.send_signal(number)
    _, errors = process.communicate(timeout=HANGS_AFTER_S)

    assert process.returncode not in {0, None}
    assert "interrupted; the graph is unchanged" in errors
    assert "Traceback" not in errors
    assert [file.name for file in graphs.iterdir()] == ["mine.sqlite"]
    assert (graphs / "mine.sqlite").read_bytes() == old


def _reset_signals() -> None:
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


def _wait_for(folder: Path, pattern: str) -> None:
    wait_until(lambda: list(folder.glob(pattern)))
