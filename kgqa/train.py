"""Train a part of the pipeline on a graph and its questions: `kgqa train`."""

import asyncio
import signal
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from kgqa.console import Advance, err, interrupt, out, print_table, progress_bar
from kgqa.options import GraphName, Seed, output_folder
from kgqa.train_retriever import train_retriever

if TYPE_CHECKING:
    from training.dense.train import DenseReport
    from training.lora.adapter import TrainingRecord
    from training.lora.plan import AdapterTraining
    from training.lora.task import Progress, Validation

_MAX_PROMPT_SHOWN = 400

train = typer.Typer(help="Train a part of the pipeline on your own graph and questions.", no_args_is_help=True)


train.command("retriever")(train_retriever)


@train.command("dense")
def train_dense_command(
    graph: GraphName,
    questions: Annotated[
        Path, typer.Option(help="JSON Lines: questions with topic and path, such as those for kgqa train retriever.")
    ],
    valid: Annotated[Path | None, typer.Option(help="Validation questions. [default: a tenth of --questions]")] = None,
    seed: Seed = 1,
) -> None:
    """Train the encoder with which the strategy dense compares questions with triples.

    Without it, dense compares both with the packaged encoder, which has not learnt what people call the relations of
    this graph, nor that a question may need two hops. A thousand questions teach most of it, in a few minutes.

    Index the graph afterwards, with kgqa index; until then, dense is unavailable. An interrupted run resumes when you
    run the same command again. To go back to the packaged encoder, remove the folder that is printed, and index again.
    """
    from training.dense.from_files import train_dense_from_files

    signal.signal(signal.SIGINT, interrupt)  # as for the retriever
    with progress_bar("training", "the encoder is unchanged; run the same command again to resume") as advance:
        report = asyncio.run(train_dense_from_files(graph, questions, valid, seed, advance))
    for reason, number in report.left_out.items():
        err.print(f"warning: {number:,} question{'s' * (number != 1)} with {reason} could not be used")
    print_table(("measure", "value"), _dense_rows(report))
    out.print(f"wrote {report.folder}; use it with: kgqa index --graph {graph}")


def _dense_rows(report: "DenseReport") -> list[tuple[str, str]]:
    return [
        ("questions", f"{report.questions:,}"),
        ("hops searched", f"{report.hops}"),
        ("held-out hops", f"{report.validated:,}"),
        ("best triple right, before training", f"{report.before:.4f}"),
        ("best triple right, after training", f"{report.after:.4f}"),
        ("seconds", f"{report.seconds:.0f}"),
    ]


_COUNT = 4000
Base = Annotated[
    str | None,
    typer.Option(help="Language model to fine-tune: a folder or a Hugging Face name. [default: the embedded model]"),
]
Preset = Annotated[
    Literal["cpu", "paper"],
    typer.Option(help="paper: rank 64, 10 epochs, and batches of 128, for a GPU and 13,000 pairs."),
]
AdapterFolder = Annotated[
    Path | None, typer.Option("--out", help="Folder to write the adapter to. [default: where kgqa up looks for it]")
]
FromScratch = Annotated[
    bool,
    typer.Option(
        "--from-scratch", help="Start from the base model. [default: from the project's adapter, if it fits the base]"
    ),
]
Count = Annotated[int, typer.Option(min=1, help="Number of pairs to generate and train on.")]
Wordings = Annotated[
    Path | None,
    typer.Option(help="TOML: hand-written wordings for the graph's relations. [default: derived from their names]"),
]


@train.command("rewriter")
def train_rewriter_command(
    graph: GraphName,
    pairs: Annotated[
        list[Path] | None,
        typer.Option(help="Pairs from kgqa corpus build, or in RRA's format. [default: generated from the graph]"),
    ] = None,
    base: Base = None,
    preset: Preset = "cpu",
    count: Count = _COUNT,
    to: AdapterFolder = None,
    seed: Seed = 13,
    from_scratch: FromScratch = False,
    wordings: Wordings = None,
) -> None:
    """Train a LoRA adapter that verbalises facts, on pairs of facts and texts or on the graph alone.

    An interrupted run resumes from its last checkpoint when you run the same command again. The adapter is written for
    vLLM, and also for llama.cpp if the base model is a Llama.
    """
    from training.lora.plan import AdapterOptions, plan_rewriter

    if pairs and count != _COUNT:
        raise typer.BadParameter("training uses all pairs in --pairs; omit --count", param_hint="--count")
    if pairs and wordings:
        raise typer.BadParameter("training uses the texts in --pairs; omit --wordings", param_hint="--wordings")
    options = AdapterOptions(graph, base, preset, count, output_folder(to), seed, from_scratch, wordings)
    _train_adapter(plan_rewriter(options, pairs or []))


