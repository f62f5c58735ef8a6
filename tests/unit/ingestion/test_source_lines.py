import gzip
import io
from collections.abc import Callable
from pathlib import Path
from unittest import mock

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from ingestion import source_lines
from ingestion.file_signatures import problem_in
from ingestion.rejections import Problems
from ingestion.source_lines import decode_lines, read_blocks
from shared.errors import InvalidInputError


@given(st.binary(max_size=100) | st.lists(st.sampled_from([b"ab", b"\n", b"\r", b"\xef\xbb\xbf"])).map(b"".join))
def test_blocks_hold_every_line_once(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    assume(problem_in(content) is None)
    file = tmp_path_factory.mktemp("blocks") / "f.tsv.gz"
    file.write_bytes(gzip.compress(content, mtime=0))
    with mock.patch.object(source_lines, "_BLOCK_SIZE", 4):
        blocks = list(read_blocks(file))

    content = content.removeprefix(b"\xef\xbb\xbf")
    assert b"".join(block for _, block in blocks) == content
    assert [first for first, _ in blocks] == [
        1 + b"".join(block for _, block in blocks[:index]).count(b"\n") for index in range(len(blocks))
    ]
    assert all(block.endswith(b"\n") for _, block in blocks[:-1])


def test_lines_keep_their_numbers_over_blocks(tmp_path: Path) -> None:
    file = tmp_path / "f.tsv"
    text = [f"line {number}\n" for number in range(1, 30_001)]
    file.write_text("".join(text))

    read = list(decode_lines(read_blocks(file), Problems()))

    assert read == list(enumerate(text, start=1))


@pytest.mark.parametrize(("length", "is_refused"), [((1 << 20) - 2, False), ((1 << 20) - 1, True), (1 << 21, True)])
def test_a_line_of_a_mebibyte_is_refused_wherever_it_stands(tmp_path: Path, length: int, is_refused: bool) -> None:
    file = tmp_path / "f.tsv"
    file.write_text("short\n" * 3_000 + "x" * length + "\nshort\n")

    if is_refused:
        with pytest.raises(InvalidInputError, match="line 3001: the line is longer than 1 MiB"):
            list(read_blocks(file))
    else:
        assert sum(block.count(b"\n") for _, block in read_blocks(file)) == 3_002


@given(st.lists(st.integers(0, 20), max_size=8), st.booleans(), st.integers(1, 8))
def test_too_long_lines_are_rejected_alone(
    tmp_path_factory: pytest.TempPathFactory, lengths: list[int], has_end: bool, piece_size: int
) -> None:
    lines = [b"x" * length for length in lengths]
    content = b"\n".join(lines) + b"\n" * has_end
    file = tmp_path_factory.mktemp("long") / "f.nt"
    file.write_bytes(content)
    problems = Problems()
    with mock.patch.object(source_lines, "_BLOCK_SIZE", 4), mock.patch.object(Path, "open", _reading(piece_size)):
        blocks = list(read_blocks(file, max_length=10, problems=problems))

    read = {first + place: line for first, block in blocks for place, line in enumerate(block.split(b"\n"))}
    with_breaks = content.splitlines(keepends=True)
    for number, line in enumerate(with_breaks, 1):
        assert read.get(number, b"") == (line.rstrip(b"\n") if len(line) < 10 else b"")
    assert sum(one.number for one in problems.left_out()) == sum(len(line) >= 10 for line in with_breaks)


def _reading(piece_size: int) -> Callable[..., io.BufferedReader]:
    """Open files that are read in small pieces."""

    def opened(path: Path, *_: object) -> io.BufferedReader:
        return io.BufferedReader(io.FileIO(path), piece_size)

    return opened


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
def test_utf_16_is_refused_by_name(tmp_path: Path, encoding: str) -> None:
    file = tmp_path / "f.nt"
    file.write_bytes("\ufeff<http://e.org/a>".encode(encoding))

    with pytest.raises(InvalidInputError, match=r"f\.nt, line 1: the file is in UTF-16; save it as UTF-8"):
        list(read_blocks(file))
