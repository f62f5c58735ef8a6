"""Find entities by name in Neo4j: its full-text index proposes nodes, and the project's own rules select among them."""

import asyncio
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

from graph.name_matching import (
    MAX_ENTITIES_PER_SHORT_NAME,
    MAX_EXACT_MATCHES,
    MAX_SIMILAR_MATCHES,
    best_per_entity,
    is_correctable,
    misspelling_distance,
    short_name,
)
from graph.neo4j.background_refresh import Refreshed
from graph.neo4j.connection import Connection
from graph.neo4j.copies import NORMALISED
from graph.neo4j.full_text import combine_queries, exact_query, fuzzy_pair_queries, fuzzy_query
from graph.neo4j.naming import Naming, aliases_of, name_of
from graph.neo4j.query_cache import QueryCache
from graph.neo4j.settings import Neo4jSettings
from graph.store import Entity, NameMatch
from shared.text import normalise

_ANALYZER = """
SHOW FULLTEXT INDEXES YIELD name, options WHERE name = $index
RETURN options.indexConfig["fulltext.analyzer"] AS analyzer
"""
_STOP_WORDS = """
CALL db.index.fulltext.listAvailableAnalyzers() YIELD analyzer, stopwords WHERE analyzer = $analyzer RETURN stopwords
"""
# One query text serves all lookups; the index answers each query separately. The result is a single record, because the
# driver needs a tenth of a millisecond per record.
_LOOKUP = f"""
UNWIND $queries AS query
CALL db.index.fulltext.queryNodes($index, query.text, {{limit: $most}}) YIELD node
WITH query, node, {name_of("node")} AS name
RETURN collect([query.number, elementId(node), name, {aliases_of("node")}, COUNT {{ (node)--() }}]) AS nodes
"""
# The index ranks short names first, so the limit may cut off a node whose whole name is a common word.
_LOOKUP_COMMON = f"""
UNWIND $queries AS query
CALL db.index.fulltext.queryNodes($index, query.text, {{limit: $many}}) YIELD node
WITH query, node, {name_of("node")} AS name
WHERE query.name IN coalesce(node.{NORMALISED}, []) OR toLower(toStringOrNull(name)) = query.name
WITH query, node, name LIMIT $most
RETURN collect([query.number, elementId(node), name, {aliases_of("node")}, COUNT {{ (node)--() }}]) AS nodes
"""

# Each lookup of a misspelled name searches for several fuzzy words, and a long question needs a hundred such lookups.
_LOOKUPS_PER_QUERY = 8
# A long question needs many queries. It runs few of them at once, so that other requests can use the connections and
# the event loop, too.
_MANY_QUERIES, _CONCURRENT_IF_MANY, _NAMES_PER_YIELD = 16, 2, 100
# Node limits per query. The results include longer names with the same words, which are dropped afterwards.
_MAX_NODES, _MAX_NODES_SHORT_NAME, _MAX_NODES_COMMON = 100, 400, 5_000

# A result of `_LOOKUP`: the number of the query, and the node's element id, name, aliases, and degree.
_Node = Sequence[Any]


