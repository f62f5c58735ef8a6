"""Replace files atomically: readers see either the old content or the new content, never an incomplete file."""

import fcntl
import os
import re
import uuid
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path


@contextmanager
def atomic_write(target: Path, *, is_private: bool = False) -> Iterator[Path]:
    """Yield a path for the new content, and move it to `target` when the block succeeds.

    Only the owner may read and write a private file, from its creation on.

    If the block fails, `target` remains unchanged and the new content is removed. The folder of `target` must exist.
    Unfinished files that ended processes left beside `target` are removed.
    """
    _remove_stale(target)
    with ExitStack() as cleanup:
        unfinished = _locked_file(target, 0o600 if is_private else 0o666, cleanup)
        yield unfinished
        with unfinished.open("rb") as written:
            os.fsync(written.fileno())
        unfinished.replace(target)


def _locked_file(target: Path, mode: int, cleanup: ExitStack) -> Path:
    """Create and lock an unfinished file with these permissions; the system releases the lock even after SIGKILL.

    The removal is registered first, since a signal may interrupt the process between any two steps.
    """
    while True:
        file = target.with_name(f".{target.name}.{uuid.uuid4().hex}.partial")
        cleanup.callback(file.unlink, missing_ok=True)
        lock = os.open(file, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)
        cleanup.callback(os.close, lock)
        with suppress(OSError):  # some file systems have no locks
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        # Another process may have removed the file before it was locked.
        if file.exists():
            return file


def _remove_stale(target: Path) -> None:
    pattern = re.compile(rf"\.{re.escape(target.name)}\.[0-9a-f]{{32}}\.partial")
    for file in target.parent.iterdir():
        # A file that cannot be opened or locked belongs to another user, or to a process that still writes it.
        if pattern.fullmatch(file.name):
            with suppress(OSError), file.open("rb") as stale:
                fcntl.flock(stale, fcntl.LOCK_EX | fcntl.LOCK_NB)
                file.unlink()
