"""Save the state of a training run so that an interrupted run can resume with the same data and settings."""

import hashlib
import time
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import torch

from ingestion.atomic_write import atomic_write

_FILE = "unfinished-training.pt"
SECONDS_BETWEEN = 30.0


class Checkpoint:
    """Keep the state of one training run in a file, outside of a folder that is served.

    The last state stays as well, until what the run made is published.
    """

    def __init__(self, folder: Path, identity: object, file: str = _FILE) -> None:
        """Set the identity: all values that the run depends on. Only a state saved with the same identity is loaded."""
        self._file = folder / file
        self._identity = hashlib.sha256(repr(_sort_sets(identity)).encode()).hexdigest()
        self._saved_at = time.monotonic()

    def load(self) -> dict[str, Any] | None:
        """Return the last saved state of this run, or None if there is none or it is unreadable."""
        try:
            # The folder may come from an untrusted source, so load only data and execute no code.
            saved = torch.load(self._file, weights_only=True)
        except Exception:  # the file is missing or truncated; torch raises many kinds of errors for the latter
            return None
        return saved["state"] if saved.get("identity") == self._identity else None

    def save(self, state: Callable[[], dict[str, Any]], is_last: bool = False) -> None:
        """Save what `state` returns, atomically, if it is the last or the previous is `SECONDS_BETWEEN` old."""
        if not is_last and time.monotonic() - self._saved_at < SECONDS_BETWEEN:
            return
        self._file.parent.mkdir(parents=True, exist_ok=True)
        with atomic_write(self._file) as unfinished:
            torch.save({"identity": self._identity, "state": state()}, unfinished)
        self._saved_at = time.monotonic()

    def remove(self) -> None:
        """Delete the file; call this once what the run wrote is complete."""
        self._file.unlink(missing_ok=True)


def _sort_sets(value: object) -> object:
    """Replace sets with sorted lists, since the order of a set differs between processes."""
    if is_dataclass(value) and not isinstance(value, type):
        return [_sort_sets(getattr(value, field.name)) for field in fields(value)]
    if isinstance(value, (set, frozenset)):
        return sorted(map(repr, map(_sort_sets, value)))
    if isinstance(value, (list, tuple)):
        return [_sort_sets(item) for item in value]
    return value
