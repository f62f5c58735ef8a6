import gzip
import lzma
from pathlib import Path

import pytest

from tests.support.imported_graphs import import_error, imported

_FACTS = "Zoé\tlives_in\tRome\n" * 3


_FILES: list[tuple[str | bytes, str]] = [
    (gzip.compress(_FACTS.encode(), mtime=0), "the file is compressed with gzip; add .gz to its name"),
    (lzma.compress(_FACTS.encode()), "the file is compressed with xz; add .xz to its name"),
    (b"PK\x03\x04...", "is a ZIP archive or a spreadsheet"),
    (b"PAR1\x15\x04", "is a Parquet file"),
    ("<!doctype html>\n<html>", "is an HTML page; download the file itself"),
    ("version https://git-lfs.github.com/spec/v1\n", "is a pointer of Git LFS"),
    ("@prefix e: <http://e.org/> .\n", "is a Turtle file; give it the extension .ttl"),
    ("Ana\tlives_in\tRome\n".encode("utf-16-le"), "is in UTF-16; save it as UTF-8"),
    ("Ana\tlives_in\tRome\n".encode("utf-16-be"), "is in UTF-16; save it as UTF-8"),
    ("", "no triples and no nodes, because there are no lines; expected rows"),
]


@pytest.mark.parametrize(("content", "message"), _FILES, ids=range(len(_FILES)))
@pytest.mark.parametrize("name", ["f.tsv", "f.csv", "f.nt", "f.jsonl"])
def test_a_file_that_is_something_else_is_named(tmp_path: Path, name: str, content: str | bytes, message: str) -> None:
    assert message in import_error(tmp_path, {name: content}, is_strict=False)


def test_a_null_byte_is_no_sign_of_utf_16(tmp_path: Path) -> None:
    assert "U+0000" in import_error(tmp_path, {"f.tsv": "a\0\tr\tb\n"})


def test_facts_may_begin_like_another_format(tmp_path: Path) -> None:
    assert len(imported(tmp_path, {"f.tsv": "version\tr\tb\nBZ\tr\tPK\n"}).relationships) == 2
