"""The production graph store: a Neo4j as its owner keeps it, only read here."""

import asyncio
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Hashable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

from shared.errors import RefusedError
from shared.graph.neo4j import names as naming
from shared.graph.neo4j import steps as stepping
from shared.graph.neo4j import walk as walking
from shared.graph.neo4j.connection import Connection, TookTooLongError
from shared.graph.neo4j.cypher import identifier, name_of
from shared.graph.neo4j.full_text import exactly, similar, similar_pairs, together_in_few
from shared.graph.neo4j.query_cache import Remembered
from shared.graph.neo4j.settings import Neo4jSettings
from shared.graph.store import Entity, NameMatch, PathWalk, RelationPath, WalkRule

_Key = TypeVar("_Key", bound=Hashable)
_Answer = TypeVar("_Answer")

_SECONDS_FOR_A_SCAN = 120.0
_SECONDS_TO_PLAN = 60.0
_PLANNED_HOPS = 3
# Misspelt names are looked up in as many words of the index; a long question has a hundred of them.
_LOOKUPS_A_QUERY = 8
# A long question has more queries than that; it leaves some of the connection's room, and of the loop's, to others.
_FEW_QUERIES, _FEW_AT_ONCE, _WRITTEN_AT_ONCE = 16, 2, 100
# Names and paths; every question has words of others.
_MOST_REMEMBERED = 50_000
# Of each name: longer names that hold its words are found, too, and left out afterwards.
_MOST_FOUND = 100
_MOST_FOUND_FOR_SHORT = 400
_MANY = 5_000

_RELATIONS = "CALL db.relationshipTypes() YIELD relationshipType AS type RETURN type ORDER BY type"
_INDEX = """
SHOW FULLTEXT INDEXES YIELD name, state, options WHERE name = $index
RETURN state, options.indexConfig["fulltext.analyzer"] AS analyzer
"""
_STOP_WORDS = """
CALL db.index.fulltext.listAvailableAnalyzers() YIELD analyzer, stopwords WHERE analyzer = $analyzer RETURN stopwords
"""
_USED_PROPERTIES = "CALL db.propertyKeys() YIELD propertyKey AS name WHERE name IN $names RETURN name"
_ANY_NAME = f"MATCH (n) WHERE {name_of('n')} IS NOT NULL RETURN 1 AS one LIMIT 1"
_OF_EACH_KIND = f"""
MATCH (n) WHERE {name_of("n")} IS NOT NULL
WITH n, COLLECT {{ MATCH (n)-[r]->() WITH DISTINCT type(r) AS t RETURN t ORDER BY t }} AS after,
    COLLECT {{ MATCH (n)<-[r]-() WITH DISTINCT type(r) AS t RETURN t ORDER BY t }} AS before
WITH after, before, collect(n)[..$most] AS nodes
UNWIND range(0, size(nodes) - 1) AS turn
WITH turn, nodes[turn] AS n ORDER BY turn, elementId(n) LIMIT $most
RETURN elementId(n) AS id, toStringOrNull({name_of("n")}) AS name
"""


