"""Importing files of facts into an embedded graph: all of them or nothing."""

import os
import sqlite3
import time
import uuid
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

from ingestion.csv_files import read_csv
from ingestion.lines import COMPRESSIONS, Blocks, check_readable, read_blocks
from ingestion.ntriples import read_ntriples
from ingestion.problems import Problems
from ingestion.sqlite_writer import GraphWriter, Written
from ingestion.tsv import read_tsv
from shared.errors import InvalidInputError

_Reader = Callable[[Blocks, str, GraphWriter, Problems], None]

_READERS: dict[str, _Reader] = {".tsv": read_tsv, ".csv": read_csv, ".nt": read_ntriples}


@dataclass(frozen=True, slots=True)
class ImportReport:
    """What an import stored.

    `duplicates`: repeated triples, stored once; `unused_names`: aliases and labels of entities that no triple
    mentions, left out; `cleaned_names`: names, as they were spelt, from which invisible characters were removed.
    """

    triples: int
    entities: int
    relations: int
    aliases: int
    duplicates: int
    unused_names: int
    cleaned_names: int
    seconds: float


def import_files(
    files: Sequence[Path], target: Path, progress: Callable[[int, int], None] | None = None
) -> ImportReport:
    """Read files of facts in any mix of formats, told apart by extension, into the graph file `target`.

    `progress` is told the bytes read so far and in total. Raises InvalidInputError with the first bad lines, or
    NotFoundError for a missing file; then, as on an interrupt, a graph that was at `target` is left as it was.
    """
    started = time.monotonic()
    sources = [(file, _reader(file)) for file in files]
    unfinished = target.with_name(f".{target.name}.{uuid.uuid4().hex}.partial")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        try:
            written = _write(sources, unfinished, progress)
            _flush_to_disk(unfinished)
            unfinished.replace(target)
        finally:
            unfinished.unlink(missing_ok=True)
    except (OSError, sqlite3.Error) as error:
        raise InvalidInputError(f"{target} cannot be written: {error}; check the folder's space and rights") from error
    return ImportReport(**asdict(written), seconds=time.monotonic() - started)


def _reader(file: Path) -> _Reader:
    check_readable(file)
    name = file.name.lower()
    for compression in COMPRESSIONS:
        name = name.removesuffix(compression)
    reader = _READERS.get(Path(name).suffix)
    if reader is None:
        known = ", ".join(_READERS)
        raise InvalidInputError(f"{file.name}: unknown extension; expected {known}, or one of these with .xz or .gz")
    return reader


def _write(sources: Sequence[tuple[Path, _Reader]], file: Path, progress: Callable[[int, int], None] | None) -> Written:
    problems = Problems()
    total = sum(source.stat().st_size for source, _ in sources)
    done = 0
    with closing(GraphWriter(file)) as writer:
        for source, read in sources:
            report = partial(_report, progress, done, total) if progress else None
            read(read_blocks(source, report), source.name, writer, problems)
            done += source.stat().st_size
            if progress:
                progress(done, total)
        problems.raise_if_any()
        if writer.is_empty:
            names = ", ".join(source.name for source, _ in sources)
            raise InvalidInputError(f"{names or 'no file'}: no triples; expected rows of subject, relation and object")
        return writer.finish()


def _report(progress: Callable[[int, int], None], before: int, total: int, read: int) -> None:
    progress(before + read, total)


def _flush_to_disk(file: Path) -> None:
    with file.open("rb") as written:
        os.fsync(written.fileno())
