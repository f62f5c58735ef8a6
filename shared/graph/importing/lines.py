"""Reading the lines of a file that may be compressed."""

import gzip
import io
import lzma
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO

from shared.errors import InvalidInputError, NotFoundError
from shared.graph.importing.problems import Problems

COMPRESSIONS = (".xz", ".gz")

_LONGEST_LINE = 1 << 20
_LINES_BETWEEN_REPORTS = 20_000
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


def read_lines(
    file: Path, problems: Problems, report: Callable[[int], None] | None = None
) -> Iterator[tuple[int, str]]:
    """The lines of a UTF-8 file with their numbers, each with its line end; lines that are not UTF-8 are left out.

    `report` is told now and then how many bytes of the file, as it lies on disk, were read.
    Raises NotFoundError if there is no such file, InvalidInputError if it cannot be read to its end.
    """
    check_readable(file)
    number = 0
    try:
        with file.open("rb") as raw, _decompressed(file, raw) as stream:
            while line := stream.readline(_LONGEST_LINE):
                number += 1
                if report and number % _LINES_BETWEEN_REPORTS == 0:
                    report(raw.tell())
                if number == 1:
                    line = line.removeprefix(_BYTE_ORDER_MARK)
                if len(line) == _LONGEST_LINE:
                    raise InvalidInputError(
                        f"{file.name}, line {number}: longer than 1 MiB; this is not a file of rows"
                    )
                try:
                    yield number, line.decode()
                except UnicodeDecodeError as error:
                    problems.add(file.name, number, f"not UTF-8 at byte {error.start + 1}; save the file as UTF-8")
    except (EOFError, lzma.LZMAError, zlib.error, gzip.BadGzipFile) as error:
        raise InvalidInputError(
            f"{file.name}, after line {number}: the compressed data is damaged or cut off ({error}); fetch it again"
        ) from error
    except OSError as error:
        raise InvalidInputError(f"{file.name} cannot be read: {error.strerror or error}") from error


def check_readable(file: Path) -> None:
    """Raise NotFoundError if there is no such file, InvalidInputError if it is a folder or the like."""
    if not file.exists():
        raise NotFoundError(f"{file}: no such file")
    if not file.is_file():
        raise InvalidInputError(f"{file} is a folder or device, not a file; name the files to import")


def _decompressed(file: Path, raw: IO[bytes]) -> IO[bytes]:
    # BufferedReader reads lines in C, which LZMAFile and GzipFile alone do not.
    if file.suffix.lower() == ".xz":
        return io.BufferedReader(lzma.LZMAFile(raw))
    if file.suffix.lower() == ".gz":
        return io.BufferedReader(gzip.GzipFile(fileobj=raw))
    return raw
