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

import numpy as np

from ingestion.name_index import write_names
from ingestion.triples import Triples, degrees, distinct, kinds, write_triples
from shared.graph.sqlite.schema import CONTENT, ENTITIES_BY_KEY, GRAPH, LAYOUT, META, NAMES
from shared.graph.store import INVERSE
from shared.text import without_invisible

_IRI = re.compile(r"<[^<>]+>")


@dataclass(frozen=True, slots=True)
class Written:
    """What a graph file holds.

    `unused_names` belong to entities without any triple and were left out; `cleaned_names` had invisible characters.
    """

    triples: int
    entities: int
    relations: int
    aliases: int
    duplicates: int
    unused_names: int
    cleaned_names: int


class GraphWriter:
    """Takes facts and names in any order. Memory grows with the entities, and by a hundred bytes a triple."""

    def __init__(self, file: Path) -> None:
        # Safety against a crash comes from replacing the target only by a complete file.
        self._connection = sqlite3.connect(file, isolation_level=None)
        for setting in ("journal_mode = OFF", "synchronous = OFF", "cache_size = -65536", "locking_mode = EXCLUSIVE"):
            self._connection.execute(f"PRAGMA {setting}")
        self._connection.execute("BEGIN")
        for statement in (META, *GRAPH, *NAMES):
            self._connection.execute(statement)
        self._entities: dict[str, int] = defaultdict(count(1).__next__)
        self._relations: dict[str, int] = defaultdict(count(1).__next__)
        self._labels: dict[str, list[tuple[int, str]]] = defaultdict(list)
        self._default_names: dict[str, str] = {}
        self._aliases: dict[tuple[str, str], None] = {}
        # Row ids: subject and object of each fact, and its relation. Arrays, since facts are many.
        self._ends = array("i")
        self._steps = array("i")
        self._blank_nodes = count(1)
        self._cleaned: set[str] = set()
        self._content = hashlib.sha256(CONTENT.encode())

    def fact(self, subject: str, relation: str, object_: str) -> None:
        """Add a triple; entities are told apart by these strings."""
        self._ends.extend((self._entities[subject], self._entities[object_]))
        self._steps.append(self._relations[relation])

    def facts(self, fields: Sequence[str]) -> None:
        """Add many triples: subject, relation, object, subject, relation, and so on."""
        ends = list(fields)
        del ends[1::3]
        self._ends.extend(map(self._entities.__getitem__, ends))
        self._steps.extend(map(self._relations.__getitem__, fields[1::3]))

    def visible(self, name: str) -> str:
        """Remove invisible characters from a name, and count it if there were any."""
        visible = without_invisible(name)
        if visible != name:
            self._cleaned.add(name)
        return visible

    def alias(self, entity: str, name: str) -> None:
        """Give an entity one more name."""
        self._aliases[entity, name] = None
        self._content.update(f"{entity}\t\t{name}\n".encode())

    def label(self, entity: str, name: str, rank: int) -> None:
        """Give an entity its name; the first of the lowest rank counts, the others become aliases."""
        self._content.update(f"{entity}\t{rank}\t{name}\n".encode())
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
        read = len(self._steps)
        triples = self._triples()
        self._write_relations()
        write_triples(self._connection, triples)
        names = self._names()
        touching = degrees(triples, len(names)).tolist()
        self._write_entities(names, touching, triples)
        written = len(triples)
        del triples  # the names need the memory
        aliases, unused = self._other_names(names)
        write_names(self._connection, list(self._entities), names, touching, aliases)
        report = Written(
            written, len(names), len(self._relations), len(aliases), read - written, unused, len(self._cleaned)
        )
        self._write_meta(report)
        self._connection.execute("COMMIT")
        return report

    def close(self) -> None:
        """Let go of the file, complete or not."""
        self._connection.close()

    def _triples(self) -> Triples:
        """The distinct triples of all rows, which are let go of."""
        ends, relations = np.array(self._ends, np.int64).reshape(-1, 2), np.array(self._steps, np.int64)
        self._ends, self._steps = array("i"), array("i")
        self._content.update(b"".join(column.astype("<i4").tobytes() for column in (ends, relations)))
        return distinct(ends[:, 0], relations, ends[:, 1])

    def _write_relations(self) -> None:
        rows = (
            (id_, name) for name, id_ in zip(relation_names(self._relations), self._relations.values(), strict=True)
        )
        self._connection.executemany("INSERT INTO relations VALUES (?, ?)", rows)

    def _names(self) -> list[str]:
        """The name of each entity, in the order of their row ids, which count from 1."""
        labels = {entity: min(found, key=lambda label: label[0])[1] for entity, found in self._labels.items()}
        return [labels.get(key) or self._default_names.get(key, key) for key in self._entities]

    def _write_entities(self, names: Sequence[str], degrees: Sequence[int], triples: Triples) -> None:
        kind_of, steps = kinds(triples, len(names))
        self._connection.executemany(
            "INSERT INTO kinds VALUES (?, ?)", ((kind, json.dumps(found)) for kind, found in steps.items())
        )
        rows = zip(self._entities.values(), self._entities, names, degrees, kind_of.tolist(), strict=True)
        self._connection.executemany("INSERT INTO entities VALUES (?, ?, ?, ?, ?)", rows)
        self._connection.execute(ENTITIES_BY_KEY)

    def _other_names(self, names: Sequence[str]) -> tuple[list[tuple[int, str]], int]:
        """Row ids and aliases of the entities, and the number of names without an entity."""
        for entity, found in self._labels.items():
            self._aliases.update(((entity, name), None) for _, name in found)
        used = [(self._entities[entity], name) for entity, name in self._aliases if entity in self._entities]
        return [(row, name) for row, name in used if name != names[row - 1]], len(self._aliases) - len(used)

    def _write_meta(self, written: Written) -> None:
        self._content.update("\n".join([*self._entities, "", *self._relations]).encode())
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
