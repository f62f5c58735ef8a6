"""Keep comments and long literals of RDF, which are properties of their subjects, but neither names nor facts."""

from collections.abc import Mapping

from graph.plan.values import Value


class LongTexts:
    """Hold the text of each subject and relation."""

    def __init__(self) -> None:
        self._texts: dict[int, dict[str, str]] = {}

    def add(self, subject: int, relation: str, text: str) -> None:
        """Add a text to the node with this row id."""
        self._texts.setdefault(subject, {})[relation] = text

    @property
    def relations(self) -> dict[str, None]:
        """Return the keys of their relations, in the order of the files."""
        return {relation: None for texts in self._texts.values() for relation in texts}

    def properties_of(self, subject: int, names: Mapping[str, str], others: Mapping[str, Value]) -> dict[str, Value]:
        """Return and forget the texts of a node by the names of their relations, joined with its other properties."""
        properties = dict(others)
        for relation, text in self._texts.pop(subject, {}).items():
            name = names[relation]
            known = properties.get(name)
            if known is None:
                properties[name] = text
            else:
                properties[name] = (*known, text) if isinstance(known, tuple) else (known, text)
        return properties

    def subjects(self) -> list[int]:
        """Return the row ids of the nodes that have texts."""
        return list(self._texts)
