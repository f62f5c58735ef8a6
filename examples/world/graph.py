"""Collect the facts and the unique names of the demo graph; write, read, and walk it."""

import lzma
import tomllib
import unicodedata
from collections import defaultdict
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
GRAPH_FILE = HERE / "graph.tsv.xz"
ALIAS = "alias"
_UNDECOMPOSED = {
    "ø": "o", "Ø": "O", "ł": "l", "Ł": "L", "ß": "ss", "đ": "d", "Đ": "D", "ı": "i", "æ": "ae", "Æ": "Ae", "ð": "d",
    "þ": "th", "ə": "a", "Ə": "A", "‘": "'", "ʻ": "'",
}  # fmt: skip
_UNDECOMPOSED_LETTERS = str.maketrans(_UNDECOMPOSED)

Row = tuple[str, str, str]
"""Subject, relation, object."""


def read_facts(name: str) -> dict[str, Any]:
    """Read the hand-written facts in `facts/<name>.toml`."""
    return tomllib.loads((HERE / "facts" / f"{name}.toml").read_text(encoding="utf-8"))


def clean(text: str) -> str:
    """Normalize text to NFC, plain apostrophes, and single blanks."""
    text = unicodedata.normalize("NFC", text).replace("’", "'").replace("‘", "'").replace("ʼ", "'")
    return " ".join(text.split())


def fold(text: str) -> str:
    """Strip accents, as people type on a plain keyboard."""
    plain = unicodedata.normalize("NFD", text.translate(_UNDECOMPOSED_LETTERS))
    return "".join(ch for ch in plain if not unicodedata.combining(ch))


def key(text: str) -> str:
    """Return the form in which names are compared: without accents, in lower case."""
    return fold(text).lower()


class GraphBuilder:
    """Collects facts and aliases. A name stands for one entity only."""

    def __init__(self) -> None:
        self.facts: set[Row] = set()
        self.aliases: set[tuple[str, str]] = set()
        self.names: set[str] = set()
        self._taken: set[str] = set()

    def take(self, name: str) -> str:
        """Reserve a new name; raise ValueError unless it is `free`."""
        if not self.free(name):
            raise ValueError(f"the name {name!r} is in use")
        self.names.add(name)
        self._taken.add(key(name))
        return name

    def take_first(self, options: list[str]) -> str:
        """Reserve the first option that is free and not empty; return "" if none is."""
        return next((self.take(option) for option in options if option and self.free(option)), "")

    def free(self, name: str) -> bool:
        """Return whether no entity has this name, ignoring case and accents."""
        return key(name) not in self._taken

    def add(self, subject: str, relation: str, obj: str) -> None:
        """Add a fact, unless one end is empty or both are the same."""
        if subject and obj and subject != obj:
            self.facts.add((subject, relation, obj))

    def alias(self, name: str, other: str, *, shared: bool = False) -> None:
        """Give an entity another name. With `shared`, it may be the own name of another entity."""
        other = clean(other)
        foreign = key(other) in self._taken and key(other) != key(name)
        if other and other != name and (shared or not foreign):
            self.aliases.add((name, other))

    def add_plain_aliases(self) -> None:
        """Give every name with accents its plain spelling as an alias."""
        for name in sorted(self.names):
            plain = fold(name)
            if plain != name and plain.isascii():
                self.alias(name, plain)

    def rows(self) -> list[Row]:
        """Return all rows, including aliases, in sorted order."""
        return sorted(self.facts | {(name, ALIAS, other) for name, other in self.aliases})


def write_graph(rows: list[Row], path: Path = GRAPH_FILE) -> None:
    """Write the rows as compressed TSV; equal rows give equal bytes."""
    for row in rows:
        if any(not cell or "\t" in cell or "\n" in cell for cell in row):
            raise ValueError(f"not a TSV row: {row!r}")
    text = "".join("\t".join(row) + "\n" for row in rows)
    path.write_bytes(lzma.compress(text.encode(), preset=9 | lzma.PRESET_EXTREME))


def read_graph(path: Path = GRAPH_FILE) -> list[Row]:
    """Read the rows of a graph file."""
    text = lzma.decompress(path.read_bytes()).decode()
    return [(s, r, o) for s, r, o in (line.split("\t") for line in text.splitlines())]


class GraphIndex:
    """Looks up facts by end and relation, and entities by name."""

    def __init__(self, rows: list[Row]) -> None:
        self.out: dict[tuple[str, str], list[Row]] = defaultdict(list)
        self.into: dict[tuple[str, str], list[Row]] = defaultdict(list)
        self.aliases: dict[str, list[str]] = defaultdict(list)
        self._by_alias: dict[str, set[str]] = defaultdict(set)
        self._by_name: dict[str, set[str]] = defaultdict(set)
        for row in rows:
            subject, relation, obj = row
            if relation == ALIAS:
                self.aliases[subject].append(obj)
                self._by_alias[key(obj)].add(subject)
                continue
            self.out[subject, relation].append(row)
            self.into[obj, relation].append(row)
            for end in (subject, obj):
                self._by_name[key(end)].add(end)

    def answers(self, topic: str, path: list[str]) -> list[str]:
        """Return all entities that a path reaches without using a row twice, except the topic."""
        found: set[str] = set()
        self._walk(topic, path, frozenset(), found)
        return sorted(found - {topic})

    def _walk(self, entity: str, path: list[str], used: frozenset[Row], found: set[str]) -> None:
        if not path:
            found.add(entity)
            return
        backwards = path[0].startswith("^")
        rows = self.into.get((entity, path[0][1:]), []) if backwards else self.out.get((entity, path[0]), [])
        for row in rows:
            if row not in used:
                self._walk(row[0 if backwards else 2], path[1:], used | {row}, found)

    def meaning(self, mention: str) -> set[str]:
        """Return the entities with this name, or else those with this alias."""
        return self._by_name.get(key(mention), set()) or self._by_alias.get(key(mention), set())

    def all_meanings(self, mention: str) -> set[str]:
        """Return all entities with this name or alias."""
        return self._by_name.get(key(mention), set()) | self._by_alias.get(key(mention), set())
