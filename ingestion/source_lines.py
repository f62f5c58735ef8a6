"""Read the lines of a plain or compressed file."""

import gzip
import io
import lzma
import re
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from ingestion.rejections import NOT_UTF8, Problems
from shared.errors import InvalidInputError, NotFoundError
from shared.graph.store import INVERSE
from shared.text import shown

DECOMPRESSORS: dict[str, Callable[..., Any]] = {".xz": lzma.open, ".gz": gzip.open}

# In characters: long enough for a paragraph, and short enough to detect a missing line break or quote.
MAX_FIELD_LENGTH = 2_000
# Blocks of about 64 KiB that consist of whole lines, each with the number of its first line.
Blocks = Iterable[tuple[int, bytes]]

_BLOCK_SIZE = 1 << 16
_MAX_LINE_LENGTH = 1 << 20
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


def read_blocks(file: Path, report: Callable[[int], None] | None = None) -> Iterator[tuple[int, bytes]]:
    """Read a file in blocks, and call `report` with the number of bytes read from disk so far.

    Raises NotFoundError if the file does not exist, and InvalidInputError if it cannot be read in full.
    """
    check_readable(file)
    number, rest = 1, b""
    try:
        with file.open("rb") as raw, DECOMPRESSORS.get(file.suffix.lower(), nullcontext)(raw) as stream:
            rest = stream.read(len(_BYTE_ORDER_MARK)).removeprefix(_BYTE_ORDER_MARK)
            # Read in small pieces, because a read that encounters corrupt data returns nothing at all.
            while piece := stream.read1():
                rest += piece
                if len(rest) >= _MAX_LINE_LENGTH and b"\n" not in rest[: _MAX_LINE_LENGTH - 1]:
                    raise InvalidInputError(
                        f"{file.name}, line {number}: the line is longer than 1 MiB; put one row on each line"
                    )
                end = rest.rfind(b"\n") + 1
                if len(rest) >= _BLOCK_SIZE and end:
                    yield number, rest[:end]
                    number += rest.count(b"\n")
                    rest = rest[end:]
                    if report:
                        report(raw.tell())
            if rest:
                yield number, rest
    except (EOFError, lzma.LZMAError, zlib.error, gzip.BadGzipFile) as error:
        read = number - 1 + rest.count(b"\n")
        raise InvalidInputError(
            f"{file.name}, after line {read}: the compressed data is corrupt or truncated ({error}); copy it again"
        ) from error
    except OSError as error:
        raise InvalidInputError(f"cannot read {file.name}: {error.strerror or error}") from error


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
