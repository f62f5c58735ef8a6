"""The program `kgqa`: each command checks its words, calls the room that does the work, and shows what came back.

Exit codes: 0 done, 1 failed (one line on stderr says why), 2 used wrongly, 3 the question has no answer in the graph.
"""

import asyncio
import os
import sys
from collections import Counter
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from kgqa.commands.common import GraphName
from kgqa.commands.convert import convert
from kgqa.commands.corpus import corpus
from kgqa.commands.train import train
from kgqa.console import DEFAULT_URL, err, out, progress_bar, stoppable
from shared.contracts import DEFAULT_BEAM, DEFAULT_MAX_PATHS, MAX_BEAM, MAX_MAX_PATHS, KnowledgeFormat
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

NO_ANSWER = 3


class Topic(StrEnum):
    """Where an evaluation takes the topic entity from."""

    GIVEN = "given"
    LINKED = "linked"


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
) -> None:
    """Load facts into a graph, replacing it if it exists. A bad line leaves everything as it was."""
    from kgqa.demo import DEMO_GRAPH
    from shared.graph.importing.importer import import_files
    from shared.home import graph_file

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
    if replaced:
        out.print("the graph of that name is replaced; a running kgqa up serves the old one until started anew")
        if graph == DEMO_GRAPH:
            out.print(f"it was the demo; to have it back: rm {escape(str(target))}")


@app.command()
def evaluate(
    graph: GraphName,
    questions: Annotated[Path, typer.Option(help="Test questions, JSON Lines.")],
    report: Annotated[Path, typer.Option(help="Where to write the figures as JSON.")],
    retriever: Annotated[
        Path | None, typer.Option(help="Trained retriever folder. [default: the graph's own under KGQA_HOME]")
    ] = None,
    topic: Annotated[Topic, typer.Option(help="Take the topic entity from the file, or link it.")] = Topic.GIVEN,
    knowledge: Annotated[
        KnowledgeFormat, typer.Option("--format", help="How evidence is put before the model.")
    ] = KnowledgeFormat.TEXT,
    answerer: Annotated[bool, typer.Option(help="Ask the QA model too, or measure retrieval alone.")] = True,
    beam: Annotated[int, typer.Option(min=1, max=MAX_BEAM, help="K: relation paths kept at every hop.")] = DEFAULT_BEAM,
    max_paths: Annotated[
        int, typer.Option(min=1, max=MAX_MAX_PATHS, help="M: reasoning paths that make the evidence.")
    ] = DEFAULT_MAX_PATHS,
    threshold: Annotated[
        float | None,
        typer.Option(min=0.0, max=1.0, help="Abstain below this confidence. [default: the model's own]"),
    ] = None,
    errors: Annotated[
        Path | None, typer.Option(help="Where to write the questions that went wrong, and why, as JSON Lines.")
    ] = None,
) -> None:
    """Measure a retriever, and the QA model's text, on questions with gold answers."""
    from evaluation.evaluate import EvaluateOptions
    from evaluation.evaluate import evaluate as run
    from evaluation.report import table_rows
    from kgqa.tables import print_table
    from shared.home import retriever_folder

    folder = retriever or retriever_folder(graph)
    options = EvaluateOptions(graph, folder, questions, topic.value, knowledge, answerer, beam, max_paths, threshold)
    for name, file in (("--report", report), ("--errors", errors)):
        if file and not file.parent.is_dir():
            raise typer.BadParameter(f"{file.parent} is not a folder", param_hint=name)
        if file and file.is_dir():
            raise typer.BadParameter(f"{file} is a folder; name a file in it", param_hint=name)
        if file and file.exists() and file.samefile(questions):
            raise typer.BadParameter("that is the file of questions", param_hint=name)
    with stoppable(f"{report} is not written"), progress_bar("asking") as advance:
        done = asyncio.run(run(options, advance))
    report.write_text(done.report.model_dump_json(indent=2) + "\n", encoding="utf-8")
    if errors:
        errors.write_text("".join(f"{wrong.model_dump_json()}\n" for wrong in done.mistakes), encoding="utf-8")
    print_table(("measure", "value"), table_rows(done.report))
    for why, count in Counter(wrong.why for wrong in done.mistakes).most_common():
        out.print(f"{count:,} wrong: {why}")


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
