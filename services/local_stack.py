"""Run all services for some graphs on loopback: check, start, wait until ready, watch, and stop them together."""

import json
import os
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from contracts.meaning_file import read_meaning_file
from graph.opening import is_file_graph, open_graph
from services.answerer.feedback import GRAPH_PLACEHOLDER
from services.answerer.settings import AnswererSettings, Wording
from services.instances import Instance, record_instance
from services.key_scopes import scoped_keys, stored_keys, warn_of_scopes
from services.launcher import Checks, ServerProcess, explained, failed_checks, start_server, wait_until_ready
from services.llm.settings import KEY_VARIABLE, random_key
from services.log_folders import log_folder
from services.meaning_warnings import warn_of_meaning
from services.retriever.serving.model_age import is_trained, outdated
from services.retriever.settings import RetrieverSettings
from services.rewriter.settings import RewriterSettings
from services.stack_addresses import check_ports, embedded_llm_port, listening_addresses, url_of, with_addresses
from services.supervisor import Supervisor
from shared.api_keys import hash_of, new_key
from shared.errors import DependencyError, NotFoundError, RefusedError
from shared.paths import feedback_file, graph_file, graph_names, home, meaning_file
from shared.settings import ServiceSettings, load_settings
from shared.suggestions import did_you_mean
from shared.web.health import MODEL_CHECK

EMBEDDED_URL_VARIABLES = ("KGQA_REWRITER_LLM_URL", "KGQA_ANSWERER_LLM_URL")
"""Variables without which the rewriter and the answerer use the embedded model."""
_WORDING_VARIABLE = "KGQA_ANSWERER_WORDING"
_FEEDBACK_VARIABLE = "KGQA_ANSWERER_FEEDBACK_FILE"
_EXTERNAL_LLM_GRACE_S = 5.0
_WATCH_INTERVAL_S = 0.5

Warn = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class LocalStack:
    """Represent the running services, and the folder of their logs."""

    instance: Instance
    supervisor: Supervisor
    logs: Path

    def watch(self) -> NoReturn:
        """Restart each server that exits unexpectedly, until this call is interrupted."""
        while True:
            self.supervisor.check()
            time.sleep(_WATCH_INTERVAL_S)


@contextmanager
def local_stack(
    graphs: Sequence[str], model: Path, warn: Warn, host: str | None = None, base_port: int | None = None
) -> Iterator[LocalStack]:
    """Start the three services, and the embedded model unless a different one is configured; stop them on exit.

    `model` is the folder of the first graph's retriever. `warn` is called with each problem that does not prevent the
    services from starting. The answerer listens on `host` and `base_port`, if they are given, and the others on the
    ports that follow. Raises InvalidInputError if a setting is invalid, DependencyError if a port is in use or the
    services are not ready in time, and ServiceDiedError if a server exits before all are ready.
    """
    settings = load_stack_settings(host, base_port)
    keys = stored_keys(settings["answerer"])
    has_keys = bool(keys) or settings["answerer"].keys() is not None  # raises if strangers could ask
    llm_port = None if all(name in os.environ for name in EMBEDDED_URL_VARIABLES) else embedded_llm_port(base_port)
    addresses = listening_addresses(settings, llm_port)
    check_ports(addresses)
    urls = {name: url_of(*address) for name, address in addresses.items()}
    environment = _environment(graphs, model, settings, urls) | keys
    if has_keys:
        environment |= service_keys(environment)
    commands = {name: [f"services.{name}"] for name in settings}
    if llm_port:
        environment |= embedded_llm_environment(llm_port)
        # Adapters that were trained for one graph must not write about another one.
        own = ["--graph", *graphs] if len(graphs) == 1 else []
        commands["llm"] = ["services.llm", "--port", str(llm_port), *own]
    with ExitStack() as stack:
        logs = stack.enter_context(log_folder(home() / "logs"))
        instance = Instance(graphs=tuple(graphs), is_file=is_file_graph(), retriever=model.resolve(), urls=urls)
        record_instance(logs.path, instance)

        def launch(name: str) -> ServerProcess:
            log = logs.path / f"{name}.log"
            return start_server(name, *commands[name], environment=environment, log=log, keep_open=[logs.lock])

        def record(supervisor: Supervisor) -> None:
            state = {"pids": supervisor.pids, "restarts": supervisor.restarts}
            with suppress(OSError):  # a full disk must not end what runs
                record_instance(logs.path, instance.model_copy(update=state))

        supervisor = Supervisor(commands, launch, warn, record)
        stack.callback(supervisor.stop)
        _wait(urls, supervisor.start(), logs.path, external_model_checks(llm_port), warn)
        yield LocalStack(instance, supervisor, logs.path)


def load_stack_settings(host: str | None, base_port: int | None) -> dict[str, ServiceSettings]:
    """Return the settings of the three services, with the addresses that a local stack gives them."""
    settings: dict[str, ServiceSettings] = {
        "retriever": load_settings(RetrieverSettings),
        "rewriter": load_settings(RewriterSettings),
        "answerer": load_settings(AnswererSettings),
    }
    return with_addresses(settings, host, base_port)


