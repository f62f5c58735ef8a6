"""Facts, aliases and unique names, gathered while the graph is built."""

from __future__ import annotations

import lzma
import tomllib
import unicodedata
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
GRAPH_FILE = HERE / "graph.tsv.xz"
ALIAS = "alias"

Triple = tuple[str, str, str]


def read_facts(name: str) -> dict[str, Any]:
    """The hand-written facts of `facts/<name>.toml`."""
    return tomllib.loads((HERE / "facts" / f"{name}.toml").read_text(encoding="utf-8"))


def clean(text: str) -> str:
    """Text in NFC, with plain apostrophes and single spaces."""
    text = unicodedata.normalize("NFC", text).replace("’", "'").replace("‘", "'").replace("ʼ", "'")
    return " ".join(text.split())


def fold(text: str) -> str:
    """Text without accents, as it is typed on a plain keyboard."""
    special = str.maketrans(
        {
            "ø": "o",
            "Ø": "O",
            "ł": "l",
            "Ł": "L",
            "ß": "ss",
            "đ": "d",
            "Đ": "D",
            "ı": "i",
            "æ": "ae",
            "Æ": "Ae",
            "ð": "d",
            "þ": "th",
            "ə": "a",
            "Ə": "A",
            "‘": "'",
            "ʻ": "'",
        }
    )
    plain = unicodedata.normalize("NFD", text.translate(special))
    return "".join(ch for ch in plain if not unicodedata.combining(ch))


class Store:
    """A set of facts and aliases; a name stands for one entity only."""

    def __init__(self) -> None:
        self.facts: set[Triple] = set()
        self.aliases: set[tuple[str, str]] = set()
        self.names: set[str] = set()
        self._taken: set[str] = set()

    def take(self, name: str) -> str:
        """Reserve a new name; ask `free` first."""
        if not self.free(name):
            raise ValueError(f"the name {name!r} is in use")
        self.names.add(name)
        self._taken.add(fold(name).lower())
        return name

    def free(self, name: str) -> bool:
        """Whether no entity has this name, letter case and accents apart."""
        return fold(name).lower() not in self._taken

    def add(self, subject: str, relation: str, obj: str) -> None:
        """Store a fact; empty ends are left out."""
        if subject and obj and subject != obj:
            self.facts.add((subject, relation, obj))

    def alias(self, name: str, other: str, *, shared: bool = False) -> None:
        """Give an entity another name; `shared` allows one that is another entity's own name."""
        other = clean(other)
        key = fold(other).lower()
        foreign = key in self._taken and key != fold(name).lower()
        if not other or other == name or (foreign and not shared):
            return
        self.aliases.add((name, other))

    def fold_aliases(self) -> None:
        """Give every entity whose name has accents its plain spelling as an alias."""
        for name in sorted(self.names):
            plain = fold(name)
            if plain != name and plain.isascii():
                self.alias(name, plain)

    def rows(self) -> list[Triple]:
        """All rows, aliases included, in a fixed order."""
        return sorted(self.facts | {(name, ALIAS, other) for name, other in self.aliases})


def write_graph(rows: list[Triple], path: Path = GRAPH_FILE) -> None:
    """Write the rows as compressed TSV; the bytes depend on the rows only."""
    for row in rows:
        if any(not cell or "\t" in cell or "\n" in cell for cell in row):
            raise ValueError(f"not a TSV row: {row!r}")
    text = "".join("\t".join(row) + "\n" for row in rows)
    path.write_bytes(lzma.compress(text.encode(), preset=9 | lzma.PRESET_EXTREME))


def read_graph(path: Path = GRAPH_FILE) -> list[Triple]:
    """The rows of a graph file."""
    text = lzma.decompress(path.read_bytes()).decode()
    return [(s, r, o) for s, r, o in (line.split("\t") for line in text.splitlines())]
