"""Define the options that several commands share."""

from pathlib import Path
from typing import Annotated

import typer

from shared.contracts import KnowledgeFormat

GraphName = Annotated[str, typer.Option("--graph", help="Name of an imported graph.")]
EvidenceFormat = Annotated[KnowledgeFormat, typer.Option("--format", help="Format of the evidence for the QA model.")]
RetrieverFolder = Annotated[
    Path | None,
    typer.Option("--retriever", help="Folder of the trained retriever. [default: the graph's own under KGQA_HOME]"),
]
