"""Import fact files into a graph file: either all of them or none."""

import sqlite3
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, Self

from graph.plan.schema import LeftOutValues
from graph.plan.text_readings import TextReading
from ingestion.admin_csv import AdminReader
from ingestion.admin_header import ID, START, TYPE
from ingestion.atomic_write import atomic_write
from ingestion.column_reports import ColumnReport
from ingestion.csv_dialect import has_byte_order_mark
from ingestion.graph_counts import GraphCounts
from ingestion.json_lines import read_json_lines
from ingestion.label_languages import LabelLanguages
from ingestion.ntriples import read_ntriples
from ingestion.rdf_files import RDF_EXTENSIONS, read_rdf
from ingestion.rdf_graph import RdfGraph
from ingestion.rejections import LeftOut, Problems
from ingestion.source_folders import data_extension, expanded
from ingestion.source_lines import (
    MAX_LINE_LENGTH,
    MAX_LONG_LINE_LENGTH,
    Blocks,
    check_readable,
    read_blocks,
)
from ingestion.sqlite_writer import GraphWriter
from ingestion.table_options import TableGroup, TableOptions
from ingestion.tabular import Tables, read_csv, read_joined, read_tsv
from shared.errors import InvalidInputError

_Reader = Callable[[Blocks, GraphWriter, Problems], None]

_EXTENSIONS = (".tsv", ".csv", *RDF_EXTENSIONS, ".nt", ".jsonl", ".ndjson", ".json")


class _Source(NamedTuple):
    """Say how one file is read; lines of at least `max_length` bytes are rejected, or an error."""

    file: Path
    read: _Reader
    max_length: int = MAX_LINE_LENGTH
    rejects_long_lines: bool = False
    is_rdf: bool = False


@dataclass(frozen=True, slots=True)
class ImportReport(GraphCounts):
    """Report what an import stored and how many seconds it took.

    `rejected` describes what it left out of the files, `merged_names` lists the names that occurred in several Unicode
    forms, `case_variants` lists names that differ only in case, `dialects` holds the descriptions of the dialects of
    tables, each with the files that have it, `unread_values` counts the values that do not fit their property, of which
    `examples` has the first text by owner and key,
    `columns` says which texts are read as numbers or dates, or are not although they look like some, and
    `likely_headers` says which facts look like headers of tables with a row for each thing, and `rdf_remarks` says what
    the ontology of RDF files changed.
    """

    seconds: float
    rejected: tuple[LeftOut, ...] = ()
    merged_names: tuple[str, ...] = ()
    case_variants: Sequence[tuple[str, ...]] = ()
    dialects: Mapping[str, Sequence[str]] = field(default_factory=dict, kw_only=True)
    unread_values: Sequence[LeftOutValues] = field(default=(), kw_only=True)
    examples: Mapping[tuple[str, str], str] = field(default_factory=dict, kw_only=True)
    columns: Sequence[ColumnReport] = field(default=(), kw_only=True)
    likely_headers: Sequence[str] = field(default=(), kw_only=True)
    rdf_remarks: Sequence[str] = field(default=(), kw_only=True)

    @classmethod
    def of(
        cls, counts: GraphCounts, started: float, writer: GraphWriter, problems: Problems, tables: Tables, **more: Any
    ) -> Self:
        """Report an import that `started` at a time of the monotonic clock.

        `more` holds what only one kind of import has, and the case variants, which the file must be open for.
        """
        return cls(
            **asdict(counts),
            seconds=time.monotonic() - started,
            rejected=problems.left_out(),
            merged_names=writer.names.merged,
            dialects=tables.dialects,
            unread_values=writer.left_out,
            examples=writer.examples,
            columns=writer.columns,
            **more,
        )


def import_files(
    files: Sequence[Path],
    target: Path,
    progress: Callable[[int, int], None] | None = None,
    *,
    options: TableOptions | None = None,
    is_strict: bool = False,
    max_rejected: int | None = None,
    language: str | None = None,
    named_graph: str | None = None,
    dates: TextReading | None = None,
) -> ImportReport:
    """Import fact files, whose extensions determine their formats, into one graph file.

    A folder stands for all RDF files in it. `options` sets how tables are read, and adds files that are joined. Labels
    in `language` name the entities of RDF if there are any, and only `named_graph` is imported if it is set. Dates such
    as 3/4/2021 stay texts unless others with them, or `dates`, show whether the day or the month comes first.

    Invalid lines and values are left out and counted, unless the import `is_strict`. `max_rejected` is the number of
    rejected lines above which the import fails; by default, this is 100 or 1 % of the lines, whichever is more.
    `progress` receives the number of bytes read so far and the total. If the import fails or is interrupted, `target`
    stays unchanged. Raises NotFoundError if a file does not exist, and InvalidInputError if a file cannot be read, if
    it has too many invalid lines (the message shows the first few), or if `target` cannot be written.
    """
    started = time.monotonic()
    tables = Tables(options or TableOptions())
    rdf = RdfGraph(LabelLanguages(language), named_graph)
    problems = Problems(is_strict, max_rejected)
    sources = [_source(file, rdf, tables) for file in expanded(files, (".nt", *RDF_EXTENSIONS))]
    for group in tables.options.groups:
        sources += _joined(group, tables)
    with replacing(target) as unfinished, closing(GraphWriter(unfinished, dates=dates)) as writer:
        counts, remarks = _write(sources, writer, tables, rdf, problems, progress)
        variants = writer.case_variants()
    more = {"case_variants": variants, "likely_headers": tables.likely_headers, "rdf_remarks": remarks}
    return ImportReport.of(counts, started, writer, problems, tables, **more)


