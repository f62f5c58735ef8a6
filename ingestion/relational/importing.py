"""Import tables that refer to each other into one graph file, or only say what the import would do."""

import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from graph.plan.text_readings import TextReading
from graph.sqlite.connection import connect
from graph.sqlite.plan_execution import PlanExecutor
from ingestion.graph_counts import GraphCounts
from ingestion.importer import ImportReport, replacing
from ingestion.rejections import LeftOut, Problems
from ingestion.relational.deciding import decide
from ingestion.relational.mapping import GraphMapping
from ingestion.relational.opening import open_tables
from ingestion.relational.overrides import read_overrides
from ingestion.relational.staged_tables import StagedTables
from ingestion.relational.writing import TableWriter
from ingestion.sqlite_writer import GraphWriter
from ingestion.table_options import TableOptions
from ingestion.tabular import Tables
from shared.errors import InvalidInputError

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class TablesOptions:
    """Hold what the user says about tables.

    Attributes:
        tables: The dialect of CSV and TSV files.
        keys: Columns that identify rows, such as `orders=order_id`.
        references: Columns that refer to tables, such as `orders.buyer=customers`.
    """

    tables: TableOptions = field(default_factory=TableOptions)
    keys: Sequence[str] = ()
    references: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class TablesReport(ImportReport):
    """Report also what each table became."""

    mapping: GraphMapping = field(kw_only=True)


@dataclass(frozen=True, slots=True)
class TablesSurvey:
    """Say what an import would do.

    Attributes:
        mapping: What each table becomes.
        names: The property that names the nodes of each kind; None if their keys do.
        rejected: The rows and values that it would leave out.
    """

    mapping: GraphMapping
    names: Mapping[str, str | None]
    rejected: tuple[LeftOut, ...]


def survey_tables(path: Path, options: TablesOptions | None = None) -> TablesSurvey:
    """Import tables into a temporary file, and say what an import would do, however many rows it would leave out.

    Raises NotFoundError and InvalidInputError as `import_tables` does.
    """
    with TemporaryDirectory() as folder:
        file = Path(folder) / "graph.sqlite"
        report = import_tables(path, file, options=options, max_rejected=sys.maxsize)
        with closing(connect(file)) as connection:
            kinds = PlanExecutor(connection).schema.kinds
    return TablesSurvey(report.mapping, {kind: one.name_property for kind, one in kinds.items()}, report.rejected)


def import_tables(
    path: Path,
    target: Path,
    progress: Progress | None = None,
    *,
    options: TablesOptions | None = None,
    is_strict: bool = False,
    max_rejected: int | None = None,
    dates: TextReading | None = None,
) -> TablesReport:
    """Import a folder of CSV, TSV, and Parquet files, or a database of SQLite or DuckDB, into one graph file.

    The rows of a table are nodes of one kind, and columns that refer to rows are relationships. `is_strict`,
    `max_rejected`, and `dates` are as for `import_files`; `progress` receives how many tables were read and
    written, and how many times that is done.

    Raises NotFoundError if the path does not exist, and InvalidInputError if it holds no tables, if a file cannot be
    read, if options contradict the tables, or if too many rows are invalid.
    """
    started = time.monotonic()
    options = options or TablesOptions()
    problems = Problems(is_strict, max_rejected)
    dialects = Tables(options.tables)
    steps = _Steps(progress)
    with (
        _staged(path, options, dialects, problems, steps) as (mapping, staged),
        replacing(target) as unfinished,
        closing(GraphWriter(unfinished, mapping.name_properties, dates)) as writer,
    ):
        counts = _write(mapping, staged, writer, problems, steps)
        variants = writer.case_variants()
    return TablesReport.of(counts, started, writer, problems, dialects, case_variants=variants, mapping=mapping)


class _Steps:
    """Count the steps of an import: each table is read once, and written twice."""

    def __init__(self, progress: Progress | None) -> None:
        self._progress = progress
        self._done = 0
        self.total = 0

    def advance(self) -> None:
        """Report that a step is done."""
        self._done += 1
        if self._progress:
            self._progress(self._done, max(self.total, self._done))


@contextmanager
def _staged(
    path: Path, options: TablesOptions, dialects: Tables, problems: Problems, steps: _Steps
) -> Iterator[tuple[GraphMapping, StagedTables]]:
    """Read all tables, and decide what they become."""
    source, ignored = open_tables(path, options.tables, dialects, problems)
    with closing(source), closing(StagedTables()) as staged:
        overrides = read_overrides(options.keys, options.references, source.tables)
        steps.total = 3 * len(source.tables)
        for table in source.tables:
            staged.add(source, table, problems)
            steps.advance()
        problems.raise_if_any()
        yield decide(source.tables, staged, overrides, ignored), staged


def _write(
    mapping: GraphMapping, staged: StagedTables, writer: GraphWriter, problems: Problems, steps: _Steps
) -> GraphCounts:
    writer.is_composed = writer.keeps_repeated = True
    TableWriter(mapping, staged, writer, problems).write(steps.advance)
    problems.raise_if_any()
    if writer.is_empty:
        raise InvalidInputError(f"no table has a row that can be imported\n{problems.described()}".rstrip())
    return writer.finish([str(one) for one in problems.left_out()])
