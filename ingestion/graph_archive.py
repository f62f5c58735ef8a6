"""Keep a graph with its models, its feedback, and what its owner says in one archive, and restore it from there."""

import gzip
import hashlib
import io
import os
import re
import shutil
import tarfile
import zlib
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import IO, Literal

from pydantic import BaseModel, ValidationError

from graph.sqlite.connection import FileSummary, summarise_file
from ingestion.atomic_write import atomic_write
from shared import __version__
from shared.errors import InvalidInputError, NotFoundError
from shared.paths import (
    confirmed_file,
    feedback_file,
    graph_file,
    graph_names,
    home,
    index_file,
    meaning_file,
    models_folder,
    snapshot_file,
    trusted_file,
)
from shared.suggestions import did_you_mean

_MANIFEST, _GRAPH, _MODELS, _FEEDBACK = "manifest.json", "graph.sqlite", "models", "feedback.jsonl"
# The files in which the owner says what a graph means, and how questions are read; archives of format 1 lack them.
_OWNER_FILES = {"meaning.toml": meaning_file, "trusted.jsonl": trusted_file, "confirmed.jsonl": confirmed_file}
_SAFE_PART = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._ -]{0,200}")
_MAX_MANIFEST_BYTES = 10_000_000
_DAMAGED = (tarfile.TarError, EOFError, zlib.error, gzip.BadGzipFile)


class ArchiveManifest(BaseModel):
    """Describe an archive: what it is a copy of, and the SHA-256 hash of each file."""

    format: Literal[1, 2] = 2
    kgqa: str
    graph: str
    created: datetime
    files: dict[str, str]


def back_up(graph: str, target: Path) -> ArchiveManifest:
    """Write a graph with its models, its feedback, and what its owner says to a gzip-compressed tar archive.

    The archive appears when it is complete.

    Raises NotFoundError if there is no such graph, and InvalidInputError if it is damaged, or if `target` exists.
    """
    summarise_file(graph_file(graph))  # a damaged graph is no backup
    if target.exists():
        raise InvalidInputError(f"{target} exists already; remove it, or choose another file")
    if not target.parent.is_dir():
        raise NotFoundError(f"the folder {target.parent} does not exist; create it first")
    hashes: dict[str, str] = {}
    with (
        atomic_write(target, is_private=True) as unfinished,
        tarfile.open(unfinished, "w:gz", compresslevel=6) as archive,
    ):
        for name, file in _files(graph):
            with file.open("rb") as content:
                # An import may replace the file in the meantime, but not what is open.
                member = archive.gettarinfo(arcname=name, fileobj=content)
                hashing = _HashingReader(content)
                archive.addfile(_anonymous(member), hashing)
                hashes[name] = hashing.hexdigest()
        manifest = ArchiveManifest(
            kgqa=__version__, graph=graph, created=datetime.now(UTC).replace(microsecond=0), files=hashes
        )
        _add_manifest(archive, manifest)
    return manifest


def restore(source: Path, graph: str | None = None, is_replaced: bool = False) -> tuple[str, FileSummary]:
    """Restore a graph from an archive, by default under its own name; return the name, and what the graph holds.

    Everything is checked before anything changes. Raises NotFoundError if there is no archive, and InvalidInputError if
    it is damaged, is no archive of this version, or would replace a graph without `is_replaced`.
    """
    if not source.is_file():
        raise NotFoundError(f"{source} is not a file; give the path of an archive that kgqa backup wrote")
    home().mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(prefix=".restore-", dir=home()) as folder:
        unpacked = Path(folder)
        manifest = _unpack(source, unpacked)
        name = graph or manifest.graph
        target = graph_file(name)  # checks the name
        has_owner_files = manifest.format > 1
        if not is_replaced:
            _check_free(name, [target, *(_owner_files(name).values() if has_owner_files else ())])
        summary = summarise_file(unpacked / _GRAPH)
        _install(unpacked, name, has_owner_files)
    return name, summary


def check_removable(graph: str) -> list[Path]:
    """Return the places of a graph: its file or the snapshot of its database, its index, and what belongs to it.

    These are its models, its feedback, what its owner says of it, and its trusted and confirmed questions.

    Raises NotFoundError if there is nothing of that name.
    """
    files = [graph_file(graph), snapshot_file(graph)]
    belonging = [models_folder(graph), feedback_file(graph), *_owner_files(graph).values()]
    places = [place for place in (*files, *map(index_file, files), *belonging) if place.exists()]
    if not places:
        hint = did_you_mean(graph, graph_names()) or ";"
        raise NotFoundError(f"there is no graph {graph!r}{hint} list the graphs with: kgqa graphs")
    return places


def remove(graph: str) -> list[Path]:
    """Remove a graph with everything that `check_removable` finds; return it, and raise NotFoundError as it does."""
    places = check_removable(graph)
    for place in places:
        if place.is_dir():
            shutil.rmtree(place)
        else:
            place.unlink(missing_ok=True)
    return places


def _owner_files(graph: str) -> dict[str, Path]:
    """Return the files in which the owner says something of a graph, by their names in the archive."""
    return {name: path_of(graph) for name, path_of in _OWNER_FILES.items()}


