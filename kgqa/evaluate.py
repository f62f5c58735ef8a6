"""`kgqa evaluate`: a trained pipeline on questions with gold answers, or forms of knowledge compared."""

import asyncio
from collections import Counter
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from pydantic import BaseModel
from rich.markup import escape

from kgqa.console import on_interrupt, out, print_table, progress_bar
from kgqa.options import GraphName
from shared.contracts import DEFAULT_BEAM, DEFAULT_MAX_PATHS, MAX_BEAM, MAX_MAX_PATHS, KnowledgeFormat

if TYPE_CHECKING:
    from evaluation.compare import CompareOptions
    from evaluation.formats import Form
    from evaluation.run import EvaluateOptions


class Topic(StrEnum):
    """Where an evaluation takes the topic entity from."""

    GIVEN = "given"
    LINKED = "linked"


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
    shard: Annotated[
        str | None,
        typer.Option(
            help="Ask only a part of the questions, such as 0/10, the first of ten; other machines ask the others. "
            "Goes on where it was broken off."
        ),
    ] = None,
    merge: Annotated[
        int | None, typer.Option(min=1, help="Put together the figures of so many parts that --shard has asked.")
    ] = None,
    formats: Annotated[
        str | None,
        typer.Option(
            help="Compare forms of knowledge by what the QA model says from each: none, triples, template, yaml, "
            "text, off-the-shelf (text by the base model, unchecked); with commas between. Goes on where it was "
            "broken off."
        ),
    ] = None,
    qa_model: Annotated[
        str | None, typer.Option(help="With --formats: the QA model's name on its server. [default: the answerer's]")
    ] = None,
    base_model: Annotated[
        str | None, typer.Option(help="With --formats: the rewriter's model without its adapter. [default: embedded]")
    ] = None,
    sample: Annotated[
        int | None, typer.Option(min=1, help="With --formats: so many questions, drawn by --seed. [default: all]")
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of --sample.")] = 0,
) -> None:
    """Measure a retriever, and the QA model's text, on questions with gold answers."""
    from shared.paths import retriever_folder

    outcomes = report.with_name(f"{report.name}.outcomes.jsonl")
    _check_files(questions, report, errors, outcomes)
    folder = retriever or retriever_folder(graph)
    if formats is None:
        if qa_model or base_model or sample:
            raise typer.BadParameter("--qa-model, --base-model and --sample are for --formats")
        from evaluation.run import EvaluateOptions

        options = EvaluateOptions(
            graph, folder, questions, topic.value, knowledge, answerer, beam, max_paths, threshold
        )
        if shard and merge:
            raise typer.BadParameter("--shard asks a part, --merge puts parts together: one of them")
        if shard and errors:
            raise typer.BadParameter("--errors is for all parts together: name it with --merge")
        if shard:
            _evaluate_shard(options, shard, outcomes)
        else:
            _evaluate(options, merge, outcomes, report, errors)
        return
    if shard or merge:
        raise typer.BadParameter("--shard and --merge are not for --formats")
    if threshold is not None or not answerer or knowledge is not KnowledgeFormat.TEXT:
        raise typer.BadParameter("--threshold, --no-answerer and --format are not for --formats")
    from evaluation.compare import CompareOptions

    _compare(
        CompareOptions(
            graph=graph,
            retriever=folder,
            questions=questions,
            forms=tuple(_form(name.strip()) for name in formats.split(",")),
            outcomes=outcomes,
            topic=topic.value,
            qa_model=qa_model,
            base=base_model,
            beam=beam,
            max_paths=max_paths,
            sample=sample,
            seed=seed,
        ),
        report,
        errors,
    )


def _check_files(questions: Path, report: Path, errors: Path | None, outcomes: Path) -> None:
    if errors and errors.resolve() in (report.resolve(), outcomes.resolve()):
        raise typer.BadParameter(f"{errors} is where the figures go; name another file", param_hint="--errors")
    for name, file in (("--report", report), ("--errors", errors)):
        if file and not file.parent.is_dir():
            raise typer.BadParameter(f"{file.parent} is not a folder", param_hint=name)
        if file and file.is_dir():
            raise typer.BadParameter(f"{file} is a folder; name a file in it", param_hint=name)
        if file and file.resolve() == questions.resolve():
            raise typer.BadParameter("that is the file of questions", param_hint=name)


def _evaluate_shard(options: "EvaluateOptions", part: str, outcomes: Path) -> None:
    from evaluation.sharded import evaluate_shard
    from question_sets.shards import Shard

    shard = Shard.parse(part)
    file = escape(str(shard.file(outcomes)))
    with (
        on_interrupt(f"{file} keeps what is done; the same command goes on from here"),
        progress_bar("asking") as advance,
    ):
        asyncio.run(evaluate_shard(options, shard, outcomes, advance))
    out.print(f"part {shard} is done: {file}; when all are, put them together with --merge {shard.of}")


def _evaluate(options: "EvaluateOptions", merge: int | None, outcomes: Path, report: Path, errors: Path | None) -> None:
    from evaluation.report import table_rows
    from evaluation.run import evaluate as run
    from evaluation.sharded import merge_shards

    with on_interrupt(f"{report} is not written"):
        if merge:
            done = asyncio.run(merge_shards(options, merge, outcomes))
        else:
            with progress_bar("asking") as advance:
                done = asyncio.run(run(options, advance))
    report.write_text(done.report.model_dump_json(indent=2) + "\n", encoding="utf-8")
    _write_lines(errors, done.mistakes)
    print_table(("measure", "value"), table_rows(done.report))
    for why, count in Counter(wrong.why for wrong in done.mistakes).most_common():
        out.print(f"{count:,} wrong: {why}")


def _compare(options: "CompareOptions", report: Path, errors: Path | None) -> None:
    from evaluation.compare import compare_forms
    from evaluation.formats import Form
    from evaluation.formats_report import COST_HEAD, HITS_HEAD, cost_rows, hits_rows

    left = f"{options.outcomes} keeps what is done; the same command goes on from here"
    with on_interrupt(left), progress_bar("asking from each form") as advance:
        done = asyncio.run(compare_forms(options, advance))
    report.write_text(done.report.model_dump_json(indent=2) + "\n", encoding="utf-8")
    _write_lines(errors, done.losses)
    print_table(HITS_HEAD, hits_rows(done.report))
    out.print()
    print_table(COST_HEAD, cost_rows(done.report))
    for (form, why), count in Counter((loss.form, loss.why) for loss in done.losses).most_common():
        if form is not Form.NONE:
            out.print(f"{count:,} wrong from {form.value}: {why.value}")


def _write_lines(file: Path | None, lines: Sequence[BaseModel]) -> None:
    if file:
        file.write_text("".join(f"{line.model_dump_json()}\n" for line in lines), encoding="utf-8")


def _form(name: str) -> "Form":
    from evaluation.formats import Form

    try:
        return Form(name)
    except ValueError:
        known = ", ".join(form.value for form in Form)
        reason = f"{name!r} is no form of knowledge; there are {known}"
        raise typer.BadParameter(reason, param_hint="--formats") from None
