"""Logs of `kgqa up`: a folder for each instance, of which the newest are kept."""

import fcntl
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

_KEPT = 5
_LOCK = ".in-use"


@dataclass(frozen=True, slots=True)
class LogFolder:
    """The logs of one instance. `lock`: an open file that marks them as in use while any process has it open."""

    path: Path
    lock: int


@contextmanager
def log_folder(logs: Path) -> Iterator[LogFolder]:
    """Make a folder in `logs` for this instance, and remove old ones that no instance uses any more.

    They are told apart by locks, which end with the processes that hold them, however those end.
    """
    logs.mkdir(parents=True, exist_ok=True)
    with (logs / _LOCK).open("a") as turn:
        # Without locks, as on some network file systems, no folder is ever removed.
        with suppress(OSError):
            fcntl.flock(turn, fcntl.LOCK_EX)
        _remove_old(logs)
        folder = logs / f"{datetime.now():%Y%m%d-%H%M%S.%f}"
        folder.mkdir()
        lock = (folder / _LOCK).open("a")
        with suppress(OSError):
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    with lock:
        yield LogFolder(folder, lock.fileno())


def _remove_old(logs: Path) -> None:
    """Make room for one more folder, by removing the oldest that are not in use; leave folders that are not ours."""
    folders = sorted(file.parent for file in logs.glob(f"*/{_LOCK}"))
    for folder in folders[: max(0, len(folders) + 1 - _KEPT)]:
        with suppress(OSError), (folder / _LOCK).open("r+") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(folder)
