"""Import fact files into a graph file: either all of them or none."""

import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from ingestion.atomic_write import atomic_write
from ingestion.json_lines import read_json_lines
from ingestion.ntriples import read_ntriples
from ingestion.source_lines import DECOMPRESSORS, Blocks, Problems, check_readable, read_blocks
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
    """Report what an import stored and how many seconds it took."""

    seconds: float


def import_files(
    files: Sequence[Path], target: Path, progress: Callable[[int, int], None] | None = None
) -> ImportReport:
    """Import fact files, whose extensions determine their formats, into one graph file.

    `progress` receives the number of bytes read so far and the total. If the import fails or is interrupted, `target`
    stays unchanged. Raises NotFoundError if a file does not exist, and InvalidInputError if a file has invalid lines
    (the message shows the first few) or `target` cannot be written.
    """
    started = time.monotonic()
    sources = [(file, _reader(file)) for file in files]
    with replacing(target) as unfinished:
        counts = _write(sources, unfinished, progress)
    return ImportReport(**asdict(counts), seconds=time.monotonic() - started)


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


def _reader(file: Path) -> _Reader:
    check_readable(file)
    name = file.name.lower()
    for compression in DECOMPRESSORS:
        name = name.removesuffix(compression)
    if (reader := _READERS.get(Path(name).suffix)) is None:
        known = ", ".join(_READERS)
        raise InvalidInputError(f"{file.name}: unknown extension; expected {known}, or one of these with .xz or .gz")
    return reader


def _write(
    sources: Sequence[tuple[Path, _Reader]], file: Path, progress: Callable[[int, int], None] | None
) -> GraphCounts:
    problems = Problems()
    total = sum(source.stat().st_size for source, _ in sources)
    done = 0

    def report(read: int) -> None:
        if progress:
            progress(done + read, total)

    with closing(GraphWriter(file)) as writer:
        for source, read in sources:
            problems.file = source.name
            read(read_blocks(source, report), writer, problems)
            done += source.stat().st_size
            report(0)
        for (name, line), problem in writer.ids.problems(writer.has_node):
            problems.add(line, problem, name)
        problems.raise_if_any()
        if writer.is_empty:
            names = ", ".join(source.name for source, _ in sources)
            raise InvalidInputError(
                f"{names or 'no file'}: no triples and no nodes; expected rows of subject, relation, and object, or a "
                "property graph"
            )
        return writer.finish()
