"""The graph as an index, and the answers of a path."""

from __future__ import annotations

from collections import defaultdict

from examples.world.store import ALIAS, Triple, fold


class Index:
    """Facts by end and relation, and the names of entities."""

    def __init__(self, rows: list[Triple]) -> None:
        self.out: dict[tuple[str, str], list[Triple]] = defaultdict(list)
        self.into: dict[tuple[str, str], list[Triple]] = defaultdict(list)
        self.aliases: dict[str, list[str]] = defaultdict(list)
        self.entities: set[str] = set()
        self._owners: dict[str, set[str]] = defaultdict(set)
        self._named: dict[str, set[str]] = defaultdict(set)
        for row in rows:
            self._put(row)

    def _put(self, row: Triple) -> None:
        subject, relation, obj = row
        if relation == ALIAS:
            self.aliases[subject].append(obj)
            self._owners[key(obj)].add(subject)
            return
        self.out[subject, relation].append(row)
        self.into[obj, relation].append(row)
        self.entities.update((subject, obj))
        for end in (subject, obj):
            self._named[key(end)].add(end)

    def step(self, entity: str, relation: str) -> list[tuple[Triple, str]]:
        """The triples that a relation (`^r`: backwards) takes from an entity, and where each leads."""
        if relation.startswith("^"):
            return [(row, row[0]) for row in self.into.get((entity, relation[1:]), [])]
        return [(row, row[2]) for row in self.out.get((entity, relation), [])]

    def answers(self, topic: str, path: list[str]) -> list[str]:
        """All entities that the path reaches without using a triple twice, the topic left out."""
        found: set[str] = set()
        self._walk(topic, path, frozenset(), found)
        return sorted(found - {topic})

    def _walk(self, entity: str, path: list[str], used: frozenset[Triple], found: set[str]) -> None:
        if not path:
            found.add(entity)
            return
        for row, end in self.step(entity, path[0]):
            if row not in used:
                self._walk(end, path[1:], used | {row}, found)

    def meaning(self, mention: str) -> set[str]:
        """The entities of a mention: those of this name or else those of this alias."""
        found = self._named.get(key(mention), set())
        return found or self._owners.get(key(mention), set())

    def all_meanings(self, mention: str) -> set[str]:
        """All entities with this name or alias."""
        return self._named.get(key(mention), set()) | self._owners.get(key(mention), set())


def key(text: str) -> str:
    """The form in which mentions are compared."""
    return fold(text).lower()
