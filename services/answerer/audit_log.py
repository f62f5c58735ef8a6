"""Keep an audit log: one line for each answered question, written without delaying the reply."""

import asyncio
import logging
import os
import stat
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from contracts.ask import AskResponse
from services.answerer.audit_record import audit_record, utc_now
from services.answerer.pipeline import Found
from shared.access import Access, current_caller
from shared.errors import InvalidInputError

_MAX_WAITING_BYTES = 50_000_000
"""The size of the lines that may wait for a slow disk; further ones are lost."""
_MODE = 0o600
_FLAGS = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC
log = logging.getLogger(__name__)


class AuditLog:
    """Append lines to a file in the background. Adding a line neither waits for the disk nor fails.

    The file is opened for each batch of lines, so that it may be moved away at any time. Only its owner may read a new
    file.

    Args:
        file: The file to append to; it is created if it does not exist.
        on_loss: Called with the number of lines that could not be written.

    Raises:
        InvalidInputError: If the file cannot be written, so that a service does not start without its audit log.
    """

    def __init__(self, file: Path, on_loss: Callable[[int], None], max_waiting_bytes: int = _MAX_WAITING_BYTES) -> None:
        self._file = file
        self._on_loss = on_loss
        self._max_waiting_bytes = max_waiting_bytes
        self._lines: list[bytes] = []
        self._waiting_bytes = 0
        self._has_work = asyncio.Event()
        self._is_closing = False
        self._is_failing = False
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            append_lines(file, [])
        except OSError as error:
            raise InvalidInputError(
                f"cannot write the audit log {file}: {error}; correct KGQA_ANSWERER_AUDIT_LOG"
            ) from error

    def add(self, line: bytes) -> None:
        """Append a line soon; it is lost if too many wait already, or if the disk does not take it."""
        if self._waiting_bytes + len(line) > self._max_waiting_bytes:
            self._lose(1, "lines arrive faster than the disk takes them")
            return
        self._lines.append(line)
        self._waiting_bytes += len(line)
        self._has_work.set()

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Write lines while the block runs, and the last ones at its end."""
        writing = asyncio.create_task(self._write_until_closed())
        try:
            yield
        finally:
            self._is_closing = True
            self._has_work.set()
            await writing

    async def _write_until_closed(self) -> None:
        while not self._is_closing or self._lines:
            await self._has_work.wait()
            self._has_work.clear()
            lines, self._lines = self._lines, []
            if lines:
                await self._write(lines)
                self._waiting_bytes -= sum(map(len, lines))

    async def _write(self, lines: Sequence[bytes]) -> None:
        try:
            await asyncio.to_thread(append_lines, self._file, lines)
        except PartialAppendError as error:
            self._lose(len(lines) - error.written, str(error.__cause__))
        except OSError as error:
            self._lose(len(lines), str(error))
        else:
            self._is_failing = False

    def _lose(self, number: int, reason: str) -> None:
        """Count lost lines; log only the first loss since lines could be written."""
        self._on_loss(number)
        if not self._is_failing:
            self._is_failing = True
            log.error("the audit log %s loses lines: %s", self._file, reason)


@dataclass(frozen=True, slots=True)
class Audit:
    """Record each reply of the pipeline in a log.

    Args:
        log: Keeps the records.
        access: Returns what the caller of the current request may see.
        qa_model: The name of the QA model.
        clock: Returns the current time, in UTC.
    """

    log: AuditLog
    access: Callable[[], Access]
    qa_model: str
    clock: Callable[[], datetime] = utc_now

    def record(self, found: Found, response: AskResponse) -> None:
        """Record the reply to a question."""
        graph, version = self.access().graph(found.request.graph), found.retrieved.graph_version
        record = audit_record(
            found.request,
            response,
            time=self.clock(),
            caller=current_caller.get(),
            graph=graph,
            graph_version=version.removeprefix(f"{graph} ") if graph else version,
            qa_model=self.qa_model,
        )
        self.log.add(record.line())


class PartialAppendError(Exception):
    """Only the first `written` lines were appended; the cause says why."""

    def __init__(self, written: int) -> None:
        super().__init__(written)
        self.written = written


def append_lines(file: Path, lines: Sequence[bytes]) -> None:
    """Append lines to a regular file, one call of the system for each, so that processes can share the file.

    Raises OSError if the file cannot be opened, and PartialAppendError if not all lines could be written.
    """
    descriptor = os.open(file, _FLAGS, _MODE)
    try:
        _end_last_line(descriptor)
        for written, line in enumerate(lines):
            try:
                _write_all(descriptor, line)
            except OSError as error:
                raise PartialAppendError(written) from error
    finally:
        os.close(descriptor)


def _end_last_line(descriptor: int) -> None:
    """End a line that a full disk or a crash cut off, so that it does not spoil the next one."""
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode):
        raise OSError("it is not a regular file")
    if status.st_size and os.pread(descriptor, 1, status.st_size - 1) != b"\n":
        _write_all(descriptor, b"\n")


def _write_all(descriptor: int, data: bytes) -> None:
    while data:
        data = data[os.write(descriptor, data) :]