class FullTextLookup:
    """Find the matches for each name in the full-text index, and cache them until the database changes."""

    def __init__(self, connection: Connection, settings: Neo4jSettings, naming: Refreshed[Naming]) -> None:
        self._connection = connection
        self._settings = settings
        self._naming = naming
        self._stop_words = QueryCache(connection, self._fetch_stop_words)
        self._exact = QueryCache(connection, self._fetch_exact)
        self._similar = QueryCache(connection, self._fetch_similar)
        self._by_short_name = QueryCache(connection, self._fetch_by_short_name)

    async def exact(self, names: Sequence[str]) -> list[list[NameMatch]]:
        """Find the entities with each name, highest degree first."""
        return await self._exact.get(names)

    async def similar(self, names: Sequence[str]) -> list[list[NameMatch]]:
        """Find a few entities for each misspelled name, excluding entities with exactly that name."""
        return await self._similar.get(names)

    async def by_short_name(self, names: Sequence[str]) -> list[list[NameMatch]]:
        """Find the entities with each short name, highest degree first."""
        return await self._by_short_name.get(names)

    async def stop_words(self) -> frozenset[str]:
        """Return the words that the index omits."""
        [words] = await self._stop_words.get([self._settings.names_index])
        return words

    async def plan(self, seconds: float) -> None:
        """Make the database plan all lookups by searching for a name that does not exist."""
        query = exact_query("none", await self.stop_words())
        await self._lookup([query], _MAX_NODES, seconds)
        await self._lookup_common({"none": query}, _MAX_NODES, seconds)

    async def _fetch_exact(self, names: Sequence[str]) -> list[list[NameMatch]]:
        nodes = await self._nodes_named(names, _MAX_NODES)
        return [nodes.named(name) for name in names]

    async def _fetch_by_short_name(self, names: Sequence[str]) -> list[list[NameMatch]]:
        nodes = await self._nodes_named(names, _MAX_NODES_SHORT_NAME)
        return [nodes.by_short_name(name) for name in names]

    async def _fetch_similar(self, names: Sequence[str]) -> list[list[NameMatch]]:
        """Look up names of three or more words by their word pairs, unless every pair's query reaches the limit."""
        stop_words = await self.stop_words()
        queries = {name: fuzzy_pair_queries(name, stop_words) or [fuzzy_query(name, stop_words)] for name in names}
        found = await self._nodes_by_query(dict.fromkeys(chain.from_iterable(queries.values())))
        for name, several in queries.items():
            if len(several) > 1 and all(len(found[query]) >= _MAX_NODES for query in several):
                queries[name] = [fuzzy_query(name, stop_words)]
        found |= await self._nodes_by_query(query for query in chain(*queries.values()) if query not in found)
        nodes: dict[str, _NamedNode] = {}
        matches = []
        for name in names:
            await asyncio.sleep(0)  # each name may be compared with hundreds of nodes
            common = _in_all([found[query] for query in queries[name]], _MAX_NODES)
            named = [nodes.get(node[1]) or nodes.setdefault(node[1], _NamedNode(node)) for node in common]
            matches.append(_similar_matches(normalise(name), named))
        return matches

    async def _nodes_by_query(self, queries: Iterable[str]) -> dict[str, list[_Node]]:
        listed = list(queries)
        found: dict[str, list[_Node]] = {query: [] for query in listed}
        for node in await self._lookup(listed, _MAX_NODES):
            found[listed[node[0]]].append(node)
        return found

    async def _nodes_named(self, names: Sequence[str], limit: int) -> "_NamedNodes":
        """Find the nodes that have any of these names, or a longer name that contains one.

        Few nodes have two words of a question in their names, so all names with several words share a few queries. If
        such a query reaches its limit, it may miss nodes, so each of these names is then looked up separately.
        """
        stop_words = await self.stop_words()
        queries: dict[str, str] = {}
        for number, name in enumerate(names):
            queries[name] = exact_query(name, stop_words)
            if number % _NAMES_PER_YIELD == _NAMES_PER_YIELD - 1:
                await asyncio.sleep(0)
        single = [name for name in queries if " " not in name]
        several = [query for name, query in queries.items() if " " in name and query]
        combined = combine_queries(several)
        nodes = await self._lookup([*combined, *(queries[name] for name in single)], limit)
        found = Counter(node[0] for node in nodes)
        if any(found[number] >= limit for number in range(len(combined))):
            nodes += await self._lookup(several, limit)
        named = _NamedNodes(nodes)
        cut_off = [name for number, name in enumerate(single, len(combined)) if found[number] >= limit]
        if missing := {name: queries[name] for name in cut_off if not named.named(name)}:
            return _NamedNodes(nodes + await self._lookup_common(missing, limit))
        return named

    async def _lookup(self, queries: Sequence[str], limit: int, seconds: float | None = None) -> list[_Node]:
        listed = [{"number": number, "text": text} for number, text in enumerate(queries) if text]
        batches = range(0, len(listed), _LOOKUPS_PER_QUERY)
        slots = asyncio.Semaphore(_CONCURRENT_IF_MANY if len(batches) > _MANY_QUERIES else _MANY_QUERIES)

        async def look_up(first: int) -> list[_Node]:
            async with slots:
                return await self._nodes(_LOOKUP, listed[first : first + _LOOKUPS_PER_QUERY], limit, seconds)

        return [node for nodes in await asyncio.gather(*map(look_up, batches)) for node in nodes]

    async def _lookup_common(self, queries: Mapping[str, str], limit: int, seconds: float | None = None) -> list[_Node]:
        listed = [{"number": n, "name": name, "text": text} for n, (name, text) in enumerate(queries.items())]
        return await self._nodes(_LOOKUP_COMMON, listed, limit, seconds, many=_MAX_NODES_COMMON)

    async def _nodes(
        self, text: str, queries: Sequence[Mapping[str, Any]], limit: int, seconds: float | None, **more: int
    ) -> list[_Node]:
        naming = (await self._naming.get()).parameters()
        parameters = {"queries": queries, "most": limit, "index": self._settings.names_index, **naming, **more}
        [row] = await self._connection.query(text, parameters, seconds)
        return list(row["nodes"])

    async def _fetch_stop_words(self, indexes: Sequence[str]) -> list[frozenset[str]]:
        [index] = indexes
        analyzers = await self._connection.query(_ANALYZER, {"index": index})
        found = [
            word
            for row in analyzers
            for stop in await self._connection.query(_STOP_WORDS, {"analyzer": row["analyzer"]})
            for word in stop["stopwords"]
        ]
        return [frozenset(found)]


