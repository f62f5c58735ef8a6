"""A training that is killed goes on where it was, if it is started again with the same questions and settings."""

import hashlib
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

_FILE = "unfinished-training.pt"
SECONDS_BETWEEN = 30.0


class Checkpoint:
    """The state of one training, in a file in the model folder that is there only while training is unfinished."""

    def __init__(self, folder: Path, identity: object, file: str = _FILE) -> None:
        """`identity`: all that the training depends on, told by its `repr`; of another training nothing is loaded."""
        self._file = folder / file
        self._identity = hashlib.sha256(repr(identity).encode()).hexdigest()
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
        unfinished = self._file.with_suffix(".writing")
        torch.save({"identity": self._identity, "state": state()}, unfinished)
        unfinished.replace(self._file)
        self._saved = time.monotonic()

    def remove(self) -> None:
        """Training has ended."""
        self._file.unlink(missing_ok=True)
