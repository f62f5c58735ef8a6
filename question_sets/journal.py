"""Record finished work in journals so that an interrupted run can resume, and split a run into shards.

A journal has one line per item. Only lines that end in a line break count; an incomplete last line is removed. The
first line records the settings that the work depends on, so that a run with different settings does not resume from
the same journal.
"""

import fcntl
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Generic, Self, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from shared.errors import InvalidInputError

Line = TypeVar("Line", bound=BaseModel)
Item = TypeVar("Item")


class _Header(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    begun_with: dict[str, str]


class Journal(Generic[Line]):
    """Append items to a file as they are finished.

    Use a journal as a context manager, and iterate over it to get all items so far.

    Example:
        with Journal(file, {"graph": version}, Outcome) as journal:
            finished = {outcome.number for outcome in journal}
            journal.add(outcome)
    """

    def __init__(self, file: Path, begun_with: Mapping[str, str], line_type: type[Line]) -> None:
        """Open or create the journal, and lock its file.

        `begun_with` holds the names and values of everything that an item depends on; a journal without items accepts
        any values. Raise InvalidInputError if the file is in use, damaged, not a journal, or a journal of other work.
        """
        self._file = file
        self._line_type = line_type
        header = _Header(begun_with=dict(begun_with))
        self._out = self._open()
        try:
            self._lines: list[Line] = list(self._read(header))
        except BaseException:
            self._out.close()
            raise
        if not file.stat().st_size:
            self._write(header)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._out.close()

    def __iter__(self) -> Iterator[Line]:
        return iter(self._lines)

    def add(self, line: Line) -> None:
        """Append a finished item, and flush it to the file."""
        self._write(line)
        self._lines.append(line)

    def _open(self) -> IO[str]:
        try:
            out = self._file.open("a", encoding="utf-8")
        except IsADirectoryError as error:
            raise self._not_a_journal() from error
        try:
            fcntl.flock(out, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            out.close()
            raise InvalidInputError(f"{self._file} is in use by another run; wait until it ends, or stop it") from error
        return out

    def _read(self, header: _Header) -> Iterator[Line]:
        content = self._file.read_bytes()
        size = content.rfind(b"\n") + 1
        lines = content[:size].decode("utf-8", "replace").split("\n")[:-1]
        if lines:
            if self._is_of_other_work(lines[0], header.begun_with, is_empty=len(lines) == 1):
                size, lines = 0, []
        elif not header.model_dump_json().encode().startswith(content):
            raise self._not_a_journal()
        os.truncate(self._file, size)
        for number, line in enumerate(lines[1:], 2):
            try:
                yield self._line_type.model_validate_json(line)
            except ValidationError as error:
                raise InvalidInputError(
                    f"{self._file}: line {number} is damaged; delete the line to have that item processed again"
                ) from error

    def _is_of_other_work(self, line: str, wanted: Mapping[str, str], is_empty: bool) -> bool:
        """Return whether the header differs from `wanted`; raise InvalidInputError if it does and items follow it."""
        try:
            begun = _Header.model_validate_json(line).begun_with
        except ValidationError as error:
            raise self._not_a_journal() from error
        differences = [
            f"{name} {begun.get(name)!r}, not {wanted[name]!r}" for name in wanted if begun.get(name) != wanted[name]
        ]
        if differences and not is_empty:
            raise InvalidInputError(
                f"{self._file} was started with {'; '.join(differences)}; use the same settings to resume, "
                "or delete the file to start over"
            )
        return bool(differences)

    def _not_a_journal(self) -> InvalidInputError:
        return InvalidInputError(f"{self._file} is not a journal; choose a different file")

    def _write(self, line: BaseModel) -> None:
        self._out.write(f"{line.model_dump_json()}\n")
        self._out.flush()


@dataclass(frozen=True, slots=True)
class Shard:
    """Identify one of `of` shards; each shard processes every `of`-th item and keeps its own journal.

    `index` counts from 0, like the completion index of an indexed Kubernetes Job.
    """

    index: int
    of: int

    @classmethod
    def parse(cls, text: str) -> "Shard":
        """Parse `3/10`, the fourth shard of ten; raise InvalidInputError for anything else."""
        index, _, of = text.partition("/")
        if not (index.isdecimal() and of.isdecimal() and int(index) < int(of)):
            raise InvalidInputError(f"expected a shard such as 0/10 (the first of ten) or 9/10 (last), found {text!r}")
        return cls(int(index), int(of))

    @classmethod
    def all(cls, of: int) -> "list[Shard]":
        """Return all shards."""
        return [cls(index, of) for index in range(of)]

    def part(self, items: Sequence[Item]) -> Sequence[Item]:
        """Return this shard's items. Each item belongs to exactly one shard."""
        return items[self.index :: self.of]

    def file(self, base: Path) -> Path:
        """Return the path of this shard's journal, derived from the path for an unsharded run."""
        return base.with_name(f"{base.name}.{self.index}-of-{self.of}")

    def existing_file(self, base: Path) -> Path:
        """Return the path of this shard's journal; raise InvalidInputError if it does not exist yet."""
        file = self.file(base)
        if not file.is_file():
            raise InvalidInputError(f"shard {self} has not been started: {file} does not exist; run the shard first")
        return file

    def require_finished(self, remaining: int) -> None:
        """Raise InvalidInputError if any items of this shard remain."""
        if remaining:
            items = f"{remaining:,} item{'s' * (remaining > 1)}"
            raise InvalidInputError(f"shard {self} is not finished: {items} left; run the shard again")

    def __str__(self) -> str:
        return f"{self.index}/{self.of}"
