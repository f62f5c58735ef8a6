"""Convert published data sets into this project's formats: `kgqa convert`."""

from pathlib import Path
from typing import Annotated

import typer

from kgqa.console import out
from question_sets.metaqa import convert_metaqa
from question_sets.pathquestion import convert_pathquestion
from question_sets.webqsp import convert_webqsp
from question_sets.webquestions import convert_webquestions
from question_sets.zjqa import convert_zjqa

convert = typer.Typer(help="Convert published data sets into kgqa's formats.", no_args_is_help=True)

Source = Annotated[Path, typer.Argument(help="Folder with the data set as published.")]
Converted = Annotated[Path, typer.Option("--out", help="Folder to write the graph and the question files into.")]


@convert.command("metaqa")
def metaqa(folder: Source, to: Converted) -> None:
    """Convert MetaQA to graph.tsv and {1,2,3}-hop-{train,dev,test}.jsonl.

    Also convert the paraphrases (ntm), and split the questions by template (unseen)."""
    _show(convert_metaqa(folder, to))


@convert.command("zjqa")
def zjqa(folder: Source, to: Converted) -> None:
    """Convert ZJQA (Chinese) to graph.tsv and a file for each split in the folder: {train,valid,test}.jsonl."""
    _show(convert_zjqa(folder, to))


@convert.command("pathquestion")
def pathquestion(folder: Source, to: Converted) -> None:
    """Convert PathQuestion to {2,3}-hop-graph.tsv and {2,3}-hop-seed{0..4}-{train,valid,test}.jsonl, split 80/10/10."""
    _show(convert_pathquestion(folder, to))


@convert.command("webqsp")
def webqsp(folder: Source, to: Converted) -> None:
    """Convert WebQSP to graph.tsv (from the published subgraphs of the test questions) and {train,valid,test}.jsonl."""
    _show(convert_webqsp(folder, to))


@convert.command("webquestions")
def webquestions(folder: Source, to: Converted) -> None:
    """Convert WebQuestions to {train,dev,valid,test}.jsonl with topic names. The data set has no graph."""
    _show(convert_webquestions(folder, to))


def _show(written: dict[Path, int]) -> None:
    for file, lines in written.items():
        out.print(f"{file}: {lines:,} line{'s' * (lines != 1)}")
