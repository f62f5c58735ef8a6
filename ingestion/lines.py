"""Reading the lines of a file that may be compressed."""

import gzip
import io
import lzma
import zlib
from collections.abc import Callable, Iterable, Iterator
from itertools import count
from pathlib import Path

from ingestion.problems import Problems
from shared.errors import InvalidInputError, NotFoundError

COMPRESSIONS = (".xz", ".gz")

Blocks = Iterable[tuple[int, bytes]]
"""A file's whole lines in pieces of some thousand characters, each with the number of its first line."""

_BLOCK = 1 << 16
_LONGEST_LINE = 1 << 20
_BLOCKS_BETWEEN_REPORTS = 16
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


def read_blocks(file: Path, report: Callable[[int], None] | None = None) -> Iterator[tuple[int, bytes]]:
    """The blocks of a file.

    `report` is told now and then how many bytes of the file, as it lies on disk, were read.
    Raises NotFoundError if there is no such file, InvalidInputError if it cannot be read to its end.
    """
    check_readable(file)
    number, rest = 1, b""
    reports = count(1)
    try:
        with file.open("rb") as raw, _decompressed(file, raw) as stream:
            rest = stream.read(len(_BYTE_ORDER_MARK)).removeprefix(_BYTE_ORDER_MARK)
            # A little at a time: where data is damaged, what was asked for last is lost.
            while piece := stream.read1():
                rest += piece
                if len(rest) >= _LONGEST_LINE and b"\n" not in rest[: _LONGEST_LINE - 1]:
                    raise InvalidInputError(
                        f"{file.name}, line {number}: longer than 1 MiB; this is not a file of rows"
                    )
                end = rest.rfind(b"\n") + 1
                if len(rest) >= _BLOCK and end:
                    yield number, rest[:end]
                    number += rest.count(b"\n")
                    rest = rest[end:]
                    if report and next(reports) % _BLOCKS_BETWEEN_REPORTS == 0:
                        report(raw.tell())
            if rest:
                yield number, rest
    except (EOFError, lzma.LZMAError, zlib.error, gzip.BadGzipFile) as error:
        read = number - 1 + rest.count(b"\n")
        raise InvalidInputError(
            f"{file.name}, after line {read}: the compressed data is damaged or cut off ({error}); fetch it again"
        ) from error
    except OSError as error:
        raise InvalidInputError(f"{file.name} cannot be read: {error.strerror or error}") from error


def lines_of(blocks: Blocks, where: str, problems: Problems) -> Iterator[tuple[int, str]]:
    """The lines of a UTF-8 file with their numbers, each with its line end; lines that are not UTF-8 are left out."""
    for first, block in blocks:
        for number, line in enumerate(io.BytesIO(block), first):
            try:
                yield number, line.decode()
            except UnicodeDecodeError as error:
                problems.add(where, number, f"not UTF-8 at byte {error.start + 1}; save the file as UTF-8")


def check_readable(file: Path) -> None:
    """Raise NotFoundError if there is no such file, InvalidInputError if it is a folder or the like."""
    if not file.exists():
        raise NotFoundError(f"{file}: no such file")
    if not file.is_file():
        raise InvalidInputError(f"{file} is a folder or device, not a file; name the files to import")


def _decompressed(file: Path, raw: io.BufferedReader) -> io.BufferedReader:
    if file.suffix.lower() == ".xz":
        return io.BufferedReader(lzma.LZMAFile(raw))
    if file.suffix.lower() == ".gz":
        return io.BufferedReader(gzip.GzipFile(fileobj=raw))
    return raw