@contextmanager
def replacing(target: Path) -> Iterator[Path]:
    """Yield a path for a new graph file, and move it to `target` when the block succeeds; only its owner may read it.

    Raises InvalidInputError if the file cannot be written.
    """
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with atomic_write(target, is_private=True) as unfinished:
            yield unfinished
    except (OSError, sqlite3.Error) as error:
        raise InvalidInputError(
            f"cannot write {target}: {error}; check the folder's free space and permissions"
        ) from error


def _source(file: Path, rdf: RdfGraph, tables: Tables) -> _Source:
    check_readable(file)
    match extension := data_extension(file.name):
        case ".tsv":
            return _Source(file, partial(read_tsv, tables=tables), rejects_long_lines=True)
        case ".csv":  # a line may be a part of a row, so none can be left out
            return _Source(file, partial(read_csv, tables=tables), MAX_LONG_LINE_LENGTH)
        case ".nt":
            return _Source(file, partial(read_ntriples, graph=rdf), MAX_LONG_LINE_LENGTH, True)
        case _ if extension in RDF_EXTENSIONS:  # a whole file may be one line
            return _Source(file, partial(read_rdf, graph=rdf, extension=extension), sys.maxsize, is_rdf=True)
        case ".jsonl" | ".ndjson" | ".json":
            return _Source(file, read_json_lines, MAX_LONG_LINE_LENGTH, True)
    known = ", ".join(_EXTENSIONS)
    raise InvalidInputError(f"{file.name}: unknown extension; expected {known}, or one of these with .xz or .gz")


def _joined(group: TableGroup, tables: Tables) -> list[_Source]:
    """Return the files of a group, which are read one after the other."""
    given = ID if group.is_nodes else TYPE if group.names else START
    readers: list[AdminReader] = []

    def read(blocks: Blocks, writer: GraphWriter, problems: Problems) -> None:
        if not readers:
            readers.append(AdminReader(writer, problems, tables.options.dialect, group.names, given))
        read_joined(readers[0], blocks, writer, problems, tables)

    for file in group.files:
        check_readable(file)
    return [_Source(file, read, MAX_LONG_LINE_LENGTH) for file in group.files]


def _write(
    sources: Sequence[_Source],
    writer: GraphWriter,
    tables: Tables,
    rdf: RdfGraph,
    problems: Problems,
    progress: Callable[[int, int], None] | None,
) -> tuple[GraphCounts, list[str]]:
    total = sum(source.file.stat().st_size for source in sources)
    done = 0

    def report(read: int) -> None:
        if progress:
            progress(done + read, total)

    writer.is_composed = True
    for source in sources:
        problems.file = source.file.name
        tables.has_mark = has_byte_order_mark(source.file)
        rejected = problems if source.rejects_long_lines else None
        blocks = read_blocks(source.file, report, source.max_length, rejected, source.is_rdf)
        source.read(_counted(blocks, problems), writer, problems)
        done += source.file.stat().st_size
        report(0)
    for (name, line), problem in writer.ids.faults():
        problems.add(line, problem, name)
    writer.add_held(problems)
    problems.raise_if_any()
    remarks = rdf.write(writer)
    if writer.is_empty:
        names = ", ".join(source.file.name for source in sources)
        reason = ", because there are no lines" if names and not problems.lines else ""
        raise InvalidInputError(
            f"{names or 'no file'}: no triples and no nodes{reason}; expected rows of subject, relation, and "
            f"object, or a property graph\n{problems.described()}".rstrip()
        )
    return writer.finish([str(one) for one in problems.left_out()]), remarks


def _counted(blocks: Blocks, problems: Problems) -> Blocks:
    """Count the lines in blocks."""
    for first, block in blocks:
        yield first, block
        problems.lines += block.count(b"\n") + (not block.endswith(b"\n"))