@train.command("answerer")
def train_answerer_command(
    graph: GraphName,
    questions: Annotated[
        Path | None,
        typer.Option(help="JSON Lines: training questions with relation paths. [default: generated from the graph]"),
    ] = None,
    pairs: Annotated[
        list[Path] | None,
        typer.Option(help="Pairs from kgqa corpus tuning, in place of questions. [default: generated from the graph]"),
    ] = None,
    base: Base = None,
    preset: Preset = "cpu",
    count: Count = _COUNT,
    to: AdapterFolder = None,
    seed: Seed = 13,
    from_scratch: FromScratch = False,
    wordings: Wordings = None,
) -> None:
    """Train a LoRA adapter that answers from facts alone, and says that it does not know if the facts lack the answer.

    An interrupted run resumes from its last checkpoint when you run the same command again. The adapter is written for
    vLLM, and also for llama.cpp if the base model is a Llama.
    """
    from training.lora.plan import AdapterOptions, plan_answerer

    if pairs and (questions or count != _COUNT or wordings):
        raise typer.BadParameter("training uses only --pairs; omit --questions, --count, and --wordings")
    options = AdapterOptions(graph, base, preset, count, output_folder(to), seed, from_scratch, wordings)
    _train_adapter(plan_answerer(options, questions, pairs or []))


@train.command("cypher")
def train_cypher_command(
    graph: GraphName,
    questions: Annotated[
        Path | None,
        typer.Option(
            help="JSON Lines: your questions with Cypher or plans, in addition. [default: only the made-up ones]"
        ),
    ] = None,
    base: Base = None,
    preset: Annotated[
        Literal["cpu", "paper"], typer.Option(help="paper: rank 64, 3 epochs, and batches of 16, for a GPU.")
    ] = "cpu",
    count: Annotated[int, typer.Option(min=1, help="Number of questions to make up about the graph.")] = _COUNT,
    to: AdapterFolder = None,
    seed: Seed = 13,
) -> None:
    """Train a LoRA adapter that writes Cypher for questions about the graph, for the strategy `cypher`.

    The questions are made up from the schema, in several wordings each, so that a small model learns it. After
    training, `kgqa up` serves the adapter as the model `cypher`. To use it, set KGQA_RETRIEVER_LLM_URL,
    KGQA_RETRIEVER_LLM_MODEL=cypher, and the same key in KGQA_EMBEDDED_LLM_API_KEY and KGQA_RETRIEVER_LLM_API_KEY.

    An interrupted run resumes from its last checkpoint when you run the same command again.
    """
    from training.cypher.plan import plan_cypher
    from training.lora.plan import AdapterOptions

    options = AdapterOptions(graph, base, preset, count, output_folder(to), seed, from_scratch=True)
    _train_adapter(plan_cypher(options, questions))


def _train_adapter(training: "AdapterTraining") -> None:
    err.print("loading the training packages")
    from training.lora.adapter import train_adapter
    from training.lora.task import Reports

    signal.signal(signal.SIGINT, interrupt)
    left = f"{training.folder} is unfinished; to resume from a checkpoint at most 30 s old, run the same command again"
    with progress_bar(f"training the {training.name} adapter", left) as advance:
        record = train_adapter(training, Reports(partial(_show_progress, advance), _show_validation))
    print_table(("measure", "value"), _adapter_rows(record))
    out.print(f"wrote {training.folder}")


def _show_progress(advance: Advance, at: "Progress") -> None:
    advance(at.step, at.steps, f"loss {at.loss:.3f}, {at.tokens / max(at.seconds, 1e-9):,.0f} tokens per second")


def _show_validation(validation: "Validation") -> None:
    if validation.pairs:
        err.print(
            f"after {validation.step} updates: {validation.loss:.3f} nats per token on {validation.pairs} held-out "
            f"pair{'s' * (validation.pairs != 1)}"
        )
    for sample in validation.samples:
        prompt = sample.prompt if len(sample.prompt) <= _MAX_PROMPT_SHOWN else f"{sample.prompt[:_MAX_PROMPT_SHOWN]} …"
        err.print(f"  {prompt}", style="dim")
        err.print(f"  expected   {sample.expected}")
        err.print(f"  generated  {sample.generated}")


def _adapter_rows(record: "TrainingRecord") -> list[tuple[str, str]]:
    served = "vLLM, llama.cpp" if record.for_llama_cpp else "vLLM (llama.cpp needs an adapter for a Llama model)"
    too_long = f", {record.too_long:,} skipped because they are too long" if record.too_long else ""
    return [
        ("base", record.base),
        ("preset", record.preset),
        ("pairs", f"{record.pairs:,}{too_long}"),
        ("held-out loss", f"{record.loss:.4f} nats per token" if record.loss is not None else "no pairs held out"),
        ("can be served by", served),
        ("seconds", f"{record.seconds:.0f}"),
    ]
