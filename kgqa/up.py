"""Serve a graph: `kgqa up`."""

import asyncio
import os
import shutil
import signal
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from kgqa.console import DEFAULT_URL, err, out, progress_bar
from kgqa.options import GraphNames, Host, Port, RetrieverFolder
from shared.paths import DEMO_GRAPH, retriever_folders

if TYPE_CHECKING:
    from services.local_stack import LocalStack

_STOPPING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def up(graph: GraphNames = None, retriever: RetrieverFolder = None, port: Port = None, host: Host = None) -> None:
    """Start the three services, and the embedded language model if needed. Ctrl-C stops them.

    Several graphs can be served together: kgqa up --graph films --graph people
    Several instances can run side by side: kgqa up --graph other --port 9000
    """
    # Imported here, so that the other commands do not have to load the services' settings.
    from graph.opening import default_graph, require_own_databases
    from ingestion.demo import install_demo, needs_demo
    from services.known_settings import unknown_settings
    from services.local_stack import check_servable, local_stack

    for problem in unknown_settings():
        _warn(problem)
    graphs = tuple(dict.fromkeys(graph or [default_graph()]))
    if DEMO_GRAPH in graphs and needs_demo():
        with progress_bar("importing the demo graph") as advance:
            install_demo(advance)
    folders = retriever_folders(graphs, retriever)
    require_own_databases(graphs)
    for name, folder in folders.items():
        asyncio.run(check_servable(name, folder, _warn))
    stopping = _stop_on_signals()
    try:
        with local_stack(graphs, folders[graphs[0]], _warn, host, port) as stack:
            try:
                _announce(stack)
                stack.watch()
            finally:
                _ignore(stopping)  # a signal during the teardown would leave services running
    except KeyboardInterrupt:
        err.print("stopping")


def _announce(stack: "LocalStack") -> None:
    url, graphs = stack.instance.url, stack.instance.graphs
    said = f"graph {graphs[0]}" if len(graphs) == 1 else f"graphs {', '.join(graphs)}"
    out.print(f"ready: POST {url}/ask answers from the {said}; API at {url}/docs; Ctrl-C stops")
    ports = ", ".join(f"{name} {at.rpartition(':')[2]}" for name, at in stack.instance.urls.items())
    out.print(f"ports: {ports}; logs: {stack.logs}")
    example = "Which countries border Switzerland?" if graphs[0] == DEMO_GRAPH else "..."
    elsewhere = "" if url == DEFAULT_URL else f" --url {url}"
    program = "kgqa" if shutil.which("kgqa") else os.path.relpath(sys.argv[0])
    out.print(f'try in another terminal: {program} ask{elsewhere} "{example}"')


def _stop_on_signals() -> list[signal.Signals]:
    """Make the first stop signal raise KeyboardInterrupt, ignore later ones, and return the handled signals.

    Signals that are already ignored stay ignored; a shell ignores SIGINT for background jobs in a script.
    """
    stopping = [number for number in _STOPPING if signal.getsignal(number) is not signal.SIG_IGN]

    def stop(*_: object) -> None:
        _ignore(stopping)
        raise KeyboardInterrupt

    for number in stopping:
        signal.signal(number, stop)
    return stopping


def _ignore(signals: Sequence[signal.Signals]) -> None:
    for number in signals:
        signal.signal(number, signal.SIG_IGN)


def _warn(problem: str) -> None:
    err.print(f"warning: {problem}")
