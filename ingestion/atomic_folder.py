"""Replace folders atomically: readers find the whole old folder or the whole new one under a name."""

import ctypes
import os
import shutil
from pathlib import Path

_AT_FDCWD = -100
_RENAME_EXCHANGE = 2
_REPLACED = "replaced"


def replace_folder(new: Path, target: Path) -> None:
    """Move a complete folder to `target`, and remove what was there.

    The content is flushed to the disk first. Then one call of the kernel exchanges both folders, so that a crash leaves
    either of them under the name. A file system without that call needs two renames: if the process ends between them,
    `recover_folder` puts the old folder back.

    Args:
        new: The folder with the new content, on the file system of `target`, in a folder that only the caller uses.
        target: The name, whose parent exists.

    Raises:
        OSError: A file cannot be flushed, or the folder cannot be moved; `target` is unchanged.
    """
    _flush(new)
    if not target.exists():
        new.rename(target)
    elif not _exchange(new, target):
        aside = new.with_name(_REPLACED)
        target.rename(aside)
        try:
            new.rename(target)
        except OSError:
            aside.rename(target)
            raise
        new = aside
    _sync(target.parent)
    shutil.rmtree(new, ignore_errors=True)


def recover_folder(scratch: Path, target: Path) -> None:
    """Put back the folder that an interrupted `replace_folder` moved aside; `scratch` is the parent of `new`."""
    aside = scratch / _REPLACED
    if aside.exists() and not target.exists():
        aside.rename(target)


def _exchange(one: Path, other: Path) -> bool:
    """Exchange two folders at once; return False if the system or the file system cannot do that."""
    try:
        rename = ctypes.CDLL(None, use_errno=True).renameat2  # Python has no function for it
    except AttributeError:
        return False
    return bool(rename(_AT_FDCWD, os.fsencode(one), _AT_FDCWD, os.fsencode(other), _RENAME_EXCHANGE) == 0)


def _flush(folder: Path) -> None:
    """Write the files and the entries of a folder through to the disk."""
    for place, _, files in os.walk(folder):
        for name in files:
            _sync(Path(place) / name)
        _sync(Path(place))


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
