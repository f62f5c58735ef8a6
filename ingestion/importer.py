"""Import fact files into a graph file: either all of them or none."""

import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

from ingestion.atomic_write import atomic_write
from ingestion.json_lines import read_json_lines
from ingestion.label_languages import LabelLanguages
from ingestion.ntriples import read_ntriples
from ingestion.rejections import LeftOut, Problems
from ingestion.source_lines import (
    DECOMPRESSORS,
    MAX_LINE_LENGTH,
    MAX_LONG_LINE_LENGTH,
    Blocks,
    check_readable,
    read_blocks,
)
from ingestion.sqlite_writer import GraphCounts, GraphWriter
from ingestion.tabular import read_csv, read_tsv
from shared.errors import InvalidInputError

_Reader = Callable[[Blocks, GraphWriter, Problems], None]

_READERS: dict[str, _Reader] = {
    ".tsv": read_tsv,
    ".csv": read_csv,
    ".nt": read_ntriples,
    ".jsonl": read_json_lines,
}


@dataclass(frozen=True, slots=True)
class ImportReport(GraphCounts):
    """Report what an import stored and how many seconds it took.

    `rejected` describes what it left out of the files, and `merged_names` lists the names that occurred in several
    Unicode forms.
    """

    seconds: float
    rejected: tuple[LeftOut, ...] = ()
    merged_names: tuple[str, ...] = ()


def import_files(
    files: Sequence[Path],
    target: Path,
    progress: Callable[[int, int], None] | None = None,
    *,
    is_strict: bool = False,
    max_rejected: int | None = None,
    language: str | None = None,
) -> ImportReport:
    """Import fact files, whose extensions determine their formats, into one graph file.

    Invalid lines and values are left out and counted, unless the import `is_strict`. `max_rejected` is the number of
    rejected lines above which the import fails; by default, this is 100 or 1 % of the lines, whichever is more. Labels
    in `language` name the entities of N-Triples if there are any.
    `progress` receives the number of bytes read so far and the total. If the import fails or is interrupted, `target`
    stays unchanged. Raises NotFoundError if a file does not exist, and InvalidInputError if a file cannot be read, if
    it has too many invalid lines (the message shows the first few), or if `target` cannot be written.
    """
    started = time.monotonic()
    languages = LabelLanguages(language)
    sources = [(file, _reader(file, languages)) for file in files]
    problems = Problems(is_strict, max_rejected)
    with replacing(target) as unfinished:
        counts, merged = _write(sources, unfinished, problems, progress)
    seconds = time.monotonic() - started
    return ImportReport(**asdict(counts), seconds=seconds, rejected=problems.left_out(), merged_names=merged)


@contextmanager
def replacing(target: Path) -> Iterator[Path]:
    """Yield a path for a new graph file, and move it to `target` when the block succeeds.

    Raises InvalidInputError if the file cannot be written.
    """
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with atomic_write(target) as unfinished:
            yield unfinished
    except (OSError, sqlite3.Error) as error:
        raise InvalidInputError(
            f"cannot write {target}: {error}; check the folder's free space and permissions"
        ) from error


def _reader(file: Path, languages: LabelLanguages) -> _Reader:
    check_readable(file)
    name = file.name.lower()
    for compression in DECOMPRESSORS:
        name = name.removesuffix(compression)
    if (reader := _READERS.get(Path(name).suffix)) is None:
        known = ", ".join(_READERS)
        raise InvalidInputError(f"{file.name}: unknown extension; expected {known}, or one of these with .xz or .gz")
    return partial(read_ntriples, languages=languages) if reader is read_ntriples else reader


def _write(
    sources: Sequence[tuple[Path, _Reader]],
    file: Path,
    problems: Problems,
    progress: Callable[[int, int], None] | None,
) -> tuple[GraphCounts, tuple[str, ...]]:
    total = sum(source.stat().st_size for source, _ in sources)
    done = 0

    def report(read: int) -> None:
        if progress:
            progress(done + read, total)

    with closing(GraphWriter(file)) as writer:
        for source, read in sources:
            problems.file = source.name
            blocks = read_blocks(source, report, *_line_limit(read, problems))
            read(_counted(blocks, problems), writer, problems)
            done += source.stat().st_size
            report(0)
        for (name, line), problem in writer.ids.faults():
            problems.add(line, problem, name)
        writer.add_held(problems)
        problems.raise_if_any()
        if writer.is_empty:
            names = ", ".join(source.name for source, _ in sources)
            raise InvalidInputError(
                f"{names or 'no file'}: no triples and no nodes; expected rows of subject, relation, and object, or a "
                f"property graph\n{problems.described()}".rstrip()
            )
        return writer.finish([str(one) for one in problems.left_out()]), writer.names.merged


def _line_limit(read: _Reader, problems: Problems) -> tuple[int, Problems | None]:
    """Return the number of bytes that a line may have, and what records longer lines, unless they are errors."""
    if read is read_csv:  # a line may be a part of a row
        return MAX_LINE_LENGTH, None
    return MAX_LINE_LENGTH if read is read_tsv else MAX_LONG_LINE_LENGTH, problems


def _counted(blocks: Blocks, problems: Problems) -> Blocks:
    """Count the lines in blocks."""
    for first, block in blocks:
        yield first, block
        problems.lines += block.count(b"\n") + (not block.endswith(b"\n"))
