"""Replace files atomically: readers see either the old content or the new content, never an incomplete file."""

import os
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def atomic_write(target: Path) -> Iterator[Path]:
    """Yield a path for the new content, and move it to `target` when the block succeeds.

    If the block fails, `target` remains unchanged and the new content is removed. The folder of `target` must exist.
    """
    unfinished = target.with_name(f".{target.name}.{uuid.uuid4().hex}.partial")
    try:
        yield unfinished
        with unfinished.open("rb") as written:
            os.fsync(written.fileno())
        unfinished.replace(target)
    finally:
        unfinished.unlink(missing_ok=True)
