"""`kgqa evaluate`: measure a trained pipeline on questions with gold answers, or compare formats of knowledge."""

import asyncio
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape

from kgqa.console import on_interrupt, out, print_table, progress_bar
from kgqa.options import GraphName, RetrieverFolder
from shared.contracts import DEFAULT_BEAM, DEFAULT_MAX_PATHS, MAX_BEAM, MAX_MAX_PATHS, KnowledgeFormat
from shared.errors import InvalidInputError

if TYPE_CHECKING:
    from evaluation.formats import ComparedFormat
    from evaluation.options import EvaluationOptions, OutputFiles


class Topic(StrEnum):
    """Source of the topic entity."""

    GIVEN = "given"
    LINKED = "linked"


def evaluate(
    graph: GraphName,
    questions: Annotated[Path, typer.Option(help="Test questions, JSON Lines.")],
    report: Annotated[Path, typer.Option(help="Write the figures to this JSON file.")],
    retriever: RetrieverFolder = None,
    topic: Annotated[Topic, typer.Option(help="Take the topic entity from the file, or link it.")] = Topic.GIVEN,
    knowledge: Annotated[
        KnowledgeFormat, typer.Option("--format", help="Format in which the QA model gets the evidence.")
    ] = KnowledgeFormat.TEXT,
    answerer: Annotated[bool, typer.Option(help="Ask the QA model too, or evaluate retrieval alone.")] = True,
    beam: Annotated[int, typer.Option(min=1, max=MAX_BEAM, help="K: relation paths kept at every hop.")] = DEFAULT_BEAM,
    max_paths: Annotated[
        int, typer.Option(min=1, max=MAX_MAX_PATHS, help="M: reasoning paths that form the evidence.")
    ] = DEFAULT_MAX_PATHS,
    threshold: Annotated[
        float | None, typer.Option(min=0.0, max=1.0, help="Abstain below this confidence. [default: the trained one]")
    ] = None,
    errors: Annotated[
        Path | None, typer.Option(help="Write the wrong answers, with their causes, to this JSON Lines file.")
    ] = None,
    shard: Annotated[
        str | None,
        typer.Option(help="Ask only one shard of the questions, such as 0/10, the first of ten. Resumes if repeated."),
    ] = None,
    merge: Annotated[int | None, typer.Option(min=1, help="Merge the results of this many finished shards.")] = None,
    formats: Annotated[
        str | None,
        typer.Option(
            help="Compare the QA model's answers from these formats of knowledge, separated by commas: none, triples, "
            "template, yaml, text, off-the-shelf (unchecked text by the base model). Resumes if repeated."
        ),
    ] = None,
    qa_model: Annotated[
        str | None, typer.Option(help="With --formats: name of the QA model on its server. [default: the answerer's]")
    ] = None,
    base_model: Annotated[
        str | None, typer.Option(help="With --formats: the rewriter's model without its adapter. [default: embedded]")
    ] = None,
    sample: Annotated[
        int | None, typer.Option(min=1, help="With --formats: number of questions to draw. [default: all]")
    ] = None,
    seed: Annotated[int, typer.Option(help="With --sample: seed of the draw.")] = 0,
) -> None:
    """Measure retrieval, and the QA model's text, on questions with gold answers."""
    from evaluation.options import EvaluationOptions, OutputFiles
    from evaluation.run import compare_formats, merge_shards
    from evaluation.run import evaluate as evaluate_all
    from shared.paths import retriever_folder

    try:
        files = OutputFiles(questions, report, errors)
    except InvalidInputError as error:
        raise typer.BadParameter(error.detail) from error
    if formats is None and (qa_model or base_model or sample):
        raise typer.BadParameter("--qa-model, --base-model, and --sample require --formats")
    if formats and (shard or merge or threshold is not None or not answerer or knowledge is not KnowledgeFormat.TEXT):
        raise typer.BadParameter("--shard, --merge, --threshold, --no-answerer, and --format exclude --formats")
    if shard and (merge or errors):
        raise typer.BadParameter("--shard excludes --merge and --errors; name --errors with --merge")
    folder = retriever or retriever_folder(graph)
    options = EvaluationOptions(graph, folder, questions, topic.value, knowledge, answerer, beam, max_paths, threshold)
    if shard:
        _run_shard(options, shard, files)
        return
    left = f"{files.journal} keeps the finished outcomes; repeat the command to resume"
    with on_interrupt(left if formats else f"{report} is not written"), progress_bar("asking") as advance:
        if formats is not None:
            run = compare_formats(
                options, _parsed(formats), files.journal, advance,
                qa_model=qa_model, base_model=base_model, sample=sample, seed=seed,
            )  # fmt: skip
        elif merge:
            run = merge_shards(options, merge, files.journal, advance)
        else:
            run = evaluate_all(options, advance)
        done = asyncio.run(run)
    done.write(files)
    for number, (head, rows) in enumerate(done.report.tables()):
        out.print("\n" * bool(number), end="")
        print_table(head, rows)
    for line in done.error_counts():
        out.print(line)


def _run_shard(options: "EvaluationOptions", shard: str, files: "OutputFiles") -> None:
    from evaluation.run import evaluate_shard
    from question_sets.journal import Shard

    part = Shard.parse(shard)
    journal = escape(str(part.file(files.journal)))
    left = f"{journal} keeps the finished outcomes; repeat the command to resume"
    with on_interrupt(left), progress_bar("asking") as advance:
        asyncio.run(evaluate_shard(options, part, files.journal, advance))
    out.print(f"shard {part} is finished: {journal}; merge all shards with --merge {part.of}")


def _parsed(formats: str) -> "list[ComparedFormat]":
    from evaluation.formats import ComparedFormat

    names = [name.strip() for name in formats.split(",")]
    known = [form.value for form in ComparedFormat]
    if unknown := [name for name in names if name not in known]:
        reason = f"{unknown[0]!r} is not a format of knowledge; valid formats are {', '.join(known)}"
        raise typer.BadParameter(reason, param_hint="--formats")
    return [ComparedFormat(name) for name in names]
