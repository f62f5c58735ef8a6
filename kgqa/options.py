"""Define the options that several commands share."""

from pathlib import Path
from typing import Annotated

import typer

from contracts.rewrite import KnowledgeFormat
from shared.cost_of_wrong import MAX_COST_OF_WRONG

GraphName = Annotated[str, typer.Option("--graph", help="Name of an imported graph.")]
ChosenGraph = Annotated[
    str | None,
    typer.Option(
        "--graph",
        help="Name of a graph. [default: that of the only running kgqa up, else the one that kgqa up would serve]",
    ),
]
GraphNames = Annotated[
    list[str] | None,
    typer.Option("--graph", help="Name of an imported graph; repeat it for several, the default one first."),
]
AnswererUrl = Annotated[
    str | None,
    typer.Option(
        "--url",
        envvar="KGQA_URL",
        help="URL of the answerer. [default: that of the only running kgqa up, else http://127.0.0.1:8000]",
    ),
]
EvidenceFormat = Annotated[KnowledgeFormat, typer.Option("--format", help="Format of the evidence for the QA model.")]
RetrieverFolder = Annotated[
    Path | None,
    typer.Option("--retriever", help="Folder of the trained retriever. [default: the graph's own under KGQA_HOME]"),
]
Port = Annotated[
    int | None,
    typer.Option(min=1, max=65532, help="Port of the answerer; the others take the next three. [default: 8000]"),
]
Host = Annotated[
    str | None,
    typer.Option(help="Address that the answerer listens on; the others stay on loopback. [default: 127.0.0.1]"),
]
CostOfWrong = Annotated[
    float | None,
    typer.Option(
        min=0,
        max=MAX_COST_OF_WRONG,
        help="How many right answers a wrong one outweighs. [default: what the API key or the service says]",
    ),
]
TablesPath = Annotated[
    Path | None,
    typer.Option(
        "--tables",
        help="Folder of CSV, TSV, Parquet, or Excel files that refer to each other, or an SQLite or DuckDB database.",
    ),
]
TableKeys = Annotated[
    list[str] | None,
    typer.Option("--key", metavar="TABLE=COLUMN", help="Columns that identify the rows of a table; with --tables."),
]
TableReferences = Annotated[
    list[str] | None,
    typer.Option(
        "--reference",
        metavar="TABLE.COLUMN=TABLE",
        help="Table that a column refers to, or none; with --tables.",
    ),
]
Seed = Annotated[int, typer.Option(help="Random seed.")]


def output_folder(to: Path | None) -> Path | None:
    """Return the folder of `--out`; raise BadParameter if it is a file, or in one."""
    for folder in (to, *to.parents) if to else ():
        if folder.exists() and not folder.is_dir():
            raise typer.BadParameter(f"{folder} is a file; specify a folder for the model", param_hint="--out")
    return to