def _check_free(graph: str, places: list[Path]) -> None:
    """Raise InvalidInputError if one of the files that would be replaced exists."""
    taken = next((place for place in places if place.exists()), None)
    if taken is not None:
        there = f"there is a graph {graph}" if taken == graph_file(graph) else f"{taken} is there"
        raise InvalidInputError(f"{there} already; replace it with --replace, or choose another name with --graph")


class _HashingReader:
    """Read a file, and compute its hash."""

    def __init__(self, content: IO[bytes]) -> None:
        self._content = content
        self._hash = hashlib.sha256()

    def read(self, size: int = -1) -> bytes:
        data = self._content.read(size)
        self._hash.update(data)
        return data

    def hexdigest(self) -> str:
        return self._hash.hexdigest()


def _files(graph: str) -> Iterator[tuple[str, Path]]:
    """Yield the files of a graph with their names in the archive; hidden files are unfinished."""
    yield _GRAPH, graph_file(graph)
    models = models_folder(graph)
    for file in sorted(models.rglob("*")):
        parts = file.relative_to(models).parts
        if file.is_file() and all(_SAFE_PART.fullmatch(part) for part in parts):
            yield "/".join((_MODELS, *parts)), file
    for name, file in {_FEEDBACK: feedback_file(graph), **_owner_files(graph)}.items():
        if file.is_file():
            yield name, file


def _anonymous(member: tarfile.TarInfo) -> tarfile.TarInfo:
    member.uid = member.gid = 0
    member.uname = member.gname = ""
    return member


def _add_manifest(archive: tarfile.TarFile, manifest: ArchiveManifest) -> None:
    """Write the manifest last, so that an archive that was cut off has none."""
    content = manifest.model_dump_json(indent=1).encode()
    member = tarfile.TarInfo(_MANIFEST)
    member.size = len(content)
    archive.addfile(member, io.BytesIO(content))


def _unpack(source: Path, folder: Path) -> ArchiveManifest:
    """Unpack and check an archive; nothing is written outside of `folder`."""
    hashes: dict[str, str] = {}
    content = b""
    try:
        with tarfile.open(source, "r:gz") as archive:
            for member in archive:
                reader = archive.extractfile(member) if member.isreg() and _is_expected(member.name) else None
                if reader is None or member.name in hashes:
                    raise InvalidInputError(f"{source} holds {member.name!r}, which no backup of a graph has")
                if member.name == _MANIFEST:
                    content = reader.read(_MAX_MANIFEST_BYTES)
                else:
                    hashes[member.name] = _write(reader, folder / member.name)
                    os.utime(folder / member.name, (member.mtime, member.mtime))
    except _DAMAGED as error:
        raise InvalidInputError(f"{source} is damaged, or no backup of a graph ({error}); use another copy") from error
    return _checked(source, content, hashes)


def _checked(source: Path, content: bytes, hashes: dict[str, str]) -> ArchiveManifest:
    try:
        manifest = ArchiveManifest.model_validate_json(content)
    except ValidationError as error:
        raise InvalidInputError(
            f"{source} is incomplete, or was written by another version of kgqa; use another copy"
        ) from error
    if wrong := sorted(name for name, _ in hashes.items() ^ manifest.files.items()):
        raise InvalidInputError(f"{source}: {wrong[0]} is not what was backed up; use another copy")
    if _GRAPH not in hashes:
        raise InvalidInputError(f"{source} has no graph; use another copy")
    return manifest


def _is_expected(name: str) -> bool:
    parts = PurePosixPath(name).parts
    if name in (_MANIFEST, _GRAPH, _FEEDBACK, *_OWNER_FILES):
        return True
    return len(parts) > 1 and parts[0] == _MODELS and all(_SAFE_PART.fullmatch(part) for part in parts)


def _write(reader: IO[bytes], file: Path) -> str:
    file.parent.mkdir(parents=True, exist_ok=True)
    hashing = _HashingReader(reader)
    with file.open("wb") as target:
        while data := hashing.read(1 << 20):
            target.write(data)
    return hashing.hexdigest()


def _install(unpacked: Path, graph: str, has_owner_files: bool) -> None:
    """Move everything into place, the graph last; a running retriever sees the graph with its own models.

    What the archive lacks is removed after that, so that nothing that was hidden is shown for a moment. What the owner
    says remains if the archive cannot hold it.
    """
    models = models_folder(graph)
    if models.exists():
        models.replace(unpacked / "replaced-models")
    if (unpacked / _MODELS).is_dir():
        models.parent.mkdir(parents=True, exist_ok=True)
        (unpacked / _MODELS).replace(models)
    (unpacked / _GRAPH).chmod(0o600)  # as an import creates it
    belonging = {_FEEDBACK: feedback_file(graph), **(_owner_files(graph) if has_owner_files else {})}
    missing = [target for source, target in belonging.items() if not (unpacked / source).is_file()]
    for source, target in {**belonging, _GRAPH: graph_file(graph)}.items():
        if target not in missing:
            target.parent.mkdir(parents=True, exist_ok=True)
            (unpacked / source).replace(target)
    for target in missing:
        target.unlink(missing_ok=True)
