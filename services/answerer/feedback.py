"""Keep what users say about answers, as questions that the next training can learn from."""

import asyncio
import json
from pathlib import Path
from typing import Protocol

from contracts.feedback import FeedbackRequest
from graph.plan.checks import write_plan
from shared.errors import BusyError, DependencyError

_MAX_BYTES = 50_000_000


class FeedbackStore(Protocol):
    """Keep feedback; the fake keeps it in a list."""

    @property
    def by_graph(self) -> bool:
        """Return whether feedback on each graph is kept apart, so that its graph must be known."""
        ...

    async def add(self, feedback: FeedbackRequest) -> None:
        """Keep one piece of feedback on the graph that it names.

        Raises:
            BusyError: The store is full.
            DependencyError: The store does not accept it.
        """
        ...


GRAPH_PLACEHOLDER = "{graph}"
"""Stands for the name of the graph in the path of a feedback file."""


class FeedbackFile:
    """Append feedback to a question file, one line at a time; `{graph}` in its path keeps graphs apart."""

    def __init__(self, file: Path, max_bytes: int = _MAX_BYTES) -> None:
        self._file = file
        self._max_bytes = max_bytes
        self._writing = asyncio.Lock()

    @property
    def by_graph(self) -> bool:
        """Return whether each graph has a file of its own."""
        return GRAPH_PLACEHOLDER in str(self._file)

    async def add(self, feedback: FeedbackRequest) -> None:
        """Append one line, which is on the disk when this returns; see `FeedbackStore.add`."""
        line = (json.dumps(feedback_record(feedback), ensure_ascii=False) + "\n").encode()
        file = Path(str(self._file).replace(GRAPH_PLACEHOLDER, feedback.graph or ""))
        async with self._writing:
            await asyncio.to_thread(self._append, file, line)

    def _append(self, path: Path, line: bytes) -> None:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("ab") as file:
                if file.tell() + len(line) > self._max_bytes:
                    raise BusyError(
                        f"the feedback file has reached {self._max_bytes:,} bytes; ask the operator to move it away"
                    )
                file.write(line)
        except OSError as error:
            raise DependencyError(f"cannot write feedback to {path}: {error}") from error


def feedback_record(feedback: FeedbackRequest) -> dict[str, object]:
    """Return feedback as a line of a question file, without the fields that are not given."""
    record: dict[str, object] = {"question": feedback.question, "kind": "feedback"}
    if feedback.plan is not None:
        record["plan"] = write_plan(feedback.plan)
    if feedback.answers is not None:
        record["answers"] = feedback.answers
    return record
