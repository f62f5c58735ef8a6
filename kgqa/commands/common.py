"""Options that several commands have."""

from typing import Annotated

import typer

GraphName = Annotated[str, typer.Option("--graph", help="Name of an imported graph.")]
