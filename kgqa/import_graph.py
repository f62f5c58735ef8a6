"""Load facts into a graph: `kgqa import`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer
from rich.markup import escape

from kgqa.console import out, progress_bar
from kgqa.options import GraphName
from shared.errors import InvalidInputError
from shared.paths import DEMO_GRAPH, graph_file
from shared.settings import load_settings

if TYPE_CHECKING:
    from ingestion.importer import ImportReport


def import_graph(
    files: Annotated[list[Path], typer.Argument(help="TSV, CSV, or N-Triples files; plain, .gz, or .xz.")],
    graph: GraphName,
    to: Annotated[
        Literal["file", "neo4j"],
        typer.Option(help="neo4j: also copy the graph into the database at KGQA_NEO4J_URL."),
    ] = "file",
) -> None:
    """Load facts into a graph, and replace any graph of the same name. If a line is invalid, nothing changes."""
    from ingestion.importer import import_files

    target = graph_file(graph)
    is_replaced = target.is_file()
    with progress_bar(f"importing {graph}", "the graph is unchanged") as advance:
        report = import_files(files, target, advance)
    _show(graph, report)
    if is_replaced:
        out.print("replaced the existing graph of that name; if kgqa up is running, restart it to serve the new graph")
        if graph == DEMO_GRAPH:
            out.print(f"it was the demo graph; to let kgqa up restore it, run: rm {escape(str(target))}")
    if to == "neo4j":
        _copy_to_neo4j(graph)


def _show(graph: str, report: "ImportReport") -> None:
    triples, relations = _counted(report.triples, "triple"), _counted(report.relations, "relation")
    entities, aliases = _counted(report.entities, "entity", "entities"), _counted(report.aliases, "alias", "aliases")
    duplicates = _counted(report.duplicates, "duplicate line")
    counts = f"{triples}, {entities}, {relations}, {aliases}; {duplicates} left out"
    out.print(f"{escape(graph)}: {counts}; {report.seconds:.1f} s")
    if report.unused_names:
        out.print(f"left out {_counted(report.unused_names, 'name')} of entities that no fact mentions")
    if report.cleaned_names:
        out.print(f"removed invisible characters from {_counted(report.cleaned_names, 'name')}")


def _counted(number: int, noun: str, plural: str = "") -> str:
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def _copy_to_neo4j(graph: str) -> None:
    """Copy a graph into the configured database; raise InvalidInputError if none is configured."""
    from ingestion.neo4j import copy_to_neo4j
    from shared.graph.neo4j.settings import Neo4jSettings

    settings = load_settings(Neo4jSettings)
    if settings.url is None:
        raise InvalidInputError(
            "KGQA_NEO4J_URL is not set; set it to a URL such as bolt://127.0.0.1:7687, and set KGQA_NEO4J_PASSWORD"
        )
    with progress_bar(f"copying {graph} to Neo4j", "run the same command again to resume") as advance:
        is_new = copy_to_neo4j(graph_file(graph), settings, advance)
    where = f"{settings.shown_url}, database {settings.database}"
    out.print(f"{escape(graph)} is in Neo4j: {escape(where)}" + ("" if is_new else "; it was already there"))
