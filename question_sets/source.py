"""What all readers read: text files, plain or .xz, whose bad lines are named by file and line."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

from question_sets.records import open_text
from shared.errors import InvalidInputError, NotFoundError

Row = TypeVar("Row")


def existing(file: Path) -> Path | None:
    """The file, or its .xz; None if there is neither."""
    return next((f for f in (file, file.with_name(f"{file.name}.xz")) if f.is_file()), None)


def required(folder: Path, name: str, data_set: str) -> Path:
    """The file of this name in a data set's folder; raises NotFoundError if it is not there."""
    file = existing(folder / name)
    if file is None:
        raise NotFoundError(f"{folder}: no {name} or {name}.xz in it; name the folder that holds {data_set}'s {name}")
    return file


def rows(file: Path, parse: Callable[[str], Row], expected: str) -> Iterator[Row]:
    """Each line as `parse` reads it; where that raises ValueError, raises InvalidInputError with what is `expected`."""
    with open_text(file) as lines:
        for number, line in enumerate(lines, 1):
            try:
                yield parse(line.rstrip("\r\n"))
            except ValueError as error:
                raise InvalidInputError(f"{file}, line {number}: expected {expected}: {error}") from error


def triple(separator: str) -> Callable[[str], tuple[str, str, str]]:
    """Reads a line of subject, relation and object."""

    def parse(line: str) -> tuple[str, str, str]:
        subject, relation, object_ = line.split(separator)
        return subject, relation, object_

    return parse
