"""Files are read in blocks; what comes out is as if each line was read by itself."""

import gzip
from collections.abc import Sequence
from pathlib import Path
from unittest import mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingestion import lines, tsv
from ingestion.lines import lines_of, read_blocks
from ingestion.problems import Problems
from ingestion.sqlite_writer import GraphWriter
from shared.errors import InvalidInputError

_FIELD = st.text("ab^ \r\u00a0é\x00", max_size=3) | st.sampled_from(["alias", "subject", "relation", "a" * 1500])
_ROW = st.lists(_FIELD, min_size=3, max_size=3) | st.lists(st.sampled_from("abc"), min_size=2, max_size=4)
_TEXT = st.lists(_ROW.map("\t".join), max_size=5).map("\n".join)


class _Rows(GraphWriter):
    """Keeps what it is told."""

    def __init__(self) -> None:
        self.rows: list[tuple[str, ...]] = []

    def fact(self, subject: str, relation: str, object_: str) -> None:
        self.rows.append((subject, relation, object_))

    def facts(self, fields: Sequence[str]) -> None:
        self.rows += zip(fields[::3], fields[1::3], fields[2::3], strict=True)

    def alias(self, entity: str, name: str) -> None:
        self.rows.append((entity, name))


def _read(block: bytes, first: int) -> tuple[list[tuple[str, ...]], str]:
    rows, problems = _Rows(), Problems()
    tsv.read_tsv([(first, block)], "f.tsv", rows, problems)
    try:
        problems.raise_if_any()
    except InvalidInputError as error:
        return rows.rows, str(error)
    return rows.rows, ""


@given(_TEXT, st.sampled_from(["", "\n", "\r\n", "\n\xff"]), st.sampled_from([1, 7]))
def test_a_block_of_rows_is_read_like_its_lines(text: str, end: str, first: int) -> None:
    block = (text + end).encode("latin-1" if "\xff" in end else "utf-8")
    if not block:
        return
    with mock.patch.object(tsv, "_plain_fields", lambda _: None):
        by_line = _read(block, first)

    assert _read(block, first) == by_line


@given(st.binary(max_size=100) | st.lists(st.sampled_from([b"ab", b"\n", b"\r", b"\xef\xbb\xbf"])).map(b"".join))
def test_blocks_hold_every_line_once(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    file = tmp_path_factory.mktemp("blocks") / "f.tsv.gz"
    file.write_bytes(gzip.compress(content))
    with mock.patch.object(lines, "_BLOCK", 4):
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

    read = list(lines_of(read_blocks(file), "f.tsv", Problems()))

    assert read == list(enumerate(text, start=1))


@pytest.mark.parametrize(("length", "is_told"), [((1 << 20) - 2, False), ((1 << 20) - 1, True), (1 << 21, True)])
def test_a_line_of_a_mebibyte_is_told_wherever_it_stands(tmp_path: Path, length: int, is_told: bool) -> None:
    file = tmp_path / "f.tsv"
    file.write_text("short\n" * 3_000 + "x" * length + "\nshort\n")

    if is_told:
        with pytest.raises(InvalidInputError, match="line 3001: longer than 1 MiB"):
            list(read_blocks(file))
    else:
        assert sum(block.count(b"\n") for _, block in read_blocks(file)) == 3_002
