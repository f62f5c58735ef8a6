"""Read the lines of a plain or compressed file."""

import gzip
import io
import lzma
import re
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import nullcontext, suppress
from pathlib import Path
from typing import Any

from graph.store import INVERSE
from ingestion.file_signatures import LENGTH, problem_in
from ingestion.rejections import NOT_UTF8, Problems
from shared.errors import InvalidInputError, NotFoundError
from shared.text import shown

DECOMPRESSORS: dict[str, Callable[..., Any]] = {".xz": lzma.open, ".gz": gzip.open}

# In characters: long enough for a paragraph, and short enough to detect a missing line break or quote.
MAX_FIELD_LENGTH = 2_000
# In bytes. Values of property graphs and literals of RDF may be long texts or outlines of countries.
MAX_LINE_LENGTH, MAX_LONG_LINE_LENGTH = 1 << 20, 1 << 26
# Blocks of about 64 KiB that consist of whole lines, each with the number of its first line.
Blocks = Iterable[tuple[int, bytes]]

_BLOCK_SIZE = 1 << 16
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")


def field_problem(role: str, text: str) -> str | None:
    """Describe what is wrong with a field, or return None; `role` names the field in the message."""
    if not text:
        return f"the {role} is empty; fill it in or remove the line"
    if len(text) > MAX_FIELD_LENGTH:
        return f"the {role} is {len(text):,} characters long (limit {MAX_FIELD_LENGTH:,}); shorten it or split the line"
    if control := _CONTROL.search(text):
        return f"the {role} contains the control character U+{ord(control[0]):04X}; remove it"
    if role == "relation" and text.startswith(INVERSE):
        return f"the relation {shown(text)} begins with {INVERSE!r}, which marks inverse steps; rename it"
    return None


def read_blocks(
    file: Path,
    report: Callable[[int], None] | None = None,
    max_length: int = MAX_LINE_LENGTH,
    problems: Problems | None = None,
    is_rdf: bool = False,
) -> Iterator[tuple[int, bytes]]:
    """Read a file in blocks, and call `report` with the number of bytes read from disk so far.

    Lines of at least `max_length` bytes are rejected, or an error if there are no `problems` to record them. Raises
    NotFoundError if the file does not exist, and InvalidInputError if it cannot be read in full, or if it begins like a
    file of another format; if `is_rdf`, it may begin like any form of RDF.
    """
    check_readable(file)
    _check_signature(file, is_rdf)
    lines = _LineBuffer(file.name, max_length, problems)
    try:
        with file.open("rb") as raw, DECOMPRESSORS.get(file.suffix.lower(), nullcontext)(raw) as stream:
            begin = stream.read(len(_BYTE_ORDER_MARK))
            lines.add(begin.removeprefix(_BYTE_ORDER_MARK))
            # Read in small pieces, because a read that encounters corrupt data returns nothing at all.
            while piece := stream.read1():
                lines.add(piece)
                if lines.size >= _BLOCK_SIZE and (block := lines.take()):
                    yield block
                    if report:
                        report(raw.tell())
            if block := lines.take_rest():
                yield block
    except (EOFError, lzma.LZMAError, zlib.error, gzip.BadGzipFile) as error:
        raise InvalidInputError(
            f"{file.name}, after line {lines.complete}: the compressed data is corrupt or truncated ({error}); copy it "
            "again"
        ) from error
    except OSError as error:
        raise InvalidInputError(f"cannot read {file.name}: {error.strerror or error}") from error


def _check_signature(file: Path, is_rdf: bool) -> None:
    """Raise InvalidInputError if the file is not what its name says."""
    with (
        suppress(OSError, EOFError, lzma.LZMAError, zlib.error),  # reading the file reports these errors
        file.open("rb") as raw,
        DECOMPRESSORS.get(file.suffix.lower(), nullcontext)(raw) as stream,
    ):
        if problem := problem_in(stream.read1(LENGTH), is_rdf):
            raise InvalidInputError(f"{file.name}, line 1: the file {problem}")


