"""Create graph files for tests as users create them."""

from collections.abc import Iterable
from pathlib import Path

from ingestion.importer import import_files

Row = tuple[str, str, str]


def graph_file(folder: Path, rows: Iterable[Row]) -> Path:
    """Import rows of subject, relation and object (or alias) from a TSV file."""
    source = folder / "facts.tsv"
    source.write_text("".join("\t".join(row) + "\n" for row in rows), encoding="utf-8")
    target = folder / "facts.sqlite"
    import_files([source], target)
    return target
