"""Finding entities by name in Neo4j: its full-text index says which may be meant, the project's own rules which are."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from shared.graph.neo4j.cypher import name_of
from shared.graph.short_names import MOST_BEARERS, short_name
from shared.graph.spelling import edits_allowed, is_correctable, slips
from shared.graph.store import Entity, NameMatch
from shared.text import normalise

Node = Sequence[Any]
"""What `LOOKUP` gives: the query's number, and the node's element id, name, aliases and degree."""

# One text for all lookups; the index answers each query by itself. All in one record: the driver takes a tenth of a
# millisecond for each.
LOOKUP = f"""
UNWIND $queries AS query
CALL db.index.fulltext.queryNodes($index, query.text, {{limit: $most}}) YIELD node
RETURN collect([query.number, elementId(node), {name_of("node")}, node[$aliases], COUNT {{ (node)--() }}]) AS nodes
"""
# The index puts short names first, so that of very many that hold a word the one that is that word may be left out.
LOOKUP_AMONG_MANY = f"""
UNWIND $queries AS query
CALL db.index.fulltext.queryNodes($index, query.text, {{limit: $many}}) YIELD node
WITH query, node, {name_of("node")} AS name
WHERE query.name IN coalesce(node.kgqa_names, []) OR toLower(toStringOrNull(name)) = query.name
WITH query, node, name LIMIT $most
RETURN collect([query.number, elementId(node), name, node[$aliases], COUNT {{ (node)--() }}]) AS nodes
"""
_MOST_BEARERS = 50
_MOST_SIMILAR = 5


class Known:
    """Nodes that the index found for any of the names asked, by what they are called."""

    def __init__(self, nodes: Sequence[Node]) -> None:
        self._named: dict[str, dict[tuple[str, str], NameMatch]] = defaultdict(dict)
        self._shortly: dict[str, dict[str, NameMatch]] = defaultdict(dict)
        for bearer in {node[1]: _Bearer(node) for node in nodes}.values():
            for normalised, names in bearer.names.items():
                self._named[normalised].update(((bearer.entity.id, name), bearer.match(name, 0)) for name in names)
            if bearer.short:
                match = bearer.match(bearer.entity.name, 0, is_short=True)
                self._shortly[bearer.short.replace(" ", "")][bearer.entity.id] = match

    def named(self, name: str) -> list[NameMatch]:
        """The entities that bear this name, best known first."""
        return _best(self._named.get(normalise(name), {}).values())[:_MOST_BEARERS]

    def in_short(self, name: str) -> list[NameMatch]:
        """The entities that go by this name for short; none where that are many."""
        found = _best(self._shortly.get(normalise(name).replace(" ", ""), {}).values())
        return found if len(found) <= MOST_BEARERS else []


def in_all(found: Sequence[Sequence[Node]], most: int) -> list[Node]:
    """The nodes that all queries found, as far as can be told: one that found `most` may have found others, too."""
    first, *others = [nodes for nodes in found if len(nodes) < most] or found[:1]
    keys = [{node[1] for node in nodes} for nodes in others]
    return [node for node in first if all(node[1] in some for some in keys)]


class Similar:
    """Compares names with the nodes that the index found for them, of which many are found for several names."""

    def __init__(self) -> None:
        self._bearers: dict[str, _Bearer] = {}

    def matches(self, name: str, nodes: Sequence[Node]) -> list[NameMatch]:
        """A few entities with a name that is nearly this one, among the nodes that were found for it."""
        asked = normalise(name)
        bearers = [self._bearers.get(node[1]) or self._read(node) for node in nodes]
        near = [match for bearer in bearers if asked not in bearer.names for match in _nearly(bearer, asked)]
        by_short = Counter(bearer.short for bearer in bearers)
        common = {short for short, number in by_short.items() if number > MOST_BEARERS}
        return _best(m for m in near if not (m.is_short and short_name(m.name, normalise(m.name)) in common))[
            :_MOST_SIMILAR
        ]

    def _read(self, node: Node) -> "_Bearer":
        return self._bearers.setdefault(node[1], _Bearer(node))


def _nearly(bearer: "_Bearer", asked: str) -> Iterator[NameMatch]:
    for normalised, names in bearer.names.items():
        if distance := _distance(asked, normalised):
            yield from (bearer.match(name, distance) for name in names)
    short = bearer.short
    if short and " " not in asked + short and is_correctable(asked) and (distance := _distance(asked, short)):
        yield bearer.match(bearer.entity.name, distance, is_short=True)


class _Bearer:
    """A node that the index found. `names`: its own name and its aliases, by what they normalise to."""

    def __init__(self, node: Node) -> None:
        _, key, name, aliases, degree = node
        self.entity = Entity(key, name if isinstance(name, str) else key)
        self.degree: int = degree
        self.short = short_name(self.entity.name, normalise(self.entity.name))
        self.names: dict[str, list[str]] = {}
        for each in (self.entity.name, *_texts(aliases)):
            self.names.setdefault(normalise(each), []).append(each)

    def match(self, name: str, distance: int, is_short: bool = False) -> NameMatch:
        return NameMatch(self.entity, name, name != self.entity.name, distance, self.degree, is_short)


def _texts(aliases: Any) -> list[str]:
    listed = aliases if isinstance(aliases, list) else [aliases]
    return [alias for alias in listed if isinstance(alias, str)]


def _distance(asked: str, name: str) -> int:
    """Typing errors between two normalised names; 0 where there are none or too many."""
    distance = slips(asked, name)
    return distance if distance <= edits_allowed(min(len(asked), len(name))) else 0


def _best(matches: Iterable[NameMatch]) -> list[NameMatch]:
    """Each entity once, under its best match."""
    best: dict[str, NameMatch] = {}
    for match in sorted(matches, key=_rank):
        best.setdefault(match.entity.id, match)
    return list(best.values())


def _rank(match: NameMatch) -> tuple[int, bool, bool, int, str, str]:
    return match.distance, match.is_short, match.is_alias, -match.degree, match.entity.name, match.entity.id
