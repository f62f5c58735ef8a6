"""Index the triples of a graph: `kgqa index`."""

from graph.opening import indexed_file, is_file_graph
from kgqa.console import err, interrupted_by_signals, progress_bar
from kgqa.options import ChosenGraph
from kgqa.running import chosen_graph
from shared.paths import index_file, snapshot_file
from shared.settings import load_settings


def index(graph: ChosenGraph = None) -> None:
    """Index the triples of a graph for the strategy dense. A running kgqa up sees the index within seconds.

    With KGQA_NEO4J_URL, a snapshot of the database is read first, and kept under KGQA_HOME. Answers come from the
    database itself, but relationships that are newer than the index are not found; run this again from time to time.
    """
    from training.dense.triple_index import index_graph

    graph = chosen_graph(graph)
    with interrupted_by_signals():
        if not is_file_graph():
            _read_database(graph)
        with progress_bar("indexing triples", "the old index, if any, is unchanged") as advance:
            is_new = index_graph(graph, advance)
    file = index_file(indexed_file(graph))
    said = f"wrote {file}, {file.stat().st_size / 1e6:,.1f} MB" if is_new else f"{file} is up to date"
    err.print(said)


def _read_database(graph: str) -> None:
    """Replace the snapshot of a database."""
    from graph.neo4j.settings import Neo4jSettings
    from ingestion.neo4j_snapshot import import_database

    settings = load_settings(Neo4jSettings).of_graph(graph)
    with progress_bar(f"reading {graph} from Neo4j", "the old snapshot, if any, is unchanged") as advance:
        import_database(settings, snapshot_file(graph), advance)
