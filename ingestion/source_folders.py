"""Find the files in folders that are to be imported."""

from collections.abc import Collection, Sequence
from pathlib import Path

from ingestion.source_lines import DECOMPRESSORS


def data_extension(name: str) -> str:
    """Return the extension of a file without that of its compression: `facts.TTL.gz` -> `.ttl`."""
    name = name.lower()
    for compression in DECOMPRESSORS:
        name = name.removesuffix(compression)
    return Path(name).suffix


def expanded(files: Sequence[Path], extensions: Collection[str]) -> list[Path]:
    """Replace each folder by the files in it that have one of these extensions, in the order of their paths.

    A folder without such files stays, so that reading it says what is wrong. Hidden files and folders are skipped.
    """
    found: list[Path] = []
    for file in files:
        found += [one for one in _files_in(file) if data_extension(one.name) in extensions] or [file]
    return found


def _files_in(folder: Path) -> list[Path]:
    if not folder.is_dir():
        return []
    paths = (path for path in folder.rglob("*") if path.is_file())
    return sorted(path for path in paths if not any(part.startswith(".") for part in path.relative_to(folder).parts))