class _LineBuffer:
    """Collect the pieces of a file, and divide them into blocks of whole lines."""

    def __init__(self, file: str, max_length: int, problems: Problems | None) -> None:
        self._file = file
        self._max_length = max_length
        self._problems = problems
        self._pieces: list[bytes] = []
        self._number = 1  # of the first line in the pieces
        self._has_break = self._is_skipping = False
        self.size = 0

    @property
    def complete(self) -> int:
        """Return the number of complete lines so far."""
        return self._number - 1 + sum(piece.count(b"\n") for piece in self._pieces)

    def add(self, piece: bytes) -> None:
        """Add a piece, unless it belongs to a line that is too long."""
        if self._is_skipping:
            end = piece.find(b"\n") + 1
            if not end:
                return
            piece = piece[end:]
            self._number += 1
            self._is_skipping = False
        self._pieces.append(piece)
        self.size += len(piece)
        self._has_break = self._has_break or b"\n" in piece
        if self.size >= self._max_length and self._first_length() >= self._max_length - 1:
            self._skip()

    def take(self) -> tuple[int, bytes] | None:
        """Return the whole lines and the number of the first one, or None if no line is complete."""
        if not self._has_break:
            return None
        block = b"".join(self._pieces)
        end = block.rfind(b"\n") + 1
        self._keep(block[end:])
        number, self._number = self._number, self._number + block.count(b"\n")
        return number, block[:end]

    def take_rest(self) -> tuple[int, bytes] | None:
        """Return all lines, the last of which may not be complete, or None if there are none."""
        block = b"".join(self._pieces)
        return (self._number, block) if block else None

    def _first_length(self) -> int:
        """Return the length of the first line, without its line break."""
        length = 0
        for piece in self._pieces if self._has_break else ():
            if (end := piece.find(b"\n")) >= 0:
                return length + end
            length += len(piece)
        return self.size

    def _skip(self) -> None:
        """Reject the first line."""
        size = f"{self._max_length >> 20} MiB"
        problem = f"the line is longer than {size}; put one row on each line"
        if self._problems is None:
            raise InvalidInputError(f"{self._file}, line {self._number}: {problem}")
        self._problems.lines += 1
        self._problems.reject_line(self._number, f"lines longer than {size}", problem)
        if not self._has_break:
            self._keep(b"")
            self._is_skipping = True
        else:
            self._keep(b"".join(self._pieces).partition(b"\n")[2])
            self._number += 1

    def _keep(self, rest: bytes) -> None:
        self._pieces, self.size, self._has_break = [rest], len(rest), b"\n" in rest


def decode_lines(blocks: Blocks, problems: Problems) -> Iterator[tuple[int, str]]:
    """Yield the lines with their numbers and line endings; skip and record lines that are not UTF-8."""
    for first, block in blocks:
        for number, line in enumerate(io.BytesIO(block), first):
            try:
                yield number, line.decode()
            except UnicodeDecodeError as error:
                problems.reject_line(number, NOT_UTF8, _not_utf8(error.start))


def decode_all_lines(blocks: Blocks) -> Iterator[tuple[int, str]]:
    """Yield all lines with their numbers; bytes that are not UTF-8 become surrogate escapes."""
    for first, block in blocks:
        yield from enumerate((line.decode(errors="surrogateescape") for line in io.BytesIO(block)), first)


def encoding_problem(line: str) -> str | None:
    """Describe which byte of a line from `decode_all_lines` is not UTF-8, or return None."""
    if line.isascii():
        return None
    try:
        line.encode()
    except UnicodeEncodeError as error:
        return _not_utf8(len(line[: error.start].encode()))
    return None


def _not_utf8(position: int) -> str:
    return f"not UTF-8 at byte {position + 1}; save the file as UTF-8"


def check_readable(file: Path) -> None:
    """Raise NotFoundError if the file does not exist, or InvalidInputError if it is a folder or a device."""
    if not file.exists():
        raise NotFoundError(f"{file}: no such file")
    if not file.is_file():
        raise InvalidInputError(f"{file} is a folder or device, not a file; specify the files to import")
