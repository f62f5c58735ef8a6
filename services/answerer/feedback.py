"""Keep what users say about answers, as questions that the next training can learn from."""

import asyncio
import json
from pathlib import Path
from typing import Protocol

from shared.contracts import FeedbackRequest
from shared.errors import BusyError, DependencyError
from shared.plan.checks import write_plan

_MAX_BYTES = 50_000_000


class FeedbackStore(Protocol):
    """Keep feedback; the fake keeps it in a list."""

    async def add(self, feedback: FeedbackRequest) -> None:
        """Keep one piece of feedback.

        Raises:
            BusyError: The store is full.
            DependencyError: The store does not accept it.
        """
        ...


class FeedbackFile:
    """Append feedback to a question file, one line at a time."""

    def __init__(self, file: Path, max_bytes: int = _MAX_BYTES) -> None:
        self._file = file
        self._max_bytes = max_bytes
        self._writing = asyncio.Lock()

    async def add(self, feedback: FeedbackRequest) -> None:
        """Append one line, which is on the disk when this returns; see `FeedbackStore.add`."""
        line = (json.dumps(feedback_record(feedback), ensure_ascii=False) + "\n").encode()
        async with self._writing:
            await asyncio.to_thread(self._append, line)

    def _append(self, line: bytes) -> None:
        try:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            with self._file.open("ab") as file:
                if file.tell() + len(line) > self._max_bytes:
                    raise BusyError(
                        f"the feedback file has reached {self._max_bytes:,} bytes; ask the operator to move it away"
                    )
                file.write(line)
        except OSError as error:
            raise DependencyError(f"cannot write feedback to {self._file}: {error}") from error


def feedback_record(feedback: FeedbackRequest) -> dict[str, object]:
    """Return feedback as a line of a question file, without the fields that are not given."""
    record: dict[str, object] = {"question": feedback.question, "kind": "feedback"}
    if feedback.plan is not None:
        record["plan"] = write_plan(feedback.plan)
    if feedback.answers is not None:
        record["answers"] = feedback.answers
    return record
