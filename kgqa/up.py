"""`kgqa up`: the services as processes on loopback, started together, watched, and stopped together."""

import asyncio
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from rich.markup import escape

from kgqa.console import DEFAULT_URL, err, interrupt, out
from kgqa.demo import DEMO_GRAPH, MANIFEST, put_demo_in_place
from kgqa.logs import LogFolder, log_folder
from services.answerer.settings import AnswererSettings
from services.llm.embedded import DEFAULT_PORT, KEY_VARIABLE, random_key
from services.retriever.settings import RetrieverSettings
from services.rewriter.settings import RewriterSettings
from shared.errors import DependencyError, InvalidInputError, KGQAError, NotFoundError, RefusedError
from shared.graph.opening import is_file_graph, open_graph
from shared.graph.store import GraphStore
from shared.outbound import probe
from shared.paths import graph_file, home, retriever_folder
from shared.processes import port_is_free, start_module, stop
from shared.settings import ServiceSettings, load_settings

START_TIMEOUT_S = 60.0
STOP_TIMEOUT_S = 10.0
OWN_LLM_PATIENCE_S = 5.0

_STOPPING = (signal.SIGTERM, signal.SIGHUP)
_LLM_PORT_VARIABLE = "KGQA_EMBEDDED_LLM_PORT"
_LLM_VARIABLES = ("KGQA_REWRITER_LLM_URL", "KGQA_ANSWERER_LLM_URL")


@dataclass(frozen=True, slots=True)
class Process:
    """A running service, and where its output goes."""

    name: str
    popen: "subprocess.Popen[bytes]"
    log: Path


def run_until_stopped(graph: str, retriever: Path | None) -> None:
    """Start everything, say when it answers, and stop all on Ctrl-C, SIGTERM or when one of them dies.

    Raises NotFoundError for a graph or model that is not there, DependencyError when a port is taken or a service
    does not start.
    """
    if graph == DEMO_GRAPH:
        put_demo_in_place()
    model = retriever or retriever_folder(graph)
    _check_files(graph, model)
    asyncio.run(_check_graph(graph, model))
    settings: dict[str, ServiceSettings] = {
        "retriever": load_settings(RetrieverSettings),
        "rewriter": load_settings(RewriterSettings),
        "answerer": load_settings(AnswererSettings),
    }
    embedded = not all(name in os.environ for name in _LLM_VARIABLES)
    llm_port = _embedded_llm_port()
    _check_ports(settings, llm_port if embedded else None)
    # Not by way of SIGINT, which a shell's script ignores in what it starts in the background.
    for stopping in _STOPPING:
        signal.signal(stopping, interrupt)
    environment = _environment(graph, model, settings) | (_embedded_llm(llm_port) if embedded else {})
    with ExitStack() as stack:
        try:
            commands = [[f"services.{name}"] for name in settings]
            if embedded:
                commands.append(["services.llm", "--port", str(llm_port), "--graph", graph])
            logs = stack.enter_context(log_folder(home() / "logs"))
            running = [stack.enter_context(_process(command, environment, logs)) for command in commands]
            url = _url(settings["answerer"])
            _wait_until_ready(url, running, embedded, logs)
            out.print(f"ready: POST {url}/ask answers from the graph {graph}; API at {url}/docs; Ctrl-C stops")
            example = "Which countries border Switzerland?" if graph == DEMO_GRAPH else "..."
            elsewhere = "" if url == DEFAULT_URL else f" --url {url}"
            out.print(f'try in another terminal: {_program()} ask{elsewhere} "{example}"')
            _watch(running)
        except KeyboardInterrupt:
            err.print("stopping")
        finally:
            # A signal during the teardown, after an error too, would leave services behind.
            for stopping in (signal.SIGINT, *_STOPPING):
                signal.signal(stopping, signal.SIG_IGN)


def _program() -> str:
    """How to call this program from here: by name, or where the shell does not find it, by path."""
    return "kgqa" if shutil.which("kgqa") else os.path.relpath(sys.argv[0])


def _check_files(graph: str, model: Path) -> None:
    if is_file_graph() and not graph_file(graph).is_file():
        raise NotFoundError(f"there is no graph {graph!r}; load one with: kgqa import FILE --graph {graph}")
    if not (model / MANIFEST).is_file():
        raise NotFoundError(f"{model}: no trained retriever; make one with: kgqa train retriever --graph {graph}")


async def _check_graph(graph: str, model: Path) -> None:
    """Raise RefusedError for a graph that cannot be served, such as behind a wrong password; waiting would not help."""
    store = open_graph(graph)
    try:
        await store.check()
        if is_file_graph():  # nobody knows what a database held when a retriever was trained on it
            await _warn_of_another_graph(store, graph, model)
    except RefusedError:
        raise
    except DependencyError as error:
        err.print(f"warning: {escape(error.detail)} Waiting for it")
    finally:
        await store.close()


