"""Read the names of all nodes from a database, page by page."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field

from graph.neo4j.connection import Connection, Row
from graph.neo4j.counts import count_matches
from graph.neo4j.cypher_text import quote
from graph.neo4j.naming import Naming, aliases_of, names_node
from graph.neo4j.settings import Neo4jSettings
from shared.errors import RefusedError
from shared.text import without_invisible

MAX_NODES = 5_000_000
_PAGE = 20_000
_SECONDS_PER_PAGE = 60.0
_MAX_LENGTH = 1_000

# A page has a single record, because the driver needs a tenth of a millisecond per record. A node with several labels
# is read with the label that names it.
_NAMES = f"""
WITH n SKIP $done LIMIT $page
WITH count(n) AS scanned, collect(n) AS nodes
RETURN scanned, COLLECT {{
    UNWIND nodes AS n
    WITH n, head([p IN $names WHERE {names_node("p", "n")} | p]) AS pair
    WHERE coalesce(pair.label, '') = $label
    RETURN [elementId(n), toStringOrNull(n[pair.key]), {aliases_of("n")}, COUNT {{ (n)--() }}]
}} AS nodes
"""

Progress = Callable[[int, int], None]


@dataclass(slots=True)
class NamedNodes:
    """Hold the named nodes of a database as columns; `aliases` holds positions, starting at 1, and other names.

    `fingerprint` changes with anything else here.
    """

    ids: list[str] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    degrees: list[int] = field(default_factory=list)
    aliases: list[tuple[int, str]] = field(default_factory=list)
    fingerprint: str = ""


class NameReader:
    """Read the names that a naming gives to the nodes of one database."""

    def __init__(self, connection: Connection, settings: Neo4jSettings, naming: Naming) -> None:
        self._connection = connection
        self._settings = settings
        self._naming = naming
        self._labels = list(dict.fromkeys(label for label, _ in naming.properties))

    async def count(self) -> int:
        """Return the number of nodes to read; raise RefusedError if they are too many."""
        total = sum(await count_matches(self._connection, list(map(_node, self._labels))))
        if total > MAX_NODES:
            raise self._too_many(total)
        return total

    async def read(self, progress: Progress) -> NamedNodes:
        """Read all names; `progress` receives the number of nodes read so far and the total."""
        total, before = await self.count(), 0
        found, digest = NamedNodes(), hashlib.sha256()
        for label in self._labels:
            done, scanned = 0, _PAGE
            while scanned == _PAGE:
                row = await self._page(label, done)
                digest.update(repr(row["nodes"]).encode(errors="replace"))
                _add(found, row)
                scanned = row["scanned"]
                done += scanned
                progress(before + done, max(total, before + done))
            before += done
        found.fingerprint = digest.hexdigest()
        return found

    async def _page(self, label: str, done: int) -> Row:
        parameters = {"done": done, "page": _PAGE, "label": label, **self._naming.parameters()}
        [row] = await self._connection.query(f"MATCH {_node(label)} {_NAMES}", parameters, _SECONDS_PER_PAGE)
        return row

    def _too_many(self, count: int) -> RefusedError:
        pairs = self._naming.of_others
        labels = "|".join(sorted({quote(label) for label, _ in pairs if label})) or "LABEL"
        keys = ", ".join(sorted({f"n.{quote(key)}" for _, key in pairs}))
        return RefusedError(
            f"Neo4j at {self._settings.shown_url} has {count:,} nodes with names, but kgqa indexes at most "
            f"{MAX_NODES:,} itself; create a full-text index with CREATE FULLTEXT INDEX "
            f"{quote(self._settings.names_index)} FOR (n:{labels}) ON EACH [{keys}] OPTIONS {{indexConfig: "
            "{`fulltext.analyzer`: 'standard-folding'}}",
            "the graph has too many names to be searched without a full-text index; the administrator must create one",
        )


def _node(label: str) -> str:
    return f"(n:{quote(label)})" if label else "(n)"


def _add(found: NamedNodes, row: Row) -> None:
    for id_, text, aliases, degree in row["nodes"]:
        if not (name := _clean(text)):
            continue
        found.ids.append(id_)
        found.names.append(name)
        found.degrees.append(degree)
        listed = aliases if isinstance(aliases, list) else [aliases]
        others = dict.fromkeys(_clean(alias) for alias in listed)
        found.aliases += ((len(found.ids), other) for other in others if other and other != name)


def _clean(text: object) -> str:
    """Write a name on one line, as imports do; return an empty string for what is not a name."""
    if not isinstance(text, str) or len(text) > _MAX_LENGTH:
        return ""
    return without_invisible(" ".join(text.split()))