class Neo4jGraphStore:
    """A `GraphStore` over one database.

    Every call is one managed read transaction with one query, whose text is the same for all questions; everything
    that differs, relation types among it, is a parameter.
    """

    def __init__(self, settings: Neo4jSettings) -> None:
        """Connects when it is first asked. Raises InvalidInputError for a URL that is none."""
        self._settings = settings
        self._connection = Connection(settings)
        self._planning: asyncio.Task[None] | None = None
        self._planned_for: tuple[str, ...] = ()
        self._types: Remembered[str, tuple[str, ...]] = Remembered(1)
        self._ignored: Remembered[str, frozenset[str]] = Remembered(1)
        self._named: Remembered[str, list[NameMatch]] = Remembered(_MOST_REMEMBERED)
        self._like: Remembered[str, list[NameMatch]] = Remembered(_MOST_REMEMBERED)
        self._short: Remembered[str, list[NameMatch]] = Remembered(_MOST_REMEMBERED)
        self._steps: Remembered[tuple[Entity, RelationPath], frozenset[str]] = Remembered(_MOST_REMEMBERED)

    async def version(self) -> str:
        """The last transaction that the database was seen to have committed, whatever it changed."""
        await self._connection.listen()
        return self._connection.seen()

    async def relations(self) -> tuple[str, ...]:
        """All relationship types that the database knows, also those that it has no relationships of any more."""
        return tuple(row["type"] for row in await self._connection.query(_RELATIONS, {}))

    async def entities_named(self, names: Sequence[str]) -> list[list[NameMatch]]:
        """For each name at most 50 entities: own names before aliases, then by degree, then by name."""
        return await self._recalled(self._named, names, self._ask_named)

    async def _ask_named(self, names: Sequence[str]) -> list[list[NameMatch]]:
        known = await self._known(names, _MOST_FOUND)
        return [known.named(name) for name in names]

    async def entities_like(self, names: Sequence[str]) -> list[list[NameMatch]]:
        """For each name at most five entities within 1 (from 4 letters) or 2 (from 8 letters) slips, closest first."""
        return await self._recalled(self._like, names, self._ask_like)

    async def _ask_like(self, names: Sequence[str]) -> list[list[NameMatch]]:
        """Names of three words and more are among what their pairs of words find, unless that is cut off."""
        ignored = await self._stop_words()
        queries = {name: similar_pairs(name, ignored) or [similar(name, ignored)] for name in names}
        found = await self._found(dict.fromkeys(query for several in queries.values() for query in several))
        for name, several in queries.items():
            if len(several) > 1 and all(len(found[query]) >= _MOST_FOUND for query in several):
                queries[name] = [similar(name, ignored)]
        found |= await self._found(query for several in queries.values() for query in several if query not in found)
        similarity, matches = naming.Similar(), []
        for name in names:
            await asyncio.sleep(0)  # a name may have to be compared with hundreds of nodes
            nodes = naming.in_all([found[query] for query in queries[name]], _MOST_FOUND)
            matches.append(similarity.matches(name, nodes))
        return matches

    async def _found(self, queries: Iterable[str]) -> dict[str, list[naming.Node]]:
        """The nodes that each query finds."""
        listed = list(queries)
        found: dict[str, list[naming.Node]] = {query: [] for query in listed}
        for node in await self._looked_up(listed, _MOST_FOUND):
            found[listed[node[0]]].append(node)
        return found

    async def entities_for_short(self, names: Sequence[str]) -> list[list[NameMatch]]:
        """For each name up to eight entities, by degree."""
        return await self._recalled(self._short, names, self._ask_short)

    async def _ask_short(self, names: Sequence[str]) -> list[list[NameMatch]]:
        known = await self._known(names, _MOST_FOUND_FOR_SHORT)
        return [known.in_short(name) for name in names]

    async def steps_after(self, starts: Sequence[tuple[Entity, RelationPath]]) -> list[frozenset[str]]:
        """For each pair, the steps that lead on from the first 10,000 entities at its end."""
        return await self._recalled(self._steps, starts, self._ask_steps)

    async def _ask_steps(self, starts: Sequence[tuple[Entity, RelationPath]]) -> list[frozenset[str]]:
        types = await self._relation_types()
        text = stepping.steps_text(max(len(path) for _, path in starts), types)
        return stepping.found_steps(starts, await self._connection.query(text, stepping.parameters(starts, types)))

    async def entities_of_each_kind(self, most: int) -> list[Entity]:
        """Entities in turns of one a kind, within a kind by their ids."""
        rows = await self._connection.query(_OF_EACH_KIND, {"most": most, **self._names()}, _SECONDS_FOR_A_SCAN)
        return [Entity(row["id"], row["name"]) for row in rows if row["name"]]

    async def walk(
        self, starts: Sequence[tuple[Entity, RelationPath]], rule: WalkRule, limit: int = 1000
    ) -> list[PathWalk]:
        """Walk each relation path; answers and reasoning paths come in the order of the imported files.

        In a graph that was not imported they come in an order that stays the same. Where the walks take too long
        together, each is walked by itself, as long as there is time.
        """
        if not starts:
            return []
        text = walking.walks_text(max(len(path) for _, path in starts))
        try:
            rows = await self._connection.query(text, walking.parameters(starts, rule, limit) | self._names())
        except TookTooLongError:
            return await self._walked_one_by_one(starts, rule, limit)
        return walking.walked(starts, rows, limit)

    async def ready(self) -> bool:
        """Whether the database answers, has the index that names are looked up in, and has planned what it is asked.

        To plan a text that it has not seen takes it longer than a question may take.
        """
        rows = await self._connection.query(_INDEX, {"index": self._settings.names_index})
        if [row["state"] for row in rows] != ["ONLINE"]:
            return False
        types = await self._relation_types()
        failed = self._planning is not None and self._planning.done() and self._planning.exception() is not None
        if self._planning is None or failed or types != self._planned_for:
            self._planning, self._planned_for = asyncio.create_task(self._plan(types)), types
        await asyncio.shield(self._planning)
        return True

    async def check(self) -> None:
        """Raise RefusedError for a wrong password, a missing index, or name properties that no node has."""
        await self._stop_words()
        used = await self._connection.query(_USED_PROPERTIES, self._names())
        if used:
            try:
                named = await self._connection.query(_ANY_NAME, self._names())
            except TookTooLongError:
                return  # in a database as large as that, they are further behind
            if named:
                return
        names, database = ", ".join(self._settings.name_properties), self._settings.database
        raise RefusedError(
            f"no node of the database {database!r} at {self._settings.shown_url} has the property {names}: set "
            "KGQA_NEO4J_NAME_PROPERTY to the property that holds the nodes' names"
        )

    async def close(self) -> None:
        """Close all connections."""
        if self._planning:
            self._planning.cancel()
        await self._connection.close()

    async def _plan(self, types: Sequence[str]) -> None:
        """Ask everything that a question asks, about a node that is not there."""
        nobody, seconds = Entity("none", ""), _SECONDS_TO_PLAN
        ignored = await self._stop_words()
        await self._looked_up([exactly("none", ignored)], _MOST_FOUND, seconds)
        await self._looked_up_among_many({"none": exactly("none", ignored)}, _MOST_FOUND, seconds)
        for hops in range(_PLANNED_HOPS):
            starts = [(nobody, ("none",) * hops)]
            await self._connection.query(stepping.steps_text(hops, types), stepping.parameters(starts, types), seconds)
        for hops in range(1, _PLANNED_HOPS + 1):
            parameters = walking.parameters([(nobody, ("none",) * hops)], WalkRule("walk", False), 1)
            await self._connection.query(walking.walks_text(hops), parameters | self._names(), seconds)

    async def _walked_one_by_one(
        self, starts: Sequence[tuple[Entity, RelationPath]], rule: WalkRule, limit: int
    ) -> list[PathWalk]:
        deadline = time.monotonic() + self._settings.seconds_allowed
        walks = []
        for topic, path in starts:
            parameters = walking.parameters([(topic, path)], rule, limit) | self._names()
            try:
                seconds = deadline - time.monotonic()
                if seconds <= 0:
                    raise TookTooLongError("no time is left to walk the other paths")
                rows = await self._connection.query(walking.typed_text(path), parameters, seconds)
                walks += walking.walked([(topic, path)], rows, limit)
            except TookTooLongError:
                walks.append(PathWalk(topic, path, (), truncated=False, unfinished=True))
        return walks

    async def _known(self, names: Sequence[str], most: int) -> naming.Known:
        """What bears any of these names, or a longer one.

        Few nodes have two words of a question in their names, so all names of several words are one query. Only where
        it finds so many that some may be missing are they asked one by one.
        """
        ignored = await self._stop_words()
        queries: dict[str, str] = {}
        for number, name in enumerate(names):
            queries[name] = exactly(name, ignored)
            if number % _WRITTEN_AT_ONCE == _WRITTEN_AT_ONCE - 1:
                await asyncio.sleep(0)
        alone = [name for name in queries if " " not in name]
        several = [query for name, query in queries.items() if " " in name and query]
        together = together_in_few(several)
        nodes = await self._looked_up([*together, *(queries[name] for name in alone)], most)
        found = Counter(node[0] for node in nodes)
        if any(found[number] >= most for number in range(len(together))):
            nodes += await self._looked_up(several, most)
        known = naming.Known(nodes)
        cut_off = [name for number, name in enumerate(alone, len(together)) if found[number] >= most]
        if missing := {name: queries[name] for name in cut_off if not known.named(name)}:
            return naming.Known(nodes + await self._looked_up_among_many(missing, most))
        return known

    async def _looked_up(self, queries: Sequence[str], most: int, seconds: float | None = None) -> list[naming.Node]:
        asked = [{"number": number, "text": text} for number, text in enumerate(queries) if text]
        parameters = {"most": most, **self._index()}
        portions = range(0, len(asked), _LOOKUPS_A_QUERY)
        turn = asyncio.Semaphore(_FEW_AT_ONCE if len(portions) > _FEW_QUERIES else _FEW_QUERIES)

        async def look_up(first: int) -> list[naming.Node]:
            some = asked[first : first + _LOOKUPS_A_QUERY]
            async with turn:
                [row] = await self._connection.query(naming.LOOKUP, {"queries": some, **parameters}, seconds)
            return list(row["nodes"])

        found = await asyncio.gather(*map(look_up, portions))
        return [node for nodes in found for node in nodes]

    async def _looked_up_among_many(
        self, queries: Mapping[str, str], most: int, seconds: float | None = None
    ) -> list[naming.Node]:
        asked = [{"number": n, "name": name, "text": text} for n, (name, text) in enumerate(queries.items())]
        parameters = {"queries": asked, "most": most, "many": _MANY, **self._index()}
        [row] = await self._connection.query(naming.LOOKUP_AMONG_MANY, parameters, seconds)
        return list(row["nodes"])

    async def _stop_words(self) -> frozenset[str]:
        """Words that the index leaves out; raises RefusedError where there is no such index."""
        [words] = await self._recalled(self._ignored, [self._settings.names_index], self._ask_stop_words)
        return words

    async def _ask_stop_words(self, _: Sequence[str]) -> list[frozenset[str]]:
        rows = await self._connection.query(_INDEX, {"index": self._settings.names_index})
        if not rows:
            names = ", ".join(f"n.{identifier(name)}" for name in self._settings.name_properties)
            raise RefusedError(
                f"Neo4j at {self._settings.shown_url} has no full-text index {self._settings.names_index!r}; make one: "
                f"CREATE FULLTEXT INDEX {identifier(self._settings.names_index)} FOR (n:LABEL) ON EACH "
                f"[{names}] OPTIONS {{indexConfig: "
                "{`fulltext.analyzer`: 'standard-folding'}}, or name yours in KGQA_NEO4J_NAMES_INDEX"
            )
        found = await self._connection.query(_STOP_WORDS, {"analyzer": rows[0]["analyzer"]})
        return [frozenset(word for row in found for word in row["stopwords"])]

    async def _relation_types(self) -> tuple[str, ...]:
        async def ask(_: Sequence[str]) -> list[tuple[str, ...]]:
            return [await self.relations()]

        [types] = await self._recalled(self._types, ["types"], ask)
        return types

    async def _recalled(
        self,
        memory: Remembered[_Key, _Answer],
        keys: Sequence[_Key],
        ask: Callable[[Sequence[_Key]], Awaitable[list[_Answer]]],
    ) -> list[_Answer]:
        """From memory as far as possible, of what the database was like a second ago at the most."""
        await self._connection.listen()
        return await memory.of(keys, self._connection.seen, ask)

    def _index(self) -> dict[str, Any]:
        index, aliases = self._settings.names_index, self._settings.aliases_property
        return {"index": index, "aliases": aliases, **self._names()}

    def _names(self) -> dict[str, list[str]]:
        return {"names": self._settings.name_properties}
