"""Index the triples of a graph: `kgqa index`."""

from rich.markup import escape

from kgqa.console import err, interrupted_by_signals, progress_bar
from kgqa.options import ChosenGraph
from kgqa.running import chosen_graph
from shared.errors import InvalidInputError
from shared.graph.opening import is_file_graph
from shared.paths import index_file


def index(graph: ChosenGraph = None) -> None:
    """Index the triples of a graph file for the strategy dense. A running kgqa up sees the index at once."""
    from ingestion.triple_index import index_graph

    if not is_file_graph():
        raise InvalidInputError(
            "only graph files can be indexed, and KGQA_NEO4J_URL is set; unset it, "
            "and copy the database into a graph file with: kgqa import URL --graph NAME"
        )
    graph = chosen_graph(graph)
    with interrupted_by_signals(), progress_bar("indexing triples", "the old index, if any, is unchanged") as advance:
        is_new = index_graph(graph, advance)
    file = index_file(graph)
    said = f"wrote {file}, {file.stat().st_size / 1e6:,.1f} MB" if is_new else f"{file} is up to date"
    err.print(escape(said))
