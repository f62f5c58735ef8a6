"""Choose among the named graphs of RDF files, and say which ones are merged."""

from collections import Counter, defaultdict

from ingestion.rejections import Problems
from shared.errors import InvalidInputError

_MAX_LISTED = 20


class NamedGraphs:
    """Count the triples of each graph in each file. The default graph has an empty name."""

    def __init__(self, chosen: str | None = None) -> None:
        """Accept the triples of all graphs, or of the chosen one."""
        self._chosen = chosen
        self._counts: dict[str, Counter[str]] = defaultdict(Counter)
        self._current: Counter[str] = Counter()

    def begin(self, problems: Problems, *, has_graphs: bool) -> bool:
        """Begin with the next file, and return whether it may have the chosen graph; record a problem if not."""
        self._current = self._counts[problems.file]
        if has_graphs or self._chosen is None:
            return True
        problems.add(1, "files of this format have no named graphs; leave out the file or --named-graph")
        return False

    def accepts(self, name: str) -> bool:
        """Count a triple of this graph, and return whether to import it."""
        self._current[name] += 1
        return self._chosen is None or name == self._chosen

    def remarks(self) -> list[str]:
        """Return which graphs were merged, or left out; raise InvalidInputError if the chosen one does not exist."""
        names = sum(self._counts.values(), Counter())
        if self._chosen is not None:
            if self._chosen not in names:
                raise InvalidInputError(
                    f"no file has the named graph <{self._chosen}>; choose one of them with --named-graph: "
                    f"{_listed(names) or 'there are none'}"
                )
            others = Counter({name: count for name, count in names.items() if name != self._chosen})
            return [f"left out the other graphs: {_listed(others)}"] if others else []
        return [
            f"{file}: merged {len(counts):,} graphs: {_listed(counts)}; to import one of them, use --named-graph"
            for file, counts in self._counts.items()
            if len(counts) > 1
        ]


def _listed(counts: Counter[str]) -> str:
    """List graphs with their numbers of triples."""
    shown = [
        f"{f'<{name}>' if name else 'the default graph'} ({number:,} {'triple' if number == 1 else 'triples'})"
        for name, number in counts.most_common(_MAX_LISTED)
    ]
    more = [f"and {len(counts) - _MAX_LISTED:,} more"] if len(counts) > _MAX_LISTED else []
    return ", ".join([*shown, *more])
