"""A journal: work that is done, a line each, so that a kill loses or doubles nothing.

A line counts once it ends in a line break; what a kill left of the last one is cut off. The first line says what the
work is about, so that another one does not go on in it.
"""

import fcntl
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import IO, Generic, Self, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from shared.errors import InvalidInputError

Line = TypeVar("Line", bound=BaseModel)


class _Begun(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    begun_with: dict[str, str]


class Journal(Generic[Line]):
    """Lines in a file; a context manager that holds it open. Iterates over the lines in their order."""

    def __init__(self, file: Path, begun_with: Mapping[str, str], kind: type[Line]) -> None:
        """Open or begin the journal of work on `begun_with`: names and values of all that a line depends on.

        A journal without a line goes on as any. Raises InvalidInputError for the journal of other work or of a run that
        is not over, a damaged one, or a file that is none.
        """
        self._file = file
        self._kind = kind
        begun = _Begun(begun_with=dict(begun_with))
        self._out = self._opened()
        try:
            self._lines: list[Line] = list(self._read(begun))
        except BaseException:
            self._out.close()
            raise
        if not file.stat().st_size:
            self._write(begun)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._out.close()

    def __iter__(self) -> Iterator[Line]:
        return iter(self._lines)

    def add(self, line: Line) -> None:
        """Write a line down; from then on it is done, whatever happens."""
        self._write(line)
        self._lines.append(line)

    def _opened(self) -> IO[str]:
        try:
            out = self._file.open("a", encoding="utf-8")
        except IsADirectoryError as error:
            raise self._no_journal() from error
        try:
            fcntl.flock(out, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            out.close()
            raise InvalidInputError(f"another run is at work in {self._file}: wait for it, or end it first") from error
        return out

    def _read(self, begun: _Begun) -> Iterator[Line]:
        content = self._file.read_bytes()
        whole = content.rfind(b"\n") + 1
        lines = content[:whole].decode("utf-8", "replace").split("\n")[:-1]
        if lines:
            if self._is_of_other_work(lines[0], begun.begun_with, is_empty=len(lines) == 1):
                whole, lines = 0, []
        elif not begun.model_dump_json().encode().startswith(content):
            raise self._no_journal()
        os.truncate(self._file, whole)
        for number, line in enumerate(lines[1:], 2):
            try:
                yield self._kind.model_validate_json(line)
            except ValidationError as error:
                raise InvalidInputError(
                    f"{self._file}, line {number}: damaged; remove the line to have it made again"
                ) from error

    def _is_of_other_work(self, line: str, wanted: Mapping[str, str], is_empty: bool) -> bool:
        """Whether it is, and was begun only; raises InvalidInputError if there is something in it."""
        try:
            begun = _Begun.model_validate_json(line).begun_with
        except ValidationError as error:
            raise self._no_journal() from error
        others = [
            f"{name} {begun.get(name)!r}, not {wanted[name]!r}" for name in wanted if begun.get(name) != wanted[name]
        ]
        if others and not is_empty:
            raise InvalidInputError(
                f"{self._file} was begun with {'; '.join(others)}: go on with that, or remove the file to begin anew"
            )
        return bool(others)

    def _no_journal(self) -> InvalidInputError:
        return InvalidInputError(f"{self._file} is not a journal; name another file to write")

    def _write(self, line: BaseModel) -> None:
        self._out.write(f"{line.model_dump_json()}\n")
        self._out.flush()
