"""The program `kgqa`: each command checks its words, calls the room that does the work, and shows what came back.

Exit codes: 0 done, 1 failed (one line on stderr says why), 2 used wrongly, 3 the question has no answer in the graph.
"""

import asyncio
import os
import sys
from collections import Counter
from collections.abc import Iterable
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape

from kgqa.console import DEFAULT_URL, err, out, progress_bar, stoppable
from shared.contracts import DEFAULT_BEAM, DEFAULT_MAX_PATHS, MAX_BEAM, MAX_MAX_PATHS, KnowledgeFormat
from shared.errors import KGQAError

if TYPE_CHECKING:
    from evaluation.readers.written import ConvertedFile

app = typer.Typer(
    help="Answers questions in plain language from your knowledge graph, with evidence.\n\n"
    'Start with: kgqa up, and in another terminal: kgqa ask "Which countries border France?"',
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
train = typer.Typer(help="Train a part of the pipeline on your own graph and questions.", no_args_is_help=True)
convert = typer.Typer(help="Convert published data sets into kgqa's own formats.", no_args_is_help=True)
corpus = typer.Typer(help="Make what a rewriter learns from.", no_args_is_help=True)
app.add_typer(train, name="train")
app.add_typer(corpus, name="corpus")
app.add_typer(convert, name="convert")

GraphName = Annotated[str, typer.Option("--graph", help="Name of an imported graph.")]
NO_ANSWER = 3


class Mode(StrEnum):
    """How a retriever finds relation paths."""

    SERVED = "served"
    PAPER = "paper"


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


@train.command("retriever")
def train_retriever_command(
    graph: GraphName,
    questions: Annotated[
        Path | None,
        typer.Option(help="Questions with paths, or with topic and answers, JSON Lines. [default: the graph alone]"),
    ] = None,
    valid: Annotated[Path | None, typer.Option(help="Held-out questions. [default: a tenth of --questions]")] = None,
    to: Annotated[
        Path | None, typer.Option("--out", help="Folder to write. [default: where kgqa up looks for it]")
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of everything random.")] = 1,
    mode: Annotated[
        Mode, typer.Option(help="paper: the paper's own classifiers, to compare with; needs questions with paths.")
    ] = Mode.SERVED,
    encoder: Annotated[
        str | None,
        typer.Option(
            help="With --mode paper: a Hugging Face encoder's name or folder, or small, which learns from nothing. "
            "[default: MiniLM; small for other scripts than Latin]"
        ),
    ] = None,
) -> None:
    """Learn to find relation paths: from questions that tell them, from questions and answers, or from the graph alone.

    Takes up a training that was broken off where it was.
    """
    from kgqa.training import train_retriever_on

    if mode is Mode.PAPER and questions is None:
        raise typer.BadParameter(
            "this mode learns from questions with paths alone: name --questions", param_hint="--mode"
        )
    if mode is Mode.SERVED and encoder is not None:
        raise typer.BadParameter("only --mode paper takes another encoder", param_hint="--encoder")
    if to and to.exists() and not to.is_dir():
        raise typer.BadParameter(f"{to} is a file; name a folder for the model", param_hint="--out")
    train_retriever_on(graph, questions, valid, to, seed, mode.value, encoder)


@corpus.command("build")
def build_corpus_command(
    graph: GraphName,
    questions: Annotated[Path, typer.Option(help="Training questions with relation paths, JSON Lines.")],
    to: Annotated[Path, typer.Option("--out", help="File of pairs to write; beside it, a journal to go on from.")],
    llm_url: Annotated[str, typer.Option(help="An OpenAI-compatible server: its model writes the texts.")],
    llm_model: Annotated[str, typer.Option(help="The model's name there.")],
    qa_url: Annotated[
        str | None, typer.Option(help="The server of the model that must answer from the texts. [default: the same]")
    ] = None,
    qa_model: Annotated[str | None, typer.Option(help="The model's name there. [default: the same]")] = None,
    at_once: Annotated[int, typer.Option(min=1, max=64, help="Texts that are made side by side.")] = 8,
    prompt_price: Annotated[float, typer.Option(min=0.0, help="Price of a million tokens in prompts.")] = 0.0,
    completion_price: Annotated[float, typer.Option(min=0.0, help="Price of a million tokens in completions.")] = 0.0,
) -> None:
    """Let a language model word the facts behind training questions; keep the texts that answer them.

    Keys are read from KGQA_CORPUS_LLM_API_KEY and KGQA_CORPUS_QA_API_KEY. Goes on where it was broken off.
    """
    from kgqa.corpus import CorpusOptions, build_corpus

    if to.is_dir():
        raise typer.BadParameter(f"{to} is a folder; name a file in it", param_hint="--out")
    qa = (qa_url or llm_url, qa_model or llm_model)
    build_corpus(CorpusOptions(graph, questions, to, (llm_url, llm_model), qa, at_once, prompt_price, completion_price))


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


Source = Annotated[Path, typer.Argument(help="The folder that holds the data set as it was published.")]
Converted = Annotated[Path, typer.Option("--out", help="Folder to write the graph and the question files into.")]


@convert.command("metaqa")
def convert_metaqa_command(folder: Source, to: Converted) -> None:
    """MetaQA: graph.tsv, {1,2,3}-hop-{train,dev,test}.jsonl, the paraphrased ntm ones, and a split by template."""
    from evaluation.readers.metaqa import convert_metaqa

    _show(convert_metaqa(folder, to))


@convert.command("zjqa")
def convert_zjqa_command(folder: Source, to: Converted) -> None:
    """ZJQA (Chinese): graph.tsv and {train,valid,test}.jsonl, whichever the folder has."""
    from evaluation.readers.zjqa import convert_zjqa

    _show(convert_zjqa(folder, to))


@convert.command("pathquestion")
def convert_pathquestion_command(folder: Source, to: Converted) -> None:
    """PathQuestion: {2,3}-hop-graph.tsv and {2,3}-hop-seed{0..4}-{train,valid,test}.jsonl, dealt out 80/10/10."""
    from evaluation.readers.pathquestion import convert_pathquestion

    _show(convert_pathquestion(folder, to))


@convert.command("webqsp")
def convert_webqsp_command(folder: Source, to: Converted) -> None:
    """WebQSP: graph.tsv (what others published of Freebase for the test questions) and {train,valid,test}.jsonl."""
    from evaluation.readers.webqsp import convert_webqsp

    _show(convert_webqsp(folder, to))


@convert.command("webquestions")
def convert_webquestions_command(folder: Source, to: Converted) -> None:
    """WebQuestions: {train,dev,valid,test}.jsonl with the names of the topics; there is no graph."""
    from evaluation.readers.webquestions import convert_webquestions

    _show(convert_webquestions(folder, to))


def _show(written: "Iterable[ConvertedFile]") -> None:
    for converted in written:
        out.print(f"{escape(str(converted.file))}: {converted.lines:,} lines")


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
