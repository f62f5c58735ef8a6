"""Show the logs of an instance: `kgqa logs`."""

import sys
from collections import deque
from pathlib import Path
from typing import Annotated

import typer

from kgqa.console import out
from services.instances import recorded_instances, running_instances
from shared.errors import NotFoundError


def logs(
    service: Annotated[
        str | None, typer.Argument(help="answerer, retriever, rewriter, or llm. [default: all of them]")
    ] = None,
    port: Annotated[
        int | None, typer.Option(help="Port of the answerer, if several instances run. [default: the latest]")
    ] = None,
    lines: Annotated[int, typer.Option(min=0, help="Number of lines of each service.")] = 20,
    path: Annotated[bool, typer.Option("--path", help="Print only the folder of the logs.")] = False,
) -> None:
    """Show the last lines of the logs of the latest kgqa up, or of the last one that ran."""
    folder = _folder(port)
    if path:
        sys.stdout.write(f"{folder}\n")
        return
    files = sorted(folder.glob("*.log") if service is None else folder.glob(f"{_known(folder, service)}.log"))
    for file in [file for file in files if not file.stem.endswith(".previous")]:
        out.print(f"==> {file} <==")
        with file.open(encoding="utf-8", errors="replace") as log:
            for line in deque(log, lines):
                out.print(line.removesuffix("\n"))


def _folder(port: int | None) -> Path:
    """Return the log folder of the latest instance on a port, or of the latest of all; running ones come first."""
    for folder, instance in [*running_instances(), *recorded_instances()]:
        if port is None or instance.port == port:
            return folder
    where = "" if port is None else f" on port {port}"
    raise NotFoundError(f"no kgqa up has run{where}; list those that run with: kgqa status")


def _known(folder: Path, service: str) -> str:
    names = sorted(file.stem for file in folder.glob("*.log") if not file.stem.endswith(".previous"))
    if service not in names:
        raise NotFoundError(f"there is no log of {service!r} in {folder}; there are: {', '.join(names) or 'none'}")
    return service
