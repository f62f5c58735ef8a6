"""Keep long literals of N-Triples, which are properties of their subjects, but neither names nor facts."""

from collections.abc import Mapping
from typing import NamedTuple

from graph.plan.values import Value


class _Text(NamedTuple):
    rank: int
    text: str


class LongTexts:
    """Hold the long text of each subject and relation: of several, the first one in the preferred language."""

    def __init__(self) -> None:
        self._texts: dict[int, dict[str, _Text]] = {}

    def add(self, subject: int, relation: str, text: str, rank: int) -> bool:
        """Add a text to the node with this row id, and return whether another one for the relation was there."""
        texts = self._texts.setdefault(subject, {})
        known = texts.get(relation)
        if known is None or rank < known.rank:
            texts[relation] = _Text(rank, text)
        return known is not None

    @property
    def relations(self) -> dict[str, None]:
        """Return the keys of their relations, in the order of the files."""
        return {relation: None for texts in self._texts.values() for relation in texts}

    def properties_of(self, subject: int, names: Mapping[str, str], others: Mapping[str, Value]) -> dict[str, Value]:
        """Return and forget the texts of a node by the names of their relations, joined with its other properties."""
        properties = dict(others)
        for relation, (_, text) in self._texts.pop(subject, {}).items():
            name = names[relation]
            known = properties.get(name)
            if known is None:
                properties[name] = text
            else:
                properties[name] = (*known, text) if isinstance(known, tuple) else (known, text)
        return properties

    def subjects(self) -> list[int]:
        """Return the row ids of the nodes that have long texts."""
        return list(self._texts)
