"""Output of a process in a file that stays small, however long the process runs."""

import os
import sys
import threading
import time
from pathlib import Path

OUTPUT_VARIABLE = "KGQA_OUTPUT_FILE"
"""Names the file that a process's stdout and stderr go to, in the environment that its starter gives it."""

MOST_BYTES = 5_000_000
_SECONDS_BETWEEN_LOOKS = 1.0


def bound_output() -> None:
    """Rotate the file that this process writes to, as long as it runs; do nothing unless its starter named one.

    The process does it itself, so that everything is caught (tracebacks, libraries in C), nothing is lost, and it does
    not block when its starter is suspended.
    """
    if not (name := os.environ.get(OUTPUT_VARIABLE)):
        return

    def watch() -> None:
        while True:
            time.sleep(_SECONDS_BETWEEN_LOOKS)
            rotate(Path(name))

    threading.Thread(target=watch, daemon=True, name="output").start()


def rotate(file: Path, most_bytes: int = MOST_BYTES) -> None:
    """Move `file`, which stdout and stderr go to, out of the way if it is full, and go on in a fresh one."""
    out, err = sys.__stdout__, sys.__stderr__
    if out is None or err is None or os.fstat(out.fileno()).st_size <= most_bytes:
        return
    try:
        file.replace(previous(file))
        with file.open("ab") as fresh:
            os.dup2(fresh.fileno(), out.fileno())
            os.dup2(fresh.fileno(), err.fileno())
    except OSError:
        # The folder is gone, or the disk is full.
        os.ftruncate(out.fileno(), 0)


def previous(file: Path) -> Path:
    """Where the output goes that was written before the last rotation."""
    return file.with_suffix(f".previous{file.suffix}")
