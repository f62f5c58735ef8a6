"""List, remove, back up, and restore graph files: `kgqa graphs`, `remove`, `backup`, and `restore`."""

from datetime import datetime
from pathlib import Path
from typing import Annotated

import typer

from graph.opening import is_file_graph
from graph.sqlite.connection import summarise_file
from kgqa.console import err, out, print_table
from kgqa.status import model_state
from language.english.morphology import counted
from services.instances import running_instances
from shared.errors import InvalidInputError, KGQAError, NotFoundError
from shared.paths import graph_file, graph_names, retriever_folder

Graph = Annotated[str, typer.Argument(help="Name of an imported graph.")]


def graphs() -> None:
    """List the graph files, what they hold, and their models."""
    if not is_file_graph():
        err.print("KGQA_NEO4J_URL is set, so kgqa up serves that database; these are graph files")
    names = graph_names()
    if not names:
        err.print("there are no graphs; load one with: kgqa import FILE --graph NAME")
        return
    running = [instance for _, instance in running_instances() if instance.is_file]
    ports = {graph: str(instance.port) for instance in running for graph in instance.graphs}
    head = ("graph", "entities", "triples", "size", "imported", "port", "model")
    print_table(head, (_row(name, ports.get(name, "")) for name in names))


def _row(name: str, port: str) -> tuple[str, ...]:
    file = graph_file(name)
    state = file.stat()
    imported = f"{datetime.fromtimestamp(state.st_mtime):%Y-%m-%d %H:%M}"
    size = f"{state.st_size / 1e6:,.1f} MB"
    try:
        found = summarise_file(file)
    except KGQAError as error:
        return (name, "?", "?", size, imported, port, error.detail)
    model = model_state(name, retriever_folder(name), is_file=True)
    return (name, f"{found.entities:,}", f"{found.triples:,}", size, imported, port, model)


def remove(
    graph: Graph, yes: Annotated[bool, typer.Option("--yes", help="Do not ask before anything is removed.")] = False
) -> None:
    """Remove a graph file with all that belongs to it, after asking. Back it up first with: kgqa backup

    These are its index, its models, its feedback, its meaning file, and its trusted and confirmed questions.
    """
    from ingestion.graph_archive import check_removable
    from ingestion.graph_archive import remove as remove_graph

    for _, instance in running_instances():
        if graph in instance.graphs:
            raise InvalidInputError(f"kgqa up serves {graph} on port {instance.port}; stop it first")
    places = check_removable(graph)
    if not yes:
        for place in places:
            err.print(f"to be removed: {place}")
        if not typer.confirm(f"Remove the graph {graph} with all of these?"):
            raise typer.Exit(1)
    for place in remove_graph(graph):
        err.print(f"removed {place}")
    err.print(f"removed {graph}")


def backup(
    graph: Graph,
    file: Annotated[Path | None, typer.Argument(help="Archive to write. [default: GRAPH.kgqa.tar.gz]")] = None,
) -> None:
    """Write a graph file with its models, feedback, meaning file, and trusted and confirmed questions to one archive.

    Its index and API keys are not part of it.
    """
    from ingestion.graph_archive import back_up

    if not is_file_graph() and not graph_file(graph).is_file():
        raise NotFoundError("graphs in Neo4j are backed up with Neo4j's own tools: neo4j-admin database dump")
    target = file or Path(f"{graph}.kgqa.tar.gz")
    manifest = back_up(graph, target)
    size = target.stat().st_size / 1e6
    out.print(f"{target}: {counted(len(manifest.files), 'file')} of the graph {graph}, {size:,.1f} MB")


def restore(
    file: Annotated[Path, typer.Argument(help="Archive that kgqa backup wrote.")],
    graph: Annotated[str | None, typer.Option(help="Name of the restored graph. [default: its own]")] = None,
    replace: Annotated[
        bool, typer.Option("--replace", help="Replace the graph of that name, with all that belongs to it.")
    ] = False,
) -> None:
    """Restore a graph from an archive, which is checked before anything changes. A running kgqa up picks it up."""
    from ingestion.graph_archive import restore as restore_graph

    name, found = restore_graph(file, graph, replace)
    out.print(
        f"restored {name}: {counted(found.entities, 'entity')}, {counted(found.triples, 'triple')}; "
        + model_state(name, retriever_folder(name), is_file=True)
    )
