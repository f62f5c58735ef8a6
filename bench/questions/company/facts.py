"""Look up facts of the company graph without the product, to verify what query plans return."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from datetime import date

from bench.questions.company.build import Fact


class Facts:
    """Index triples in both directions."""

    def __init__(self, triples: Iterable[Fact]) -> None:
        self._objects: dict[tuple[str, str], set[str]] = defaultdict(set)
        self._subjects: dict[tuple[str, str], set[str]] = defaultdict(set)
        self._having: dict[str, set[str]] = defaultdict(set)
        self.names: set[str] = set()
        for subject, relation, object_ in triples:
            self._objects[subject, relation].add(object_)
            self._subjects[object_, relation].add(subject)
            self._having[relation].add(subject)
            self.names |= {subject, object_}

    def get(self, subject: str, relation: str) -> set[str]:
        """Return the objects of a subject."""
        return self._objects.get((subject, relation), set())

    def by(self, relation: str, object_: str) -> set[str]:
        """Return the subjects of an object."""
        return self._subjects.get((object_, relation), set())

    def having(self, relation: str) -> set[str]:
        """Return all subjects of a relation."""
        return self._having[relation]

    def one(self, subject: str, relation: str) -> str:
        """Return the only object of a subject."""
        [found] = self.get(subject, relation)
        return found

    def number(self, subject: str, relation: str) -> int:
        """Return the only object of a subject as a number."""
        return int(self.one(subject, relation))

    def day(self, subject: str, relation: str) -> date:
        """Return the only object of a subject as a date."""
        return date.fromisoformat(self.one(subject, relation))

    def follow(self, topic: str, path: Iterable[str]) -> set[str]:
        """Return the ends of a relation path; `^r` follows `r` from object to subject."""
        found = {topic}
        for step in path:
            is_inverse, relation = step.startswith("^"), step.lstrip("^")
            found = {
                end for one in found for end in (self.by(relation, one) if is_inverse else self.get(one, relation))
            }
        return found


def top(scores: Mapping[str, int | date], count: int = 1, *, lowest: bool = False) -> list[str]:
    """Return the names with the highest or lowest scores, best first; raise ValueError if a tie makes it ambiguous."""
    ordered = sorted(scores, key=lambda name: scores[name], reverse=not lowest)
    if len(ordered) > count and scores[ordered[count - 1]] == scores[ordered[count]]:
        raise ValueError(f"{ordered[count - 1]} and {ordered[count]} tie")
    return ordered[:count]
