"""`kgqa import --to neo4j`: copies a graph file into a Neo4j and shows how far it is."""

from rich.markup import escape

from kgqa.console import out, progress_bar, stoppable
from shared.errors import InvalidInputError
from shared.graph.neo4j.settings import Neo4jSettings
from shared.paths import graph_file
from shared.settings import load_settings


def copy_graph(graph: str) -> None:
    """Copy the graph file of this name into the database of the settings.

    Raises InvalidInputError without an address or for a database that holds something else, DependencyError if it does
    not answer.
    """
    from ingestion.neo4j import copy_to_neo4j

    settings = load_settings(Neo4jSettings)
    if settings.url is None:
        raise InvalidInputError(
            "KGQA_NEO4J_URL is not set; set it to the database, like bolt://127.0.0.1:7687, and KGQA_NEO4J_PASSWORD"
        )
    left = "the same command goes on from where it was"
    with stoppable(left), progress_bar(f"copying {graph} to Neo4j") as advance:
        is_new = copy_to_neo4j(graph_file(graph), settings, advance)
    where = f"{settings.shown_url}, database {settings.database}"
    out.print(f"{escape(graph)} is in Neo4j: {escape(where)}" + ("" if is_new else "; it was there already"))