async def check_servable(graph: str, model: Path, warn: Warn) -> None:
    """Check that a graph and its retriever can be served, before anything starts.

    Warn if the graph database does not respond yet, if the retriever was trained on a different graph, or if the scope
    of an API key or what `meaning.toml` says does not fit the graph. Raises NotFoundError if the graph does not exist,
    InvalidInputError if `meaning.toml` cannot be read, and RefusedError if the database rejects the configured
    credentials.
    """
    if is_file_graph() and not graph_file(graph).is_file():
        hint = did_you_mean(graph, graph_names())
        raise NotFoundError(f"there is no graph {graph!r}{hint or ';'} load one with: kgqa import FILE --graph {graph}")
    if not is_trained(model):
        command = f"kgqa train retriever --graph {graph} --questions FILE"
        warn(f"no retriever was trained for this graph; train on your questions: {command}")
    said = read_meaning_file(meaning_file(graph))
    store = open_graph(graph)
    try:
        await store.check()
        if said.meanings or said.problems:
            warn_of_meaning(said, graph, await store.schema(), warn)
        if keys := scoped_keys(graph):
            warn_of_scopes(keys, graph, await store.schema(), warn)
        # A database does not record which graph version a retriever was trained on.
        if is_file_graph() and (problem := outdated(model, graph, await store.version())):
            warn(problem)
    except RefusedError:
        raise
    except DependencyError as error:
        warn(f"waiting for the graph database: {error.detail}")
    finally:
        await store.close()


def _wait(
    urls: Mapping[str, str], servers: list[ServerProcess], logs: Path, external: Collection[str], warn: Warn
) -> None:
    """Wait until all services are ready; if only `external` checks fail, warn, say why, and continue.

    `check_servable` has warned of a retriever that is older than the graph.
    """

    def is_only_a_model_missing(checks: Checks, waited_s: float) -> bool:
        missing = {*failed_checks(checks)} - {MODEL_CHECK}
        return not missing or (missing <= {*external} and waited_s > _EXTERNAL_LLM_GRACE_S)

    answerer, rewriter = f"{urls['answerer']}/readyz", f"{urls['rewriter']}/readyz"
    try:
        checks = wait_until_ready(answerer, servers, is_enough=is_only_a_model_missing)
    except DependencyError as error:
        raise DependencyError(f"{error.detail}; see the logs in {logs}") from error
    if missing := [name for name in failed_checks(checks) if name != MODEL_CHECK]:
        said = [explained([name], answerer) for name in missing if name != "rewriter"]
        said += [f"rewriter: {explained(['llm'], rewriter)}" for name in missing if name == "rewriter"]
        warn(f"not ready: {'; '.join(said)}. Questions are answered without it; see the logs in {logs}")


def _environment(
    graphs: Sequence[str], model: Path, settings: Mapping[str, ServiceSettings], urls: Mapping[str, str]
) -> dict[str, str]:
    return {
        **os.environ,
        **{f"KGQA_{name.upper()}_HOST": given.host for name, given in settings.items()},
        **{f"KGQA_{name.upper()}_PORT": str(given.port) for name, given in settings.items()},
        "KGQA_RETRIEVER_GRAPH": ",".join(graphs),
        "KGQA_RETRIEVER_MODEL": str(model.resolve()),
        "KGQA_ANSWERER_RETRIEVER_URL": urls["retriever"],
        "KGQA_ANSWERER_REWRITER_URL": urls["rewriter"],
        **_feedback(graphs),
    }


def _feedback(graphs: Sequence[str]) -> dict[str, str]:
    if _FEEDBACK_VARIABLE in os.environ:
        return {}
    file = feedback_file(graphs[0])
    return {_FEEDBACK_VARIABLE: str(file if len(graphs) == 1 else file.with_stem(GRAPH_PLACEHOLDER))}


def service_keys(environment: Mapping[str, str]) -> dict[str, str]:
    """Return a random key that the answerer sends to the other services, unless the environment has such keys.

    If callers need a key, others on this machine must not pass it by on another port.
    """
    variables: dict[str, str] = {}
    for name in ("RETRIEVER", "REWRITER"):
        accepted, sent = f"KGQA_{name}_API_KEYS", f"KGQA_ANSWERER_{name}_API_KEY"
        if accepted not in environment and sent not in environment:
            key = new_key()
            variables |= {accepted: json.dumps({"answerer": hash_of(key)}), sent: key}
    return variables


def embedded_llm_environment(port: int) -> dict[str, str]:
    """Return the variables for the embedded model: its key, and its URL and key for each service that uses it.

    Answers are then worded by grammar, unless the environment says otherwise.
    """
    key = os.environ.get(KEY_VARIABLE) or random_key()
    url = f"http://127.0.0.1:{port}"
    variables = {KEY_VARIABLE: key}
    for name in EMBEDDED_URL_VARIABLES:
        if os.environ.get(name, url).rstrip("/").removesuffix("/v1") == url:
            # A key that is already set belongs to a different server, so it is replaced.
            variables |= {name: url, name.removesuffix("_URL") + "_API_KEY": key}
    if EMBEDDED_URL_VARIABLES[1] in variables and _WORDING_VARIABLE not in os.environ:
        # The embedded model answers with bare names, which grammar has to put into a sentence.
        variables[_WORDING_VARIABLE] = Wording.GRAMMAR
    return variables


def external_model_checks(llm_port: int | None) -> list[str]:
    """Return the answerer's checks that fail if a language model fails that `kgqa up` does not start."""
    url = f"http://127.0.0.1:{llm_port}"
    checks = zip(EMBEDDED_URL_VARIABLES, ("rewriter", "llm"), strict=True)
    return [check for name, check in checks if os.environ.get(name, url).rstrip("/").removesuffix("/v1") != url]
