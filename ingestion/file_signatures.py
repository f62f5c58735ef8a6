"""Recognise files that are not what their names say, by how they begin."""

_SIGNATURES = (
    (b"\x1f\x8b", "is compressed with gzip; add .gz to its name"),
    (b"\xfd7zXZ\x00", "is compressed with xz; add .xz to its name"),
    (b"BZh9", "is compressed with bzip2; decompress it with bunzip2"),
    (b"\x28\xb5\x2f\xfd", "is compressed with zstd; decompress it with unzstd"),
    (b"PK\x03\x04", "is a ZIP archive or a spreadsheet; extract it, or save the sheet as CSV"),
    (b"PAR1", "is a Parquet file; import it with --tables, as .parquet"),
    (b"SQLite format 3", "is a database of SQLite; import it with --tables, as .db"),
    (b"\xd0\xcf\x11\xe0", "is a spreadsheet of an old format; save it as CSV"),
    (b"version https://git-lfs", "is a pointer of Git LFS; fetch the data with git lfs pull"),
    (b"<!DOCTYPE html", "is an HTML page; download the file itself"),
    (b"<html", "is an HTML page; download the file itself"),
)
_RDF_SIGNATURES = (
    (b"<?xml", "is an XML file; if it is RDF/XML, give it the extension .rdf"),
    (b"<rdf:RDF", "is an RDF/XML file; give it the extension .rdf"),
    (b"@prefix", "is a Turtle file; give it the extension .ttl"),
)
_UTF_16 = "is in UTF-16; save it as UTF-8"
_UTF_16_MARKS = (b"\xff\xfe", b"\xfe\xff")
# Of the characters in UTF-16, at least these shares have an empty first or second byte in most scripts.
_EMPTY_SHARE = 0.4

LENGTH = 1 << 12
"""The number of bytes that `problem_in` needs."""


def problem_in(begin: bytes, is_rdf: bool = False) -> str | None:
    """Describe what a file is, and what to do about it, if its first bytes cannot belong to a text of facts.

    If `is_rdf`, it may be any form of RDF.

    Example:
        >>> problem_in(b"PAR1...")
        'is a Parquet file; import it with --tables, as .parquet'
    """
    for signature, problem in _SIGNATURES if is_rdf else (*_SIGNATURES, *_RDF_SIGNATURES):
        if begin[: len(signature)].lower() == signature.lower():
            return problem
    if begin.startswith(_UTF_16_MARKS) or _has_empty_bytes(begin):
        return _UTF_16
    return None


def _has_empty_bytes(begin: bytes) -> bool:
    """Return whether every other byte is empty, as in UTF-16 without a byte order mark."""
    halves = begin[0::2], begin[1::2]
    shares = sorted(half.count(0) / max(1, len(half)) for half in halves)
    return shares[1] > _EMPTY_SHARE and shares[0] == 0
