import gzip
from pathlib import Path
from unittest import mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingestion import source_lines
from ingestion.rejections import Problems
from ingestion.source_lines import decode_lines, read_blocks
from shared.errors import InvalidInputError


@given(st.binary(max_size=100) | st.lists(st.sampled_from([b"ab", b"\n", b"\r", b"\xef\xbb\xbf"])).map(b"".join))
def test_blocks_hold_every_line_once(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    file = tmp_path_factory.mktemp("blocks") / "f.tsv.gz"
    file.write_bytes(gzip.compress(content))
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
