"""Keep the logs of each local stack in a separate folder, and remove the oldest folders."""

import fcntl
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

_KEPT = 5
LOCK_FILE = ".in-use"


@dataclass(frozen=True, slots=True)
class LogFolder:
    """Hold the log folder of one local stack; `lock` is the file descriptor of its lock file."""

    path: Path
    lock: int


@contextmanager
def log_folder(logs: Path) -> Iterator[LogFolder]:
    """Create a folder in `logs` for this stack, and remove old folders that are no longer in use.

    A folder is in use while its lock file is locked. The operating system releases a lock when its process ends.
    """
    logs.mkdir(parents=True, exist_ok=True)
    with (logs / LOCK_FILE).open("a") as turn:
        # Some network file systems do not support locks. In that case, folders are never removed.
        with suppress(OSError):
            fcntl.flock(turn, fcntl.LOCK_EX)
        _remove_old(logs)
        folder = logs / f"{datetime.now():%Y%m%d-%H%M%S.%f}"
        folder.mkdir()
        lock = (folder / LOCK_FILE).open("a")
        with suppress(OSError):
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    with lock:
        yield LogFolder(folder, lock.fileno())


def _remove_old(logs: Path) -> None:
    """Remove the oldest unused folders to make room for one more; skip folders that have no lock file."""
    folders = sorted(file.parent for file in logs.glob(f"*/{LOCK_FILE}"))
    for folder in folders[: max(0, len(folders) + 1 - _KEPT)]:
        with suppress(OSError), (folder / LOCK_FILE).open("r+") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(folder)
