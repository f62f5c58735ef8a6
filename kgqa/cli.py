"""Assemble the program `kgqa` from one file per command.

Each command parses its options, calls one function, and prints the result.

Exit codes: 0 for success, 1 for a failure (one line on stderr gives the reason), 2 for a usage error, 3 if the graph
has no answer, and 130 after Ctrl-C.
"""

import logging
import os
import sys
from typing import Annotated

import typer

from kgqa.ask import ask
from kgqa.confirm import confirm
from kgqa.console import err
from kgqa.convert import convert
from kgqa.corpus import corpus
from kgqa.describe import describe
from kgqa.doctor import doctor
from kgqa.evaluate import evaluate
from kgqa.graphs import backup, graphs, remove, restore
from kgqa.guide import guide
from kgqa.import_graph import import_graph
from kgqa.index import index
from kgqa.keys import keys
from kgqa.label import label
from kgqa.logs import logs
from kgqa.mcp import mcp
from kgqa.replay import replay
from kgqa.schema import schema
from kgqa.status import status
from kgqa.train import train
from kgqa.trust import trust
from kgqa.up import up
from shared import __version__
from shared.errors import KGQAError
from shared.paths import home_problem

app = typer.Typer(
    help="Answer questions in plain language from your knowledge graph, with evidence.\n\n"
    'Start with: kgqa up, and in another terminal: kgqa ask "Which countries border France?"',
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # square brackets in help texts are not markup
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command()(up)
app.command()(ask)
app.command()(status)
app.command()(logs)
app.command()(doctor)
app.command("import")(import_graph)
app.command()(index)
app.command()(schema)
app.command()(describe)
app.add_typer(train, name="train")
app.command()(label)
app.command()(confirm)
app.add_typer(corpus, name="corpus")
app.add_typer(convert, name="convert")
app.command()(evaluate)
app.command()(replay)
app.command()(graphs)
app.command()(remove)
app.command()(backup)
app.command()(restore)
app.add_typer(keys, name="keys")
app.add_typer(trust, name="trust")
app.command()(mcp)
app.command()(guide)


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


def main() -> None:
    """Run a command; if it fails with an expected error, print one line on stderr and exit with code 1."""
    # The driver of Neo4j logs each attempt to connect; the error at the end says enough. Servers set up logging.
    logging.getLogger("neo4j").addHandler(logging.NullHandler())
    try:
        app()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except (KGQAError, OSError) as error:
        for line in f"kgqa: {_explained(error)}".split("\n"):
            err.print(line)
        sys.exit(1)


def _explained(error: KGQAError | OSError) -> str:
    """Return the message of an error, or what to do about the folder for graphs if that is the cause."""
    cause = error if isinstance(error, OSError) else error.__cause__
    problem = home_problem(cause) if isinstance(cause, OSError) else None
    return problem or (_of_file(error) if isinstance(error, OSError) else str(error))


def _of_file(error: OSError) -> str:
    """Return what is wrong with a file or folder, without the number of the error."""
    if not isinstance(error.filename, str | bytes) or not error.strerror:
        return str(error)
    advice = "; check the path" if isinstance(error, FileNotFoundError) else ""
    return f"{os.fsdecode(error.filename)}: {error.strerror[0].lower()}{error.strerror[1:]}{advice}"
