"""Show what runs: `kgqa status`."""

import json
from contextlib import suppress
from datetime import datetime
from http import HTTPStatus
from pathlib import Path

import typer
from rich.markup import escape

from kgqa.console import err, out
from services.healthcheck import fetch
from services.instances import Instance, running_instances
from services.retriever.model_age import is_trained, outdated
from services.retriever.prediction.model_folder import MANIFEST_FILE
from services.stack_addresses import LLM
from shared.errors import KGQAError
from shared.graph.sqlite.connection import summarise_file
from shared.paths import graph_file

_PROBE_TIMEOUT_S = 3.0
_SERVER_WIDTH = 10


def status() -> None:
    """Show each running kgqa up: its graph, ports, model, and logs, and what is ready or why not.

    The exit code is 1 if nothing runs, or if a service is not ready.
    """
    instances = running_instances()
    if not instances:
        err.print("nothing runs; start it with: kgqa up")
    ready = [_show(instance, logs) for logs, instance in instances]
    if not (ready and all(ready)):
        raise typer.Exit(1)


def _show(instance: Instance, logs: Path) -> bool:
    """Print one instance, and return whether all its services are ready."""
    since = instance.started.astimezone().strftime("%Y-%m-%d %H:%M")
    where = "graph" if instance.is_file else "Neo4j graph"
    out.print(escape(f"{instance.url}  {where} {instance.graph}, since {since}, process {instance.pid}"))
    is_ready = True
    for name, url in instance.urls.items():
        problem = _problem(name, url)
        is_ready &= problem is None
        _line(name, f"port {url.rpartition(':')[2]}  {'ready' if problem is None else f'not ready: {problem}'}")
    _line("model", model_state(instance.graph, instance.retriever, instance.is_file))
    _line("logs", str(logs))
    return is_ready


def _line(label: str, text: str) -> None:
    out.print(f"  {label:<{_SERVER_WIDTH}} {escape(text)}")


def _problem(name: str, url: str) -> str | None:
    """Return why a server is not ready, or None if it is."""
    response = fetch(f"{url}/{'healthz' if name == LLM else 'readyz'}", _PROBE_TIMEOUT_S)
    if response is None:
        return "it does not respond; see its log"
    code, body = response
    with suppress(ValueError, AttributeError, TypeError):
        report = json.loads(body)
        failed = [check for check, passed in (report.get("checks") or {}).items() if not passed]
        reasons = report.get("reasons") or {}
        if failed:
            return "; ".join(f"{check} ({reasons[check]})" if check in reasons else check for check in failed)
    return None if code == HTTPStatus.OK else f"it returned status {code}"


def model_state(graph: str, folder: Path, is_file: bool) -> str:
    """Say which retriever a graph has, when it was trained, and whether the graph has changed since."""
    if not is_trained(folder):
        return f"the packaged base model; answers improve with: kgqa train retriever --graph {graph}"
    trained = datetime.fromtimestamp((folder / MANIFEST_FILE).stat().st_mtime).astimezone()
    said = f"trained {trained:%Y-%m-%d %H:%M}"
    if not is_file:
        return said
    try:
        problem = outdated(folder, graph, summarise_file(graph_file(graph)).version)
    except KGQAError as error:
        return f"{said}; {error.detail}"
    return f"{said}; {problem}" if problem else f"{said}, on this version of the graph"
