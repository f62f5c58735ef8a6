"""Choose the graph store according to the environment variables."""

from collections.abc import Collection
from pathlib import Path

from graph.neo4j.settings import Neo4jSettings
from graph.plan.property_types import PropertyTypeSettings
from graph.sqlite.store import SqliteGraphStore
from graph.store import GraphStore
from shared.errors import InvalidInputError
from shared.paths import DEMO_GRAPH, graph_file, graph_names, snapshot_file
from shared.settings import load_settings


def open_graph(name: str, seconds_allowed: float | None = None) -> GraphStore:
    """Open the Neo4j database at `KGQA_NEO4J_URL` if that is set, otherwise the graph file `name` under `KGQA_HOME`.

    `seconds_allowed` limits each query; the default suits serving. Raises NotFoundError if the graph file does not
    exist, and InvalidInputError if it is damaged or a setting is invalid.
    """
    settings, types = load_settings(Neo4jSettings), load_settings(PropertyTypeSettings).types
    if settings.url:
        from graph.neo4j.store import Neo4jGraphStore  # only installations that use Neo4j need the driver

        allowed = seconds_allowed or settings.seconds_allowed
        return Neo4jGraphStore(settings.of_graph(name).model_copy(update={"seconds_allowed": allowed}), types)
    file = graph_file(name)
    if seconds_allowed:
        return SqliteGraphStore(file, seconds_allowed, types=types)
    return SqliteGraphStore(file, types=types)


def is_file_graph() -> bool:
    """Return whether graphs are files on this machine rather than a Neo4j database."""
    return load_settings(Neo4jSettings).url is None


def known_graphs() -> list[str]:
    """Return the names of the graph files, or those that `KGQA_NEO4J_DATABASE` gives; none if any name will do."""
    return graph_names() if is_file_graph() else list(load_settings(Neo4jSettings).databases)


def indexed_file(graph: str) -> Path:
    """Return the graph file whose triples are indexed: the graph's own, or with Neo4j a snapshot of its database."""
    return graph_file(graph) if is_file_graph() else snapshot_file(graph)


def default_graph() -> str:
    """Return the name of the graph that commands use if none is named: the demo's, or with Neo4j the database's.

    Another name than the demo's keeps the demo's retriever and trusted questions away from other people's graphs.
    """
    settings = load_settings(Neo4jSettings)
    if settings.url is None:
        return DEMO_GRAPH
    return next(iter(settings.databases), settings.database)


def require_own_databases(graphs: Collection[str]) -> None:
    """Raise InvalidInputError if several graphs would be served from one Neo4j database because none is chosen."""
    settings = load_settings(Neo4jSettings)
    if settings.url and len(graphs) > 1 and not settings.databases:
        example = ",".join(f"{graph}=DATABASE" for graph in graphs)
        raise InvalidInputError(
            f"KGQA_NEO4J_DATABASE names one database for {len(graphs)} graphs; name one for each: {example}"
        )
