"""Find the lines of a TOML document on which its tables and keys are written, which parsers do not tell."""

import tomllib
from collections.abc import Iterator, Mapping
from typing import Any

Path = tuple[str, ...]


def lines_of(text: str) -> dict[Path, int]:
    """Return the first line, from 1, of each table and key of a document that `tomllib` reads.

    Items of an array of tables have the path of the array.

    Example:
        >>> lines_of('[kinds.Person]\\nnames = ["employee"]')
        {('kinds', 'Person'): 1, ('kinds', 'Person', 'names'): 2}
    """
    found: dict[Path, int] = {}
    table: Path = ()
    for number, statement in _statements(text):
        data = tomllib.loads(statement)
        if statement.lstrip().startswith("["):
            table = _innermost(data)
            found.setdefault(table, number)
        else:
            for path in _paths(data):
                found.setdefault((*table, *path), number)
    return found


def _statements(text: str) -> Iterator[tuple[int, str]]:
    """Yield each header and each key with its value, which may span lines, with its first line."""
    first, pending = 1, ""
    # Not `splitlines`, which also splits at characters that TOML allows within strings.
    for number, line in enumerate(text.replace("\r\n", "\n").split("\n"), 1):
        first = first if pending else number
        pending = f"{pending}{line}\n"
        try:
            data = tomllib.loads(pending)
        except tomllib.TOMLDecodeError:
            continue
        if data:
            yield first, pending
        pending = ""


def _innermost(data: Mapping[str, Any]) -> Path:
    """Return the path of the table that a header opens: `("kinds", "Person")`."""
    path: Path = ()
    found: Any = data
    while found:
        if isinstance(found, list):
            found = found[0]
            continue
        [(name, found)] = found.items()
        path = (*path, name)
    return path


def _paths(data: Mapping[str, Any]) -> Iterator[Path]:
    for name, value in data.items():
        yield (name,)
        if isinstance(value, Mapping):
            yield from ((name, *path) for path in _paths(value))