async def _warn_of_another_graph(store: GraphStore, graph: str, model: Path) -> None:
    try:
        trained_on = json.loads((model / MANIFEST).read_text(encoding="utf-8"))
        name, version = trained_on["graph"], trained_on["graph_version"]
    except (ValueError, KeyError, TypeError):
        return  # the retriever itself says what is wrong with it
    if version != await store.version():
        what = "another version of it" if name == graph else f"the graph {name!r}"
        err.print(f"warning: the retriever of {graph} was trained on {escape(what)}; train it again")


def _check_ports(settings: dict[str, ServiceSettings], llm_port: int | None) -> None:
    wanted = [(f"the {name}", s.host, s.port, f"KGQA_{name.upper()}_PORT") for name, s in settings.items()]
    if llm_port:
        wanted.append(("the embedded language model", "127.0.0.1", llm_port, _LLM_PORT_VARIABLE))
    for who, host, port, variable in wanted:
        if not port_is_free(host, port):
            raise DependencyError(
                f"port {port} on {host}, wanted by {who}, is in use; stop what uses it (another kgqa up?) "
                f"or set {variable}"
            )


def _embedded_llm_port() -> int:
    configured = os.environ.get(_LLM_PORT_VARIABLE, str(DEFAULT_PORT))
    if not configured.isdecimal() or not 1 <= int(configured) <= 65535:
        raise InvalidInputError(f"the environment variable {_LLM_PORT_VARIABLE} is not a port: {configured!r}")
    return int(configured)


def _environment(graph: str, model: Path, settings: dict[str, ServiceSettings]) -> dict[str, str]:
    chosen = {
        "KGQA_RETRIEVER_GRAPH": graph,
        "KGQA_RETRIEVER_MODEL": str(model.resolve()),
        "KGQA_ANSWERER_RETRIEVER_URL": _url(settings["retriever"]),
        "KGQA_ANSWERER_REWRITER_URL": _url(settings["rewriter"]),
    }
    return {**os.environ, **chosen}


def _embedded_llm(port: int) -> dict[str, str]:
    """The embedded model's key for its server, and its URL and key for each service that is to ask it."""
    key = os.environ.get(KEY_VARIABLE) or random_key()
    url = f"http://127.0.0.1:{port}"
    variables = {KEY_VARIABLE: key}
    for name in _LLM_VARIABLES:
        if os.environ.get(name, url).rstrip("/").removesuffix("/v1") == url:
            # Whatever key was set is that of another server.
            variables |= {name: url, name.removesuffix("_URL") + "_API_KEY": key}
    return variables


def _url(settings: ServiceSettings) -> str:
    host = f"[{settings.host}]" if ":" in settings.host else settings.host
    return f"http://{host}:{settings.port}"


@contextmanager
def _process(command: list[str], environment: dict[str, str], logs: LogFolder) -> Iterator[Process]:
    name = command[0].split(".")[1]
    log = logs.path / f"{name}.log"
    popen = start_module(*command, environment=environment, output=log, keep_open=[logs.lock])
    try:
        yield Process(name, popen, log)
    finally:
        stop(popen, STOP_TIMEOUT_S)


def _wait_until_ready(url: str, running: list[Process], embedded: bool, logs: LogFolder) -> None:
    """Wait until all is ready; warn, and go on, if only a language model server of the user's own is not."""
    started = time.monotonic()
    checks: dict[str, bool] = {}
    while (waited := time.monotonic() - started) < START_TIMEOUT_S:
        _fail_if_dead(running)
        checks = _checks(url)
        if checks and all(checks.values()):
            return
        if not embedded and checks.get("retriever") and waited > OWN_LLM_PATIENCE_S:
            missing = ", ".join(name for name, ready in checks.items() if not ready)
            err.print(
                f"warning: not ready: {missing}; is the language model server up, and the model's name right? "
                f"Logs: {escape(str(logs.path))}"
            )
            return
        time.sleep(0.05)
    missing = ", ".join(name for name, ready in checks.items() if not ready) or "answerer"
    raise DependencyError(f"not ready within {START_TIMEOUT_S:.0f} s: {missing}; see the logs in {logs.path}")


def _checks(url: str) -> dict[str, bool]:
    response = probe.get(f"{url}/readyz", timeout_s=3)
    try:
        return dict(json.loads(response[1])["checks"]) if response else {}
    except (ValueError, KeyError):
        return {}


def _watch(running: list[Process]) -> None:
    while True:
        _fail_if_dead(running)
        time.sleep(0.5)


def _fail_if_dead(running: list[Process]) -> None:
    for process in running:
        if process.popen.poll() is not None:
            raise ServiceDiedError(f"the {process.name} {_end(process)}; its log is {process.log}")


def _end(process: Process) -> str:
    code = process.popen.returncode
    if code < 0:
        return f"was ended by {signal.Signals(-code).name}"
    last = process.log.read_text(encoding="utf-8", errors="replace").strip().splitlines()[-1:]
    return f"ended with exit code {code}: {' '.join(last)}"


class ServiceDiedError(KGQAError):
    """A service that ended by itself; the others are stopped then."""

    kind = "service-died"
    title = "A service ended by itself"
