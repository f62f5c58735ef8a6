"""Run all services for one graph on loopback: check, start, wait until ready, watch, and stop them together."""

import json
import os
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from services.answerer.settings import AnswererSettings
from services.launcher import Checks, ServerProcess, explained, failed_checks, server_process, wait_until_ready
from services.llm.settings import DEFAULT_PORT, KEY_VARIABLE, PORT_VARIABLE, random_key
from services.log_folders import log_folder
from services.retriever.prediction.model_folder import MANIFEST_FILE
from services.retriever.settings import RetrieverSettings
from services.rewriter.settings import RewriterSettings
from shared.errors import DependencyError, InvalidInputError, NotFoundError, RefusedError
from shared.graph.opening import is_file_graph, open_graph
from shared.graph.store import GraphStore
from shared.paths import feedback_file, graph_file, home, keys_file
from shared.processes import port_is_free
from shared.settings import ServiceSettings, load_settings

_LLM_VARIABLES = ("KGQA_REWRITER_LLM_URL", "KGQA_ANSWERER_LLM_URL")
_KEYS_VARIABLE = "KGQA_ANSWERER_API_KEYS"
_FEEDBACK_VARIABLE = "KGQA_ANSWERER_FEEDBACK_FILE"
_EXTERNAL_LLM_GRACE_S = 5.0
_WATCH_INTERVAL_S = 0.5

Warn = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class LocalStack:
    """Represent the running services; `url` is the answerer's address."""

    url: str
    servers: list[ServerProcess]

    def watch(self) -> None:
        """Block until a server exits unexpectedly, and then raise ServiceDiedError."""
        while True:
            for server in self.servers:
                server.raise_if_exited()
            time.sleep(_WATCH_INTERVAL_S)


@contextmanager
def local_stack(graph: str, model: Path, warn: Warn) -> Iterator[LocalStack]:
    """Start the three services, and the embedded model unless a different one is configured; stop them on exit.

    `model` is the folder of the graph's retriever. `warn` is called with each problem that does not prevent the
    services from starting. Raises InvalidInputError if a setting is invalid, DependencyError if a port is in use or the
    services are not ready in time, and ServiceDiedError if a server exits.
    """
    answerer = load_settings(AnswererSettings)
    settings: dict[str, ServiceSettings] = {
        "retriever": load_settings(RetrieverSettings),
        "rewriter": load_settings(RewriterSettings),
        "answerer": answerer,
    }
    keys = _keys()
    if not keys:
        answerer.keys()  # raises if strangers could ask
    llm_port = None if all(name in os.environ for name in _LLM_VARIABLES) else _llm_port()
    _check_ports(settings, llm_port)
    environment = _environment(graph, model, settings) | keys
    commands = {name: [f"services.{name}"] for name in settings}
    if llm_port:
        environment |= embedded_llm_environment(llm_port)
        commands["llm"] = ["services.llm", "--port", str(llm_port), "--graph", graph]
    with ExitStack() as stack:
        logs = stack.enter_context(log_folder(home() / "logs"))
        servers = [
            stack.enter_context(
                server_process(
                    name, *command, environment=environment, log=logs.path / f"{name}.log", keep_open=[logs.lock]
                )
            )
            for name, command in commands.items()
        ]
        url = _url(settings["answerer"])
        rewriter = f"{_url(settings['rewriter'])}/readyz"
        _wait(url, rewriter, servers, logs.path, external_model_checks(llm_port), warn)
        yield LocalStack(url, servers)


async def check_servable(graph: str, model: Path, warn: Warn) -> None:
    """Check that a graph and its retriever can be served, before anything starts.

    Warn if the graph database does not respond yet, or if the retriever was trained on a different graph. Raises
    NotFoundError if the graph does not exist, and RefusedError if the database rejects the configured credentials.
    """
    if is_file_graph() and not graph_file(graph).is_file():
        raise NotFoundError(f"there is no graph {graph!r}; load one with: kgqa import FILE --graph {graph}")
    if not (model / MANIFEST_FILE).is_file():
        warn(f"no retriever was trained for this graph; answers improve with: kgqa train retriever --graph {graph}")
    store = open_graph(graph)
    try:
        await store.check()
        if is_file_graph():  # a database does not record which graph version a retriever was trained on
            await _warn_of_another_graph(store, graph, model, warn)
    except RefusedError:
        raise
    except DependencyError as error:
        warn(f"waiting for the graph database: {error.detail}")
    finally:
        await store.close()


