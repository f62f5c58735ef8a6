"""Collect the facts and the unique names for the demo graph; write, read, and walk the graph."""

import lzma
import tomllib
import unicodedata
from collections import defaultdict
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
GRAPH_FILE = HERE / "graph.tsv.xz"
ALIAS, KIND = "alias", ":LABEL"
_UNDECOMPOSED = str.maketrans("øØłŁđĐıðəƏ‘ʻ", "oOlLdDidaA''") | str.maketrans(
    {"ß": "ss", "æ": "ae", "Æ": "Ae", "þ": "th"}
)

Row = tuple[str, str, str]
"""Subject, relation, object."""


def read_facts(name: str) -> dict[str, Any]:
    """Read the hand-written facts in `facts/<name>.toml`."""
    return tomllib.loads((HERE / "facts" / f"{name}.toml").read_text(encoding="utf-8"))


def clean(text: str) -> str:
    """Normalise text to NFC, straight apostrophes, and single spaces."""
    text = unicodedata.normalize("NFC", text).replace("’", "'").replace("‘", "'").replace("ʼ", "'")
    return " ".join(text.split())


def fold(text: str) -> str:
    """Strip accents, as people do when they type on a keyboard without accented letters."""
    plain = unicodedata.normalize("NFD", text.translate(_UNDECOMPOSED))
    return "".join(ch for ch in plain if not unicodedata.combining(ch))


def key(text: str) -> str:
    """Return the form in which names are compared: in lower case and without accents."""
    return fold(text).lower()


class GraphBuilder:
    """Collect facts and aliases. Each name identifies exactly one entity."""

    def __init__(self) -> None:
        self.facts: set[Row] = set()
        self.aliases: set[tuple[str, str]] = set()
        self.names: set[str] = set()
        self._taken: set[str] = set()

    def take(self, name: str) -> str:
        """Reserve a new name; raise ValueError if it is already taken."""
        if not self.free(name):
            raise ValueError(f"the name {name!r} is already taken")
        self.names.add(name)
        self._taken.add(key(name))
        return name

    def take_first(self, options: list[str]) -> str:
        """Reserve and return the first option that is free and not empty, or return "" if there is none."""
        return next((self.take(option) for option in options if option and self.free(option)), "")

    def free(self, name: str) -> bool:
        """Return whether no entity has this name, ignoring case and accents."""
        return key(name) not in self._taken

    def add(self, subject: str, relation: str, obj: str) -> None:
        """Add a fact, unless the subject or the object is empty or they are the same."""
        if subject and obj and subject != obj:
            self.facts.add((subject, relation, obj))

    def alias(self, name: str, other: str, *, shared: bool = False) -> None:
        """Add an alias for an entity; if `shared` is true, the alias may be the name of a different entity."""
        other = clean(other)
        foreign = key(other) in self._taken and key(other) != key(name)
        if other and other != name and (shared or not foreign):
            self.aliases.add((name, other))

    def rows(self) -> list[Row]:
        """Return all rows in sorted order, with an unaccented alias for each name that contains accents."""
        for name in self.names:
            if (plain := fold(name)).isascii():
                self.alias(name, plain)
        return sorted(self.facts | {(name, ALIAS, other) for name, other in self.aliases})


def write_graph(rows: list[Row], path: Path = GRAPH_FILE) -> None:
    """Write the rows as compressed TSV; the same rows always give the same bytes."""
    for row in rows:
        if any(not cell or "\t" in cell or "\n" in cell for cell in row):
            raise ValueError(f"a row has an empty cell, a tab, or a line break: {row!r}")
    text = "".join("\t".join(row) + "\n" for row in rows)
    path.write_bytes(lzma.compress(text.encode(), preset=9 | lzma.PRESET_EXTREME))


def read_graph(path: Path = GRAPH_FILE) -> list[Row]:
    """Read the rows in a graph file."""
    text = lzma.decompress(path.read_bytes()).decode()
    return [(s, r, o) for s, r, o in (line.split("\t") for line in text.splitlines())]


class GraphIndex:
    """Look up facts by entity and relation, and entities by name."""

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
            if relation == KIND:
                continue
            self.out[subject, relation].append(row)
            self.into[obj, relation].append(row)
            for end in (subject, obj):
                self._by_name[key(end)].add(end)

    def answers(self, topic: str, path: list[str]) -> list[str]:
        """Return all entities other than the topic that a path reaches without using a row twice."""
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

    def is_unambiguous(self, name: str) -> bool:
        """Return whether no other entity has this name, ignoring case and accents."""
        return self._by_name.get(key(name), set()) == {name}

    def all_meanings(self, mention: str) -> set[str]:
        """Return all entities that have this name or alias."""
        return self._by_name.get(key(mention), set()) | self._by_alias.get(key(mention), set())
