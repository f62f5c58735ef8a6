"""Writing an embedded graph file, row by row; the file is complete after `finish`."""

import hashlib
import json
import re
import sqlite3
from array import array
from collections import Counter, defaultdict
from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass
from itertools import count
from pathlib import Path

from shared.graph.schema import BACKWARDS_INDEX, GRAPH, INDEXES, LAYOUT, META, NAMES
from shared.graph.spelling import is_correctable, word_keys
from shared.graph.store import INVERSE
from shared.text import normalise

_BATCH = 20_000
_IRI = re.compile(r"<[^<>]+>")


@dataclass(frozen=True, slots=True)
class Written:
    """What a graph file holds; `unused_names` belong to entities without any triple and were left out."""

    triples: int
    entities: int
    relations: int
    aliases: int
    duplicates: int
    unused_names: int


class GraphWriter:
    """Takes facts and names in any order. Memory grows with the number of entities, not of triples."""

    def __init__(self, file: Path) -> None:
        # Safety against a crash comes from replacing the target only by a complete file.
        self._connection = sqlite3.connect(file, isolation_level=None)
        for setting in ("journal_mode = OFF", "synchronous = OFF", "cache_size = -65536", "locking_mode = EXCLUSIVE"):
            self._connection.execute(f"PRAGMA {setting}")
        self._connection.execute("CREATE TEMP TABLE rows (id INTEGER PRIMARY KEY, s INTEGER, r INTEGER, o INTEGER)")
        self._connection.execute("BEGIN")
        for statement in (META, *GRAPH, *NAMES):
            self._connection.execute(statement)
        self._entities: dict[str, int] = defaultdict(count(1).__next__)
        self._relations: dict[str, int] = defaultdict(count(1).__next__)
        self._labels: dict[str, list[tuple[int, str]]] = defaultdict(list)
        self._default_names: dict[str, str] = {}
        self._aliases: dict[tuple[str, str], None] = {}
        self._batch: list[tuple[int, int, int]] = []
        self._blank_nodes = count(1)
        self._content = hashlib.sha256(LAYOUT.encode())
        self._unhashed: list[str] = []

    def fact(self, subject: str, relation: str, object_: str) -> None:
        """Add a triple; entities are told apart by these strings."""
        self._batch.append((self._entities[subject], self._relations[relation], self._entities[object_]))
        self._unhashed.append(f"{subject}\t{relation}\t{object_}")
        if len(self._batch) >= _BATCH:
            self._flush()

    def alias(self, entity: str, name: str) -> None:
        """Give an entity one more name."""
        self._aliases[entity, name] = None
        self._unhashed.append(f"{entity}\t\t{name}")

    def label(self, entity: str, name: str, rank: int) -> None:
        """Give an entity its name; the first of the lowest rank counts, the others become aliases."""
        self._unhashed.append(f"{entity}\t{rank}\t{name}")
        self._labels[entity].append((rank, name))

    def blank_node(self) -> str:
        """A key for a node without a name of its own, different from all others of this import."""
        return f"_:b{next(self._blank_nodes)}"

    def has_default_name(self, entity: str) -> bool:
        """Whether `default_name` was called for this entity."""
        return entity in self._default_names

    def default_name(self, entity: str, name: str) -> None:
        """Name an entity unless it gets a label; without either it is named by its key."""
        self._default_names[entity] = name

    @property
    def is_empty(self) -> bool:
        """Whether no fact has been added."""
        return not self._relations

    def finish(self) -> Written:
        """Write what was collected, build the indexes and return the counts."""
        self._flush()
        read = sum(self._connection.execute("SELECT count(*) FROM rows").fetchone())
        self._write_relations()
        triples = self._write_triples()
        names = self._names()
        self._write_entities(names)
        aliases, unused = self._write_names(names)
        self._write_words()
        for statement in INDEXES:
            self._connection.execute(statement)
        written = Written(triples, len(names), len(self._relations), aliases, read - triples, unused)
        self._write_meta(written)
        self._connection.execute("COMMIT")
        return written

    def close(self) -> None:
        """Let go of the file, complete or not."""
        self._connection.close()

    def _flush(self) -> None:
        self._connection.executemany("INSERT INTO rows (s, r, o) VALUES (?, ?, ?)", self._batch)
        self._batch.clear()
        self._content.update("\n".join([*self._unhashed, ""]).encode())
        self._unhashed.clear()

    def _write_relations(self) -> None:
        rows = (
            (id_, name) for name, id_ in zip(relation_names(self._relations), self._relations.values(), strict=True)
        )
        self._connection.executemany("INSERT INTO relations VALUES (?, ?)", rows)

    def _write_triples(self) -> int:
        # A repeated row keeps its first place in the files.
        written = self._connection.execute(
            "INSERT INTO triples (s, r, id, o) SELECT s, r, min(id) AS first, o FROM rows GROUP BY s, r, o "
            "ORDER BY s, r, first"
        ).rowcount
        self._connection.execute("DROP TABLE rows")
        self._connection.execute(BACKWARDS_INDEX)
        return written

    def _names(self) -> list[str]:
        """The name of each entity, in the order of their row ids, which count from 1."""
        labels = {entity: min(found, key=lambda label: label[0])[1] for entity, found in self._labels.items()}
        return [labels.get(key) or self._default_names.get(key, key) for key in self._entities]

    def _write_entities(self, names: list[str]) -> None:
        degrees = array("q", bytes(8 * (len(names) + 1)))
        ends = (
            "SELECT s, count(*) FROM triples GROUP BY s",
            # A triple from an entity to itself touches it once.
            "SELECT o, count(*) FROM triples INDEXED BY triples_backwards WHERE s != o GROUP BY o",
        )
        for query in ends:
            for entity, degree in self._connection.execute(query):
                degrees[entity] += degree
        kinds = self._write_kinds(len(names))
        rows = zip(self._entities.values(), self._entities, names, degrees[1:], kinds, strict=True)
        self._connection.executemany("INSERT INTO entities VALUES (?, ?, ?, ?, ?)", rows)

    def _write_kinds(self, entities: int) -> Sequence[int]:
        """Tell the entities' kinds by the steps that can be walked from them; returns each one's kind."""
        # Sets grow step by step; each step leads from one set to another, so that two numbers look a set up.
        kinds = array("q", bytes(8 * (entities + 1)))
        longer: dict[tuple[int, int], int] = {}
        steps: list[tuple[int, ...]] = [()]
        for sign, query in (
            (1, "SELECT DISTINCT s, r FROM triples"),
            (-1, "SELECT DISTINCT o, r FROM triples INDEXED BY triples_backwards"),
        ):
            for entity, relation in self._connection.execute(query):
                before, step = kinds[entity], sign * relation
                kind = longer.get((before, step))
                if kind is None:
                    kind = longer[before, step] = len(steps)
                    steps.append((*steps[before], step))
                kinds[entity] = kind
        used = set(kinds[1:])
        rows = ((kind, json.dumps(steps[kind])) for kind in sorted(used))
        self._connection.executemany("INSERT INTO kinds VALUES (?, ?)", rows)
        return kinds[1:]

    def _write_names(self, names: list[str]) -> tuple[int, int]:
        """Index names and aliases; returns the numbers of aliases written and of names without an entity."""
        insert = "INSERT INTO names VALUES (?, ?, ?)"
        own = ((normalise(name), row, None) for row, name in enumerate(names, start=1))
        self._connection.executemany(insert, own)
        for entity, found in self._labels.items():
            self._aliases.update(((entity, name), None) for _, name in found)
        used = [(self._entities[entity], name) for entity, name in self._aliases if entity in self._entities]
        unused = len(self._aliases) - len(used)
        others = [(normalise(name), row, name) for row, name in used if name != names[row - 1]]
        self._connection.executemany(insert, others)
        return len(others), unused

    def _write_words(self) -> None:
        known = self._connection.execute("SELECT normalised FROM names")
        occurrences = Counter(word for (name,) in known for word in set(name.split()) if is_correctable(word))
        words = [(row, word, names) for row, (word, names) in enumerate(occurrences.items(), start=1)]
        self._connection.executemany("INSERT INTO words VALUES (?, ?, ?)", words)
        self._connection.execute("CREATE TEMP TABLE unsorted (key INTEGER, word INTEGER)")
        keys = ((key, row) for row, word, _ in words for key in word_keys(word))
        self._connection.executemany("INSERT INTO unsorted VALUES (?, ?)", keys)
        self._connection.execute("INSERT OR IGNORE INTO word_keys SELECT key, word FROM unsorted ORDER BY key, word")
        self._connection.execute("DROP TABLE unsorted")

    def _write_meta(self, written: Written) -> None:
        counts = {name: str(number) for name, number in asdict(written).items()}
        meta = {"layout": LAYOUT, "version": self._content.hexdigest()[:16], **counts}
        self._connection.executemany("INSERT INTO meta VALUES (?, ?)", meta.items())


def relation_names(keys: Collection[str]) -> list[str]:
    """Relations as read, but `<http://e.org/p#directedBy>` as `directedBy` where no other relation has that name."""
    local_parts = [_local_part(key) for key in keys]
    uses = Counter(local_parts)
    taken = set(keys)

    def name(key: str, local_part: str) -> str:
        if uses[local_part] == 1 and not local_part.startswith(INVERSE):
            return local_part
        return key[1:-1] if _IRI.fullmatch(key) and key[1:-1] not in taken else key

    return [name(key, local_part) for key, local_part in zip(keys, local_parts, strict=True)]


def _local_part(relation: str) -> str:
    if not _IRI.fullmatch(relation):
        return relation
    return re.split(r"[/#]", relation[1:-1])[-1] or relation[1:-1]
