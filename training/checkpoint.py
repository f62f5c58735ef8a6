"""A training that is killed goes on where it was, if it is started again with the same questions and settings."""

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
    """The state of one training, in a file in the model folder that is there only while training is unfinished."""

    def __init__(self, folder: Path, identity: object, file: str = _FILE) -> None:
        """`identity`: all that the training depends on, of plain values and dataclasses; nothing else is loaded."""
        self._file = folder / file
        self._identity = hashlib.sha256(repr(_ordered(identity)).encode()).hexdigest()
        self._saved = time.monotonic()

    def load(self) -> dict[str, Any] | None:
        """The state last saved by this very training; None if there is none, or it cannot be read."""
        try:
            # Written by this program, but a folder may come from anywhere: nothing in it is executed.
            saved = torch.load(self._file, weights_only=True)
        except FileNotFoundError:
            return None
        except Exception:  # whatever a torn file makes torch raise: starting anew is right
            return None
        return saved["state"] if saved.get("identity") == self._identity else None

    def save(self, state: Callable[[], dict[str, Any]]) -> None:
        """Save what `state` gives, unless that was done a moment ago; whole or not at all."""
        if time.monotonic() - self._saved < SECONDS_BETWEEN:
            return
        self._file.parent.mkdir(parents=True, exist_ok=True)
        with atomic_write(self._file) as unfinished:
            torch.save({"identity": self._identity, "state": state()}, unfinished)
        self._saved = time.monotonic()

    def remove(self) -> None:
        """Training has ended."""
        self._file.unlink(missing_ok=True)


def _ordered(value: object) -> object:
    """The same with sets as sorted lists: a set's own order is another one in every process."""
    if is_dataclass(value) and not isinstance(value, type):
        return [_ordered(getattr(value, field.name)) for field in fields(value)]
    if isinstance(value, (set, frozenset)):
        return sorted(map(repr, map(_ordered, value)))
    if isinstance(value, (list, tuple)):
        return [_ordered(one) for one in value]
    return value
