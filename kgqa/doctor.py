"""Find out what keeps the services from working: `kgqa doctor`."""

import asyncio

import typer

from kgqa.console import out
from kgqa.options import GraphNames, Host, Port, RetrieverFolder
from kgqa.running import chosen_graphs
from shared.paths import retriever_folders


def doctor(graph: GraphNames = None, retriever: RetrieverFolder = None, port: Port = None, host: Host = None) -> None:
    """Check the disk, ports, graph, models, and servers that kgqa up would use. The exit code is 1 for a problem."""
    from services.diagnosis import diagnose

    folders = retriever_folders(chosen_graphs(graph), retriever)
    findings = asyncio.run(diagnose(folders, host, port))
    width = max(len(finding.what) for finding in findings)
    for finding in findings:
        state = "ok" if finding.is_ok else "problem"
        out.print(f"{state:<7}  {finding.what:<{width}}  {finding.said}")
    if not all(finding.is_ok for finding in findings):
        raise typer.Exit(1)
