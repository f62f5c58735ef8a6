"""`kgqa train`: each part of the pipeline on a graph and questions of one's own."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from kgqa.commands.common import GraphName

train = typer.Typer(help="Train a part of the pipeline on your own graph and questions.", no_args_is_help=True)


class Mode(StrEnum):
    """How a retriever finds relation paths."""

    SERVED = "served"
    PAPER = "paper"


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
    train_retriever_on(graph, questions, valid, _folder(to), seed, mode.value, encoder)


class Preset(StrEnum):
    """Settings of a fine-tuning."""

    CPU = "cpu"
    PAPER = "paper"


_COUNT = 4000
Base = Annotated[
    str | None,
    typer.Option(help="Causal language model to tune: a folder or a Hugging Face name. [default: the embedded one]"),
]
Settings = Annotated[
    Preset, typer.Option("--preset", help="paper: rank 64, 10 epochs, 128 pairs an update; for a GPU and 13,000 pairs.")
]
AdapterFolder = Annotated[
    Path | None, typer.Option("--out", help="Folder to write. [default: where kgqa up looks for it]")
]
Seed = Annotated[int, typer.Option(help="Seed of everything random.")]
FromScratch = Annotated[
    bool,
    typer.Option(
        "--from-scratch", help="Begin with the bare model. [default: go on from the project's own adapter, if it fits]"
    ),
]
Count = Annotated[int, typer.Option(min=1, help="Pairs to make and train on.")]
Wordings = Annotated[
    Path | None,
    typer.Option(help="Hand-written wordings of the graph's relations, TOML. [default: derived from their names]"),
]


@train.command("rewriter")
def train_rewriter_command(
    graph: GraphName,
    pairs: Annotated[
        list[Path] | None,
        typer.Option(help="Pairs by kgqa corpus build, or as RRA published theirs. [default: made from the graph]"),
    ] = None,
    base: Base = None,
    preset: Settings = Preset.CPU,
    count: Count = _COUNT,
    to: AdapterFolder = None,
    seed: Seed = 13,
    from_scratch: FromScratch = False,
    wordings: Wordings = None,
) -> None:
    """Teach a language model to put facts into words (LoRA): from pairs of facts and texts, or from the graph alone.

    Takes up a training that was broken off where it was. Writes it for vLLM, and for llama.cpp if it is a Llama.
    """
    from kgqa.adapters import train_rewriter_on
    from training.lora.plan import AdapterOptions

    if pairs and count != _COUNT:
        raise typer.BadParameter("all pairs of --pairs are trained on; leave it out", param_hint="--count")
    if pairs and wordings:
        raise typer.BadParameter("--pairs are trained on as they are; leave it out", param_hint="--wordings")
    options = AdapterOptions(graph, base, preset.value, count, _folder(to), seed, from_scratch, wordings)
    train_rewriter_on(options, pairs or [])


@train.command("answerer")
def train_answerer_command(
    graph: GraphName,
    questions: Annotated[
        Path | None,
        typer.Option(help="Training questions with relation paths, JSON Lines. [default: made from the graph]"),
    ] = None,
    base: Base = None,
    preset: Settings = Preset.CPU,
    count: Count = _COUNT,
    to: AdapterFolder = None,
    seed: Seed = 13,
    from_scratch: FromScratch = False,
    wordings: Wordings = None,
) -> None:
    """Teach a language model to answer from facts alone, completely, and to say so where they hold no answer (LoRA).

    Takes up a training that was broken off where it was. Writes it for vLLM, and for llama.cpp if it is a Llama.
    """
    from kgqa.adapters import train_answerer_on
    from training.lora.plan import AdapterOptions

    options = AdapterOptions(graph, base, preset.value, count, _folder(to), seed, from_scratch, wordings)
    train_answerer_on(options, questions)


def _folder(to: Path | None) -> Path | None:
    for folder in (to, *to.parents) if to else ():
        if folder.exists() and not folder.is_dir():
            raise typer.BadParameter(f"{folder} is a file; name a folder for the model", param_hint="--out")
    return to
