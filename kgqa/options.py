"""Define the options that several commands share."""

from pathlib import Path
from typing import Annotated

import typer

GraphName = Annotated[str, typer.Option("--graph", help="Name of an imported graph.")]
RetrieverFolder = Annotated[
    Path | None,
    typer.Option("--retriever", help="Folder of the trained retriever. [default: the graph's own under KGQA_HOME]"),
]
