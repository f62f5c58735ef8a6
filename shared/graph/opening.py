"""Which graph store is used: decided by the environment alone."""

from shared.graph.neo4j.settings import Neo4jSettings
from shared.graph.sqlite.store import SqliteGraphStore
from shared.graph.store import GraphStore
from shared.paths import graph_file
from shared.settings import load_settings


def open_graph(name: str, seconds_allowed: float | None = None) -> GraphStore:
    """The Neo4j of `KGQA_NEO4J_URL` where that is set, else the graph file of this name under KGQA_HOME.

    `seconds_allowed` for each call, by default what suits serving. Raises NotFoundError or InvalidInputError for a file
    that is missing or damaged, or settings that are wrong.
    """
    settings = load_settings(Neo4jSettings)
    if settings.url:
        from shared.graph.neo4j.store import Neo4jGraphStore  # the driver is installed only where it is needed

        allowed = seconds_allowed or settings.seconds_allowed
        return Neo4jGraphStore(settings.model_copy(update={"seconds_allowed": allowed}))
    file = graph_file(name)
    return SqliteGraphStore(file, seconds_allowed) if seconds_allowed else SqliteGraphStore(file)


def is_file_graph() -> bool:
    """Whether graphs are files of this machine."""
    return load_settings(Neo4jSettings).url is None
