"""Find the foreign keys of a published schema, which has some turned around, lacks others, and shortens primary keys.

Of a primary key with several columns, the schemas list only the first. A primary key that is also a foreign key is
therefore a part of a longer one, unless the column is named after its own table, as in `students.student_id`.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from graph.plan.content_types import words_of
from question_sets.spider.names import KEY_WORDS, singular

Place = tuple[str, str]
"""A table and a column, in lower case."""
Pair = tuple[Place, Place]
_PREFIXES = {"ref", "reference", "tbl"}
_MAX_STEPS = 3


class KeyFinder:
    """Find primary and foreign keys from published keys and from the joins of queries."""

    def __init__(self, primary: Mapping[str, str], published: Sequence[Pair], joins: Iterable[Pair]) -> None:
        """`primary` holds the published primary key of each table that has one."""
        self._published_keys = primary
        edges = self._directed(published)
        self._sources: dict[str, set[str]] = defaultdict(set)
        for (table, column), _ in edges:
            self._sources[table].add(column)
        self.primary = {table: column for table, column in primary.items() if self._is_whole_key(table, column)}
        direct: dict[Place, list[Place]] = defaultdict(list)
        self._columns: dict[tuple[str, str], set[str]] = defaultdict(set)
        for source, target in edges:
            direct[source].append(target)
            self._columns[source[0], target[0]].add(target[1])
        self.foreign: dict[Place, list[Place]] = {}
        """The columns that each column refers to."""
        for source in direct:
            for target in self._identifying(direct, source, _MAX_STEPS):
                self._add(source, target)
        for pair in joins:
            source, target = sorted(pair, key=self._ownership)
            if self.primary.get(target[0]) == target[1] and not self._closure(source) & self._closure(target):
                self._add(source, target)

    def _add(self, source: Place, target: Place) -> None:
        if source != target and target not in self.foreign.setdefault(source, []):
            self.foreign[source].append(target)

    def _directed(self, pairs: Sequence[Pair]) -> list[Pair]:
        """Direct pairs to the column that belongs to its table; if in doubt, as most others of the database."""
        differences = [self._ownership(target) - self._ownership(source) for source, target in pairs]
        is_reversed = sum(one < 0 for one in differences) > sum(one > 0 for one in differences)
        return [
            (target, source) if difference < 0 or (difference == 0 and is_reversed) else (source, target)
            for (source, target), difference in zip(pairs, differences, strict=True)
            if source != target
        ]

    def _ownership(self, place: Place) -> float:
        """Return how much a column is the key of its own table."""
        table, column = place
        return (self._published_keys.get(table) == column) + _overlap(table, column)

    def _is_whole_key(self, table: str, column: str) -> bool:
        if column not in self._sources[table]:
            return True
        if not _words(column):
            return len(self._sources[table]) == 1
        return _overlap(table, column) == 1

    def _identifying(self, direct: Mapping[Place, Sequence[Place]], source: Place, steps: int) -> Iterator[Place]:
        """Yield the columns that identify the rows to which a column refers; a part of a key refers on."""
        for target in direct.get(source, ()):
            if self._identifies(source[0], target, target in direct):
                yield target
            elif steps:
                yield from self._identifying(direct, target, steps - 1)

    def _identifies(self, source: str, target: Place, is_foreign: bool) -> bool:
        table, column = target
        if self.primary.get(table) == column or table not in self._published_keys:
            return True
        # Keys of several columns refer to several columns, none of which identifies a row.
        is_alone = len(self._columns[source, table]) == 1
        return is_alone and not is_foreign and self._published_keys[table] != column

    def _closure(self, place: Place) -> set[Place]:
        found, waiting = {place}, [place]
        while waiting:
            for following in self.foreign.get(waiting.pop(), ()):
                if following not in found:
                    found.add(following)
                    waiting.append(following)
        return found


def _overlap(table: str, column: str) -> float:
    """Return the part of a table's name that a key column repeats; a column that is just `id` repeats all of it."""
    words, own = _words(column), _words(table) - _PREFIXES
    return len(words & own) / len(words | own) if words else 1.0


def _words(name: str) -> set[str]:
    return {singular(word) for word in words_of(name) if word not in KEY_WORDS}
