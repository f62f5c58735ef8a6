"""Measure a trained pipeline on questions with gold answers, or compare knowledge formats: `kgqa evaluate`."""

import asyncio
from collections.abc import Callable, Coroutine
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from contracts.base import DEFAULT_BEAM, DEFAULT_MAX_PATHS, MAX_BEAM, MAX_MAX_PATHS
from contracts.rewrite import KnowledgeFormat
from kgqa.console import Advance, out, print_table, progress_bar
from kgqa.options import EvidenceFormat, GraphName, RetrieverFolder
from shared.errors import InvalidInputError
from shared.paths import retriever_folder

if TYPE_CHECKING:
    from evaluation.formats import ComparedFormat
    from evaluation.options import EvaluationOptions, OutputFiles
    from evaluation.run import Evaluation

_QuestionsFile = Annotated[Path, typer.Option(help="JSON Lines file of test questions with gold answers.")]
_ReportFile = Annotated[Path, typer.Option(help="JSON file to write the report to.")]
_Topic = Annotated[Literal["given", "linked"], typer.Option(help="Take the topic entity from the file, or link it.")]
_WithAnswerer = Annotated[bool, typer.Option(help="Ask the QA model too, or evaluate only retrieval.")]
_Beam = Annotated[int, typer.Option(min=1, max=MAX_BEAM, help="Number of relation paths kept at every hop (K).")]
_MaxPaths = Annotated[
    int, typer.Option(min=1, max=MAX_MAX_PATHS, help="Number of reasoning paths to use as evidence (M).")
]
_Threshold = Annotated[
    float | None,
    typer.Option(min=0.0, max=1.0, help="Abstain below this confidence. [default: the trained threshold]"),
]
_ErrorsFile = Annotated[
    Path | None, typer.Option(help="JSON Lines file to write the wrong answers and their causes to.")
]
_Shard = Annotated[
    str | None,
    typer.Option(help="Ask only one shard of the questions, such as 0/10, the first of ten. Repeat to resume."),
]
_Merge = Annotated[int | None, typer.Option(min=1, help="Merge the results of this many finished shards.")]
_Formats = Annotated[
    str | None,
    typer.Option(
        help="Compare the QA model's answers across these knowledge formats, separated by commas: none, triples, "
        "template, yaml, text, off-the-shelf (unchecked text by the base model). Repeat to resume."
    ),
]
_QaModel = Annotated[
    str | None,
    typer.Option(help="With --formats: name of the QA model on its server. [default: the answerer's model]"),
]
_BaseModel = Annotated[
    str | None,
    typer.Option(help="With --formats: name of the rewriter's base model. [default: the embedded model]"),
]
_Sample = Annotated[int | None, typer.Option(min=1, help="With --formats: number of questions to draw. [default: all]")]
_SampleSeed = Annotated[int, typer.Option(help="With --sample: seed for drawing the questions.")]


def evaluate(
    graph: GraphName,
    questions: _QuestionsFile,
    report: _ReportFile,
    retriever: RetrieverFolder = None,
    topic: _Topic = "given",
    knowledge: EvidenceFormat = KnowledgeFormat.TEXT,
    answerer: _WithAnswerer = True,
    beam: _Beam = DEFAULT_BEAM,
    max_paths: _MaxPaths = DEFAULT_MAX_PATHS,
    threshold: _Threshold = None,
    errors: _ErrorsFile = None,
    shard: _Shard = None,
    merge: _Merge = None,
    formats: _Formats = None,
    qa_model: _QaModel = None,
    base_model: _BaseModel = None,
    sample: _Sample = None,
    seed: _SampleSeed = 0,
) -> None:
    """Measure retrieval and the QA model's answers on questions with gold answers."""
    from evaluation.options import EvaluationOptions, OutputFiles
    from evaluation.run import compare_formats, merge_shards
    from evaluation.run import evaluate as evaluate_all

    is_default = threshold is None and answerer and knowledge is KnowledgeFormat.TEXT
    if formats is None and (qa_model or base_model or sample):
        raise typer.BadParameter("--qa-model, --base-model, and --sample require --formats")
    if formats is not None and (shard or merge or not is_default):
        raise typer.BadParameter("--shard, --merge, --threshold, --no-answerer, and --format conflict with --formats")
    if shard and (merge or errors):
        raise typer.BadParameter("--shard conflicts with --merge and --errors; set --errors when you merge the shards")
    try:
        files = OutputFiles(questions, report, errors)
    except InvalidInputError as error:
        raise typer.BadParameter(error.detail) from error
    folder = retriever or retriever_folder(graph)
    options = EvaluationOptions(graph, folder, questions, topic, knowledge, answerer, beam, max_paths, threshold)
    journal = files.journal
    if shard:
        _run_shard(options, shard, journal)
    elif formats is not None:
        named = partial(compare_formats, qa_model=qa_model, base_model=base_model, sample=sample, seed=seed)
        _run(partial(named, options, _parse_formats(formats), journal), files, _resumable(journal))
    elif merge:
        _run(partial(merge_shards, options, merge, journal), files)
    else:
        _run(partial(evaluate_all, options), files)


def _run(
    run: "Callable[[Advance], Coroutine[Any, Any, Evaluation]]", files: "OutputFiles", interrupted: str | None = None
) -> None:
    with progress_bar("asking", interrupted or f"{files.report} was not written") as advance:
        evaluation = asyncio.run(run(advance))
    evaluation.write(files)
    for number, (head, rows) in enumerate(evaluation.report.tables()):
        if number:
            out.print("")
        print_table(head, rows)
    for line in evaluation.error_counts():
        out.print(line)


def _run_shard(options: "EvaluationOptions", shard: str, journal: Path) -> None:
    from evaluation.run import evaluate_shard
    from question_sets.journal import Shard

    part = Shard.parse(shard)
    file = part.file(journal)
    with progress_bar("asking", _resumable(file)) as advance:
        asyncio.run(evaluate_shard(options, part, journal, advance))
    out.print(f"shard {part} is finished: {file}; merge all shards with --merge {part.of}")


def _resumable(journal: Path) -> str:
    return f"{journal} keeps the finished outcomes; run the same command again to resume"


def _parse_formats(names: str) -> "list[ComparedFormat]":
    from evaluation.formats import ComparedFormat

    known = [form.value for form in ComparedFormat]
    parsed = [name.strip() for name in names.split(",")]
    if unknown := [name for name in parsed if name not in known]:
        reason = f"{unknown[0]!r} is not a knowledge format; valid formats are {', '.join(known)}"
        raise typer.BadParameter(reason, param_hint="--formats")
    return [ComparedFormat(name) for name in parsed]
