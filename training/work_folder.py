"""Hold the folder in which a training keeps what is unfinished, apart from the model that is served."""

import fcntl
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from ingestion.atomic_folder import recover_folder, replace_folder
from shared.errors import InvalidInputError
from shared.paths import training_folder

_LOCK, _NEW, _ENDED = "lock", "new", "ended"


class WorkFolder:
    """Represent the work folder of one model folder; see `open_work_folder`."""

    def __init__(self, target: Path, path: Path) -> None:
        self.target = target
        self.path = path

    def part(self, name: str) -> Path:
        """Return the folder of one part of the training, and create it."""
        folder = self.path / name
        folder.mkdir(exist_ok=True)
        return folder

    def empty(self, name: str = _NEW) -> Path:
        """Return an empty folder for files to be published, without those of an interrupted run."""
        shutil.rmtree(self.path / name, ignore_errors=True)
        return self.part(name)

    def mark_ended(self) -> None:
        """Remember that the training ended, although nothing is published."""
        (self.path / _ENDED).touch()

    def publish(self, new: Path) -> None:
        """Replace the model folder with a complete one, at once, and remove the checkpoints.

        Raises:
            OSError: The model folder cannot be replaced; it is unchanged.
        """
        replace_folder(new, self.target)
        self.remove()

    def remove(self) -> None:
        """Remove the checkpoints, once nothing needs to be resumed."""
        shutil.rmtree(self.path, ignore_errors=True)


@contextmanager
def open_work_folder(target: Path) -> Iterator[WorkFolder]:
    """Create or reopen the work folder of a model folder, and lock it against a second training.

    It lies beside the model folder, so that one rename publishes a model. An interrupted run leaves it for the next.

    Raises:
        InvalidInputError: Another training of the same model runs, or the folder is a mount point.
    """
    target = target.resolve()
    if target.is_mount():
        raise InvalidInputError(
            f"{target} is a mount point, which cannot be replaced; choose a folder in it with --out"
        )
    path = training_folder(target)
    is_first = not path.parent.exists()
    lock = _locked(path)
    try:
        recover_folder(path, target)
        (path / _ENDED).unlink(missing_ok=True)
        yield WorkFolder(target, path)
    finally:
        if path.is_dir() and {file.name for file in path.iterdir()} <= {_LOCK, _ENDED}:
            shutil.rmtree(path, ignore_errors=True)  # nothing was begun
            if is_first:
                with suppress(OSError):
                    path.parent.rmdir()
        os.close(lock)


def training_state(target: Path) -> str | None:
    """Say whether a model is being trained, or has a training that is not installed; None if neither."""
    path = training_folder(target)
    if not path.is_dir():
        return None
    with suppress(OSError), (path / _LOCK).open("rb") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return "a training runs, and changes nothing until it ends"
    if (path / _ENDED).exists():
        return "a training ended and installed nothing, because nothing answered better; --force installs it"
    return "a training was interrupted; the same command resumes it"


def _locked(path: Path) -> int:
    """Lock a folder until the file descriptor is closed; the system releases the lock even if the process is killed."""
    while True:
        path.mkdir(parents=True, exist_ok=True)
        lock = os.open(path / _LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            os.close(lock)
            said = f"another process trains the same model; wait for it, or end it ({path})"
            raise InvalidInputError(said) from error
        except OSError:
            return lock  # some file systems have no locks
        with suppress(OSError):
            # The run that held the lock before may have removed the folder in the meantime.
            if (path / _LOCK).stat().st_ino == os.fstat(lock).st_ino:
                return lock
        os.close(lock)
