"""The program `kgqa`: each command checks its words, calls the room that does the work, and shows what came back.

Exit codes: 0 done, 1 failed (one line on stderr says why), 2 used wrongly, 3 the question has no answer in the graph.
"""

import asyncio
import os
import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from kgqa.commands.common import GraphName
from kgqa.commands.convert import convert
from kgqa.commands.corpus import corpus
from kgqa.commands.evaluate import evaluate
from kgqa.commands.train import train
from kgqa.console import DEFAULT_URL, err, out, progress_bar, stoppable
from shared import __version__
from shared.contracts import KnowledgeFormat
from shared.errors import KGQAError

app = typer.Typer(
    help="Answers questions in plain language from your knowledge graph, with evidence.\n\n"
    'Start with: kgqa up, and in another terminal: kgqa ask "Which countries border France?"',
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.add_typer(train, name="train")
app.add_typer(corpus, name="corpus")
app.add_typer(convert, name="convert")
app.command()(evaluate)

NO_ANSWER = 3


class Store(StrEnum):
    """Where a graph goes."""

    FILE = "file"
    NEO4J = "neo4j"


def _print_version(is_requested: bool) -> None:
    if is_requested:
        sys.stdout.write(f"kgqa {__version__}\n")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Handle the options that precede a command."""


@app.command()
def up(
    graph: GraphName = "world",
    retriever: Annotated[
        Path | None, typer.Option(help="Trained retriever folder. [default: the graph's own under KGQA_HOME]")
    ] = None,
) -> None:
    """Start the three services (and the embedded language model) on loopback; Ctrl-C stops all."""
    from kgqa.up import run_until_stopped

    run_until_stopped(graph, retriever)


@app.command()
def ask(
    question: Annotated[str, typer.Argument(help="A question in plain language.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print the whole response as JSON.")] = False,
    topic: Annotated[str | None, typer.Option(help="The entity that the question is about, if you know it.")] = None,
    knowledge: Annotated[
        KnowledgeFormat, typer.Option("--format", help="How evidence is put before the model.")
    ] = KnowledgeFormat.TEXT,
    url: Annotated[str, typer.Option(envvar="KGQA_URL", help="The answerer to ask.")] = DEFAULT_URL,
) -> None:
    """Ask the running services a question. Exit code 3: the graph has no answer."""
    from kgqa.ask import ask_service, show_answer

    response = asyncio.run(ask_service(url, question, topic, knowledge))
    if as_json:
        sys.stdout.write(response.model_dump_json(indent=2) + "\n")
    else:
        show_answer(response)
    if response.abstained:
        raise typer.Exit(NO_ANSWER)


@app.command("import")
def import_graph(
    files: Annotated[list[Path], typer.Argument(help="TSV, CSV or N-Triples files; .gz and .xz are fine.")],
    graph: GraphName,
    to: Annotated[
        Store, typer.Option(help="neo4j: copy the graph into the database of KGQA_NEO4J_URL, too.")
    ] = Store.FILE,
) -> None:
    """Load facts into a graph, replacing it if it exists. A bad line leaves everything as it was."""
    from ingestion.importer import import_files
    from kgqa.demo import DEMO_GRAPH
    from shared.paths import graph_file

    target = graph_file(graph)
    replaced = target.is_file()
    with stoppable("the graph is as it was"), progress_bar(f"importing {graph}") as advance:
        report = import_files(files, target, advance)
    out.print(
        f"{escape(graph)}: {report.triples:,} triples, {report.entities:,} entities, {report.relations:,} relations, "
        f"{report.aliases:,} aliases; {report.duplicates:,} repeated lines left out; {report.seconds:.1f} s"
    )
    if report.unused_names:
        out.print(f"{report.unused_names:,} names of entities that no fact mentions left out")
    if report.cleaned_names:
        out.print(f"invisible characters removed from {report.cleaned_names:,} name{'s' * (report.cleaned_names > 1)}")
    if replaced:
        out.print("the graph of that name is replaced; a running kgqa up serves the old one until started anew")
        if graph == DEMO_GRAPH:
            out.print(f"it was the demo; to have it back: rm {escape(str(target))}")
    if to is Store.NEO4J:
        from kgqa.neo4j import copy_graph

        copy_graph(graph)


def main() -> None:
    """Run a command; every expected failure is one line on stderr and exit code 1."""
    try:
        app()
    except KGQAError as error:
        err.print(f"kgqa: {escape(error.detail)}")
        sys.exit(1)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except OSError as error:
        err.print(f"kgqa: {escape(str(error))}")
        sys.exit(1)
