"""A journal: work that is done, a line each, so that a kill loses or doubles nothing.

A line counts once it ends in a line break; what a kill left of the last one is cut off. The first line says what the
work is about, so that another one does not go on in it.
"""

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

        Raises InvalidInputError for the journal of other work, a damaged one, or a file that is none.
        """
        self._file = file
        self._kind = kind
        begun = _Begun(begun_with=dict(begun_with))
        self._lines: list[Line] = list(self._read(begun)) if file.exists() else []
        self._out: IO[str] = file.open("a", encoding="utf-8")
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

    def _read(self, begun: _Begun) -> Iterator[Line]:
        content = self._file.read_bytes()
        whole = content.rfind(b"\n") + 1
        lines = content[:whole].decode("utf-8", "replace").split("\n")[:-1]
        if lines:
            self._check(lines[0], begun.begun_with)
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

    def _check(self, line: str, wanted: Mapping[str, str]) -> None:
        try:
            begun = _Begun.model_validate_json(line).begun_with
        except ValidationError as error:
            raise self._no_journal() from error
        others = [
            f"{name} {begun.get(name)!r}, not {wanted[name]!r}" for name in wanted if begun.get(name) != wanted[name]
        ]
        if others:
            raise InvalidInputError(
                f"{self._file} was begun with {'; '.join(others)}: go on with that, or remove the file to begin anew"
            )

    def _no_journal(self) -> InvalidInputError:
        return InvalidInputError(f"{self._file} is not a journal; name another file to write")

    def _write(self, line: BaseModel) -> None:
        self._out.write(f"{line.model_dump_json()}\n")
        self._out.flush()
