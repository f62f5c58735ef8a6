"""Build training corpora for the rewriter and the answerer: `kgqa corpus`."""

import asyncio
import glob
import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kgqa.console import out, print_table, progress_bar
from kgqa.options import GraphName
from training.tuning.task import Task

if TYPE_CHECKING:
    from training.rewriter.corpus.build import CorpusReport

_MILLION = 1_000_000

corpus = typer.Typer(help="Build a training corpus for the rewriter or the answerer.", no_args_is_help=True)


@corpus.command("build")
def build_corpus_command(
    graph: GraphName,
    questions: Annotated[Path, typer.Option(help="JSON Lines file of training questions with relation paths.")],
    to: Annotated[Path, typer.Option("--out", help="File of pairs to write; a journal is written next to it.")],
    llm_url: Annotated[str, typer.Option(help="OpenAI-compatible server for the model that writes the texts.")],
    llm_model: Annotated[str, typer.Option(help="Name of the model at --llm-url.")],
    qa_url: Annotated[
        str | None, typer.Option(help="Server for the model that must answer from the texts. [default: --llm-url]")
    ] = None,
    qa_model: Annotated[str | None, typer.Option(help="Name of the model at --qa-url. [default: --llm-model]")] = None,
    at_once: Annotated[int, typer.Option(min=1, max=64, help="Number of texts to generate concurrently.")] = 8,
    prompt_price: Annotated[float, typer.Option(min=0.0, help="Price per million prompt tokens.")] = 0.0,
    completion_price: Annotated[float, typer.Option(min=0.0, help="Price per million completion tokens.")] = 0.0,
    shard: Annotated[
        str | None,
        typer.Option(help="Build only one part, such as 0/10, the first of ten. Other machines can build the rest."),
    ] = None,
    merge: Annotated[int | None, typer.Option(min=1, help="Merge this many parts built with --shard.")] = None,
) -> None:
    """Let a language model verbalise the facts behind questions; keep the texts that suffice to answer the questions.

    Reads API keys from KGQA_CORPUS_LLM_API_KEY and KGQA_CORPUS_QA_API_KEY. To resume an interrupted build, run
    the same command again.
    """
    from question_sets.journal import Shard
    from shared.llm.client import OpenAIClient
    from training.rewriter.corpus.build import CorpusOptions, build_corpus

    if shard and merge:
        raise typer.BadParameter("--shard builds one part, and --merge merges all parts; set only one of them")
    _check_out(to)
    writer_key = os.environ.get("KGQA_CORPUS_LLM_API_KEY")
    writer = OpenAIClient(llm_url, llm_model, api_key=writer_key)
    judge_key = os.environ.get("KGQA_CORPUS_QA_API_KEY") or writer_key
    judge = OpenAIClient(qa_url or llm_url, qa_model or llm_model, api_key=judge_key)
    part = Shard.parse(shard) if shard else None
    options = CorpusOptions(graph, questions, to, at_once, part, merge)
    kept = f"{options.journal} keeps all finished texts; run the same command again to resume"
    with progress_bar("building a corpus", kept) as advance:
        report = asyncio.run(build_corpus(options, writer, judge, advance))
    print_table(("measure", "value"), _rows(report, prompt_price, completion_price))
    if part:
        out.print(f"part {part} is finished; once all parts are, merge them with --merge {part.of}")
    else:
        out.print(f"wrote {report.pairs:,} pair{'s' * (report.pairs != 1)} to {to}")


@corpus.command("tuning")
def tuning_corpus_command(
    graph: GraphName,
    to: Annotated[Path, typer.Option("--out", help="JSON file of pairs to write.")],
    task: Annotated[
        list[Task] | None, typer.Option(help="Write pairs of this task; repeat for several. [default: all tasks]")
    ] = None,
    count: Annotated[int, typer.Option(min=1, help="Number of pairs of each task.")] = 1_000,
    questions: Annotated[
        Path | None,
        typer.Option(help="JSON Lines: training questions with relation paths. [default: made up about the graph]"),
    ] = None,
    wordings: Annotated[
        Path | None,
        typer.Option(help="TOML: hand-written wordings for the graph's relations. [default: derived from their names]"),
    ] = None,
    seed: Annotated[int, typer.Option(help="Random seed.")] = 13,
) -> None:
    """Write pairs that tune a language model to the graph, for kgqa train answerer --pairs.

    Tasks: name a masked entity (entity), name the relation of two entities (relation), write facts as text
    (graph_to_text), write text as facts (text_to_graph), recall what the graph holds about an entity (graph), and
    reason over retrieved facts to answer questions (reasoning).
    """
    from training.tuning.corpus import TuningOptions, write_tuning_corpus

    if to.is_dir():
        raise typer.BadParameter(f"{to} is a folder; specify a file in it", param_hint="--out")
    options = TuningOptions(graph, to, tuple(task or Task), count, questions, wordings, seed)
    written = write_tuning_corpus(options)
    print_table(("task", "pairs"), [(one.value, f"{number:,}") for one, number in written.items()])
    out.print(f"wrote {sum(written.values()):,} pairs to {to}")


def _check_out(to: Path) -> None:
    if to.is_dir():
        raise typer.BadParameter(f"{to} is a folder; specify a file in it", param_hint="--out")
    if not to.parent.is_dir():
        raise typer.BadParameter(f"the folder {to.parent} does not exist; create it first", param_hint="--out")
    if to.exists() and not list(to.parent.glob(f"{glob.escape(to.name)}.journal*")):
        raise typer.BadParameter(f"{to} exists but has no journal to resume; set a different file", param_hint="--out")


def _rows(report: "CorpusReport", prompt_price: float, completion_price: float) -> list[tuple[str, str]]:
    from training.rewriter.corpus.journal import KEPT

    usage, verdicts, runs = report.cost.usage, report.verdicts, report.cost.runs
    cost = (usage.prompt_tokens * prompt_price + usage.completion_tokens * completion_price) / _MILLION
    dropped = [(verdict, count) for verdict, count in verdicts.most_common() if verdict != KEPT]
    return [
        ("questions", f"{report.questions:,}"),
        *((f"dropped: question {reason}", f"{count:,}") for reason, count in report.dropped.most_common()),
        ("subgraphs", f"{verdicts.total():,}"),
        *((f"dropped: subgraph {reason}", f"{count:,}") for reason, count in dropped),
        ("kept", f"{verdicts[KEPT]:,}"),
        ("model calls", f"{usage.calls:,} in {runs} run{'s' * (runs != 1)}"),
        ("tokens", f"{usage.prompt_tokens:,} in prompts, {usage.completion_tokens:,} in completions"),
        ("cost", f"{cost:,.4f}" if prompt_price or completion_price else "no prices given"),
    ]
