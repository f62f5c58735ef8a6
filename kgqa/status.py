"""Show what runs: `kgqa status`."""

from contextlib import suppress
from datetime import datetime
from http import HTTPStatus
from pathlib import Path

import typer
from pydantic import ValidationError

from graph.sqlite.connection import summarise_file
from kgqa.console import err, out
from services.healthcheck import fetch
from services.instances import Instance, Restarts, running_instances
from services.stack_addresses import LLM
from shared.errors import KGQAError
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
    where += "s" if len(instance.graphs) > 1 else ""
    out.print(f"{instance.url}  {where} {instance.label}, since {since}, process {instance.pid}")
    states = {name: _state(name, url, instance.restarts.get(name)) for name, url in instance.urls.items()}
    for name, (_, said) in states.items():
        _line(name, f"port {instance.urls[name].rpartition(':')[2]}  {said}")
    for graph in instance.graphs:
        said = model_state(graph, instance.retriever_of(graph), instance.is_file)
        _line("model", said if len(instance.graphs) == 1 else f"{graph}: {said}")
    _line("logs", str(logs))
    return all(is_ready for is_ready, _ in states.values())


def _line(label: str, text: str) -> None:
    out.print(f"  {label:<{_SERVER_WIDTH}} {text}")


def _state(name: str, url: str, restarts: Restarts | None) -> tuple[bool, str]:
    """Return whether a server is ready, and its state, with the checks that failed and why it had to be restarted."""
    if restarts is None:
        return _probed(name, url)
    exited = restarts.exited.astimezone().strftime("%Y-%m-%d %H:%M:%S")
    if not restarts.is_running:
        return False, f"not ready: it {restarts.reason}, at {exited}, and is started again in {restarts.pause_s:g} s"
    is_ready, said = _probed(name, url)
    return is_ready, f"{said}; restarted {_times(restarts.number)}, because it {restarts.reason}, at {exited}"


def _times(number: int) -> str:
    return "once" if number == 1 else f"{number} times"


def _probed(name: str, url: str) -> tuple[bool, str]:
    response = fetch(f"{url}/{'healthz' if name == LLM else 'readyz'}", _PROBE_TIMEOUT_S)
    if response is None:
        return False, "not ready: it does not respond; see its log"
    is_ready, failed = response[0] == HTTPStatus.OK, _failed(response[1])
    if is_ready:
        return True, f"ready, except: {failed}" if failed else "ready"
    return False, f"not ready: {failed or f'it returned status {response[0]}'}"


def _failed(body: bytes) -> str:
    """List the checks that failed, with their reasons."""
    from shared.web.health import ReadinessReport

    with suppress(ValidationError):
        report = ReadinessReport.model_validate_json(body)
        reasons = report.reasons or {}
        failed = [name for name, passed in report.checks.items() if not passed]
        return "; ".join(f"{name} ({reasons[name]})" if name in reasons else name for name in failed)
    return ""


def model_state(graph: str, folder: Path, is_file: bool) -> str:
    """Say which retriever a graph has, when it was trained, whether the graph has changed, and what is unfinished."""
    from training.work_folder import training_state

    unfinished = training_state(folder)
    return "; ".join(filter(None, (_model(graph, folder, is_file), unfinished)))


def _model(graph: str, folder: Path, is_file: bool) -> str:
    from services.retriever.serving.model_age import manifests, outdated

    files = manifests(folder)
    if not files:
        return (
            "the packaged base model; show it how your questions are read: "
            f"kgqa confirm --graph {graph} --questions FILE"
        )
    trained = datetime.fromtimestamp(max(file.stat().st_mtime for file in files)).astimezone()
    parts = " and ".join("plans" if file.parent != folder else "paths" for file in files)
    said = f"{parts} trained {trained:%Y-%m-%d %H:%M}"
    if not is_file:
        return said
    try:
        problem = outdated(folder, graph, summarise_file(graph_file(graph)).version)
    except KGQAError as error:
        return f"{said}; {error.detail}"
    return f"{said}; {problem}" if problem else f"{said}, on this version of the graph"
