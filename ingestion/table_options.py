"""Hold options for reading tables: parts of their dialect, and files that are joined, as `neo4j-admin` takes them."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ingestion.csv_dialect import DialectOptions
from shared.errors import InvalidInputError
from shared.text import shown

_WRITTEN = {"TAB": "\t", "\\t": "\t", "NONE": ""}


@dataclass(frozen=True, slots=True)
class TableGroup:
    """Name files whose first one has the header: nodes with labels, or relationships with at most one type."""

    is_nodes: bool
    names: tuple[str, ...]
    files: tuple[Path, ...]


@dataclass(frozen=True, slots=True)
class TableOptions:
    """Hold what the user says about tables; the rest is detected."""

    dialect: DialectOptions = field(default_factory=DialectOptions)
    groups: Sequence[TableGroup] = ()


def parse_group(text: str, is_nodes: bool) -> TableGroup:
    """Read `Person:Actor=header.csv,data.csv`, whose names may be left out.

    Raises InvalidInputError if there are no files, or several types.
    """
    before, equals, after = text.partition("=")
    names, files = (before, after) if equals else ("", text)
    option, example = ("--nodes", "City") if is_nodes else ("--relationships", "LIVES_IN")
    paths = [Path(name.strip()) for name in files.split(",")]
    found = tuple(name.strip() for name in names.split(":")) if names.strip() else ()
    if not all(name.strip() for name in (*files.split(","), *found)):
        raise InvalidInputError(f"{option} {shown(text)}: a name is empty; write {example}=header.csv,data.csv")
    if not is_nodes and len(found) > 1:
        raise InvalidInputError(f"{option} {shown(text)}: a relationship has one type; remove the colon")
    return TableGroup(is_nodes, found, tuple(paths))


def parse_sign(option: str, text: str | None) -> str | None:
    """Read a character on the command line, which may be written as TAB or `\\t`.

    Raises InvalidInputError if it is not one character; a quote may also be `none`.
    """
    if text is None:
        return None
    sign = _WRITTEN.get(text if text.startswith("\\") else text.upper(), text)
    if (len(sign) != 1 and not (option == "--quote" and text.lower() == "none")) or sign in ("\n", "\r"):
        also = " or none" if option == "--quote" else " or TAB"
        raise InvalidInputError(f"{option} is {shown(text)}; set one character{also}")
    return sign


def dialect_options(delimiter: str | None, quote: str | None, array_delimiter: str | None) -> DialectOptions:
    """Read the options of a dialect; raise InvalidInputError if two of them are the same character."""
    options = DialectOptions(
        parse_sign("--delimiter", delimiter),
        parse_sign("--quote", quote),
        parse_sign("--array-delimiter", array_delimiter),
    )
    signs = [sign for sign in (options.delimiter, options.quote, options.array_delimiter) if sign]
    if len(set(signs)) < len(signs):
        raise InvalidInputError("--delimiter, --quote, and --array-delimiter must differ; change one of them")
    return options
