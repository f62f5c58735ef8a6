"""Read the text files of published data sets, and write graphs and questions in the project's own formats.

Every converter returns the number of lines in each file that it wrote. It raises NotFoundError if a required file is
missing, and InvalidInputError, with the file and the line, if a line is malformed.
"""

import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, TypeVar

from ingestion.atomic_write import atomic_write
from question_sets.records import QuestionRecord, open_text
from shared.errors import InvalidInputError, NotFoundError
from shared.triple import Triple

Row = TypeVar("Row")


def find_file(file: Path) -> Path | None:
    """Return the file or its .xz version, or None if neither exists."""
    return next((f for f in (file, file.with_name(f"{file.name}.xz")) if f.is_file()), None)


def require_file(folder: Path, name: str, data_set: str) -> Path:
    """Return a file in a data set's folder, plain or .xz; raise NotFoundError if it is missing."""
    if file := find_file(folder / name):
        return file
    raise NotFoundError(f"{folder} contains no {name} or {name}.xz; pass the folder that contains {data_set}'s {name}")


def read_objects(folder: Path, name: str, data_set: str) -> Iterator[dict[str, Any]]:
    """Yield the JSON objects of a data set's file, one per line, plain or .xz; raise NotFoundError if it is missing."""
    with open_text(require_file(folder, name, data_set)) as lines:
        yield from map(json.loads, lines)


def parse_lines(file: Path, parse: Callable[[str], Row], expected: str) -> Iterator[Row]:
    """Parse each line, without its line break, of a plain or .xz text file.

    If `parse` raises ValueError, raise InvalidInputError with the file, the line, and the `expected` format.
    """
    with open_text(file) as lines:
        for number, line in enumerate(lines, 1):
            try:
                yield parse(line.rstrip("\r\n"))
            except ValueError as error:
                raise InvalidInputError(f"{file}, line {number}: expected {expected}: {error}") from error


def parse_triples(file: Path, separator: str = "\t") -> Iterator[Triple]:
    """Parse lines of subject, relation, and object; raise InvalidInputError as `parse_lines` does."""

    def parse(line: str) -> Triple:
        subject, relation, object_ = line.split(separator)
        return Triple(subject, relation, object_)

    return parse_lines(file, parse, f"subject, relation, and object, separated by {separator!r}")


class OutputFolder:
    """Write converted files into a folder, each atomically; `written` maps each file to its number of lines."""

    def __init__(self, folder: Path) -> None:
        self.written: dict[Path, int] = {}
        self._folder = folder

    def write_graph(self, name: str, triples: Iterable[Triple]) -> Path:
        """Write triples as `subject<TAB>relation<TAB>object`."""
        return self._write(name, (f"{t.subject}\t{t.relation}\t{t.object}" for t in triples))

    def write_questions(self, name: str, questions: Iterable[QuestionRecord]) -> Path:
        """Write a question file."""
        return self._write(name, (question.model_dump_json() for question in questions))

    def _write(self, name: str, lines: Iterable[str]) -> Path:
        self._folder.mkdir(parents=True, exist_ok=True)
        file, count = self._folder / name, 0
        with atomic_write(file) as unfinished, unfinished.open("w", encoding="utf-8", newline="\n") as target:
            for count, line in enumerate(lines, 1):  # noqa: B007 - the number of lines
                target.write(f"{line}\n")
        self.written[file] = count
        return file
