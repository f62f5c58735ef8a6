"""What all readers write: a graph as TSV, questions as JSON Lines, each whole or not at all."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from ingestion.atomic_write import atomic_write
from question_sets.records import QuestionRecord


@dataclass(frozen=True, slots=True)
class ConvertedFile:
    """A file that a reader wrote, and how many lines it has."""

    file: Path
    lines: int


def write_graph(file: Path, triples: Iterable[tuple[str, str, str]]) -> ConvertedFile:
    """Write triples as `subject<TAB>relation<TAB>object`."""
    return _write(file, ("\t".join(triple) for triple in triples))


def write_questions(file: Path, questions: Iterable[QuestionRecord]) -> ConvertedFile:
    """Write questions in the project's own format."""
    return _write(file, (question.model_dump_json() for question in questions))


def _write(file: Path, lines: Iterable[str]) -> ConvertedFile:
    count = 0
    with atomic_write(file) as unfinished, unfinished.open("w", encoding="utf-8", newline="\n") as target:
        for line in lines:
            target.write(f"{line}\n")
            count += 1
    return ConvertedFile(file, count)