class _NamedNode:
    """Represent a node of the database; `names` groups its name and its aliases by their normalised forms."""

    def __init__(self, node: _Node) -> None:
        _, key, name, aliases, degree = node
        self.entity = Entity(key, name if isinstance(name, str) else key)
        self.degree: int = degree
        self.short = short_name(self.entity.name, normalise(self.entity.name))
        self.names: dict[str, list[str]] = {}
        listed = aliases if isinstance(aliases, list) else [aliases]
        for each in (self.entity.name, *(alias for alias in listed if isinstance(alias, str))):
            self.names.setdefault(normalise(each), []).append(each)

    def match(self, name: str, distance: int, is_short: bool = False) -> NameMatch:
        return NameMatch(self.entity, name, name != self.entity.name, distance, self.degree, is_short)

    def similar_matches(self, asked: str) -> Iterator[NameMatch]:
        for normalised, names in self.names.items():
            if distance := misspelling_distance(asked, normalised):
                yield from (self.match(name, distance) for name in names)
        short = self.short
        is_word = short and " " not in asked + short and is_correctable(asked)
        if short and is_word and (distance := misspelling_distance(asked, short)):
            yield self.match(self.entity.name, distance, is_short=True)


class _NamedNodes:
    """Find nodes by name and by short name among the results of a lookup."""

    def __init__(self, nodes: Sequence[_Node]) -> None:
        self._named: dict[str, list[NameMatch]] = defaultdict(list)
        self._short: dict[str, list[NameMatch]] = defaultdict(list)
        for node in {node[1]: _NamedNode(node) for node in nodes}.values():
            for normalised, names in node.names.items():
                self._named[normalised] += (node.match(name, 0) for name in names)
            if node.short:
                self._short[node.short.replace(" ", "")].append(node.match(node.entity.name, 0, is_short=True))

    def named(self, name: str) -> list[NameMatch]:
        return best_per_entity(self._named.get(normalise(name), ()))[:MAX_EXACT_MATCHES]

    def by_short_name(self, name: str) -> list[NameMatch]:
        found = best_per_entity(self._short.get(normalise(name).replace(" ", ""), ()))
        return found if len(found) <= MAX_ENTITIES_PER_SHORT_NAME else []


def _in_all(found: Sequence[Sequence[_Node]], limit: int) -> list[_Node]:
    """Return the nodes that all queries found, ignoring queries that reached the limit and may have missed nodes."""
    first, *others = [nodes for nodes in found if len(nodes) < limit] or found[:1]
    keys = [{node[1] for node in nodes} for nodes in others]
    return [node for node in first if all(node[1] in some for some in keys)]


def _similar_matches(asked: str, nodes: Sequence[_NamedNode]) -> list[NameMatch]:
    """Return the closest matches, excluding nodes with exactly this name and ambiguous short names."""
    near = [match for node in nodes if asked not in node.names for match in node.similar_matches(asked)]
    frequency = Counter(node.short for node in nodes)
    ambiguous = {short for short, number in frequency.items() if number > MAX_ENTITIES_PER_SHORT_NAME}
    clear = (m for m in near if not (m.is_short and short_name(m.name, normalise(m.name)) in ambiguous))
    return best_per_entity(clear)[:MAX_SIMILAR_MATCHES]