async def _warn_of_another_graph(store: GraphStore, graph: str, model: Path, warn: Warn) -> None:
    if not (model / MANIFEST_FILE).is_file():
        return
    try:
        manifest = json.loads((model / MANIFEST_FILE).read_text(encoding="utf-8"))
        name, version = manifest["graph"], manifest["graph_version"]
    except (ValueError, KeyError, TypeError):
        return  # the retriever reports a damaged manifest itself
    if version != await store.version():
        other = "a different version of this graph" if name == graph else f"the graph {name!r}"
        warn(f"the retriever for the graph {graph!r} was trained on {other}; retrain the retriever")


def _wait(
    url: str, rewriter: str, servers: list[ServerProcess], logs: Path, external: Collection[str], warn: Warn
) -> None:
    """Wait until all services are ready; if only `external` checks fail, warn, say why, and continue."""

    def is_only_a_model_missing(checks: Checks, waited_s: float) -> bool:
        return set(failed_checks(checks)) <= {*external} and waited_s > _EXTERNAL_LLM_GRACE_S

    try:
        checks = wait_until_ready(f"{url}/readyz", servers, is_enough=is_only_a_model_missing)
    except DependencyError as error:
        raise DependencyError(f"{error.detail}; see the logs in {logs}") from error
    if missing := failed_checks(checks):
        said = [explained([name], f"{url}/readyz") for name in missing if name != "rewriter"]
        said += [f"rewriter: {explained(['llm'], rewriter)}" for name in missing if name == "rewriter"]
        warn(f"not ready: {'; '.join(said)}. Questions are answered without it; see the logs in {logs}")


def _check_ports(settings: Mapping[str, ServiceSettings], llm_port: int | None) -> None:
    wanted = [(f"the {name}", s.host, s.port, f"KGQA_{name.upper()}_PORT") for name, s in settings.items()]
    if llm_port:
        wanted.append(("the embedded language model", "127.0.0.1", llm_port, PORT_VARIABLE))
    for who, host, port, variable in wanted:
        if not port_is_free(host, port):
            raise DependencyError(
                f"port {port} on {host}, for {who}, is in use; stop the program that uses it (another kgqa up?), or "
                f"set {variable} to another port"
            )


def _llm_port() -> int:
    configured = os.environ.get(PORT_VARIABLE, str(DEFAULT_PORT))
    if not configured.isdecimal() or not 1 <= int(configured) <= 65535:
        raise InvalidInputError(f"the environment variable {PORT_VARIABLE} must be a port number, not {configured!r}")
    return int(configured)


def _environment(graph: str, model: Path, settings: Mapping[str, ServiceSettings]) -> dict[str, str]:
    return {
        **os.environ,
        "KGQA_RETRIEVER_GRAPH": graph,
        "KGQA_RETRIEVER_MODEL": str(model.resolve()),
        "KGQA_ANSWERER_RETRIEVER_URL": _url(settings["retriever"]),
        "KGQA_ANSWERER_REWRITER_URL": _url(settings["rewriter"]),
        **_feedback(graph),
    }


def _feedback(graph: str) -> dict[str, str]:
    return {} if _FEEDBACK_VARIABLE in os.environ else {_FEEDBACK_VARIABLE: str(feedback_file(graph))}


def _keys() -> dict[str, str]:
    """Return the API keys of `kgqa keys`, unless the environment has others."""
    if _KEYS_VARIABLE in os.environ or not keys_file().is_file():
        return {}
    return {_KEYS_VARIABLE: keys_file().read_text(encoding="utf-8")}


def embedded_llm_environment(port: int) -> dict[str, str]:
    """Return the variables for the embedded model: its key, and its URL and key for each service that uses it."""
    key = os.environ.get(KEY_VARIABLE) or random_key()
    url = f"http://127.0.0.1:{port}"
    variables = {KEY_VARIABLE: key}
    for name in _LLM_VARIABLES:
        if os.environ.get(name, url).rstrip("/").removesuffix("/v1") == url:
            # A key that is already set belongs to a different server, so it is replaced.
            variables |= {name: url, name.removesuffix("_URL") + "_API_KEY": key}
    return variables


def external_model_checks(llm_port: int | None) -> list[str]:
    """Return the answerer's checks that fail if a language model fails that `kgqa up` does not start."""
    url = f"http://127.0.0.1:{llm_port}"
    checks = zip(_LLM_VARIABLES, ("rewriter", "llm"), strict=True)
    return [check for name, check in checks if os.environ.get(name, url).rstrip("/").removesuffix("/v1") != url]


def _url(settings: ServiceSettings) -> str:
    host = f"[{settings.host}]" if ":" in settings.host else settings.host
    return f"http://{host}:{settings.port}"
