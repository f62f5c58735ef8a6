"""Check everything that a local stack needs, and say what to do about what is missing."""

import asyncio
import os
import shutil
from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from contracts.confirmed_questions import read_confirmed
from contracts.meaning_file import read_meaning_file
from contracts.trusted_questions import read_file
from graph.opening import is_file_graph, open_graph
from graph.sqlite.connection import summarise_file
from language.english.morphology import counted
from services.answerer.settings import AnswererSettings
from services.instances import Instance, running_instances, served_from_neo4j
from services.known_settings import unknown_settings
from services.llm.model_files import adapter_files, base_model_file
from services.local_stack import EMBEDDED_URL_VARIABLES, load_stack_settings
from services.port_owners import owner_of
from services.retriever.paths.model_folder import MANIFEST_FILE, read_manifest
from services.retriever.plans.predictor.plan_manifest import plans_folder, read_plan_manifest
from services.retriever.serving.model_age import is_trained, outdated
from services.retriever.settings import RetrieverSettings
from services.rewriter.settings import RewriterSettings
from services.stack_addresses import SERVER_NAMES, embedded_llm_port, listening_addresses, port_variable
from shared.errors import KGQAError
from shared.llm.client import OpenAIClient
from shared.paths import DEMO_GRAPH, confirmed_file, graph_file, home, meaning_file, trusted_file
from shared.processes import port_is_free
from shared.settings import load_settings

_FREE_BYTES = 1_000_000_000
_PATIENCE_S = 10.0


@dataclass(frozen=True, slots=True)
class Finding:
    """Say about one thing whether it is fine.

    Attributes:
        what: What was checked.
        is_ok: Whether nothing needs to be done.
        said: What was found, and for a problem, what to do.
    """

    what: str
    is_ok: bool
    said: str


async def diagnose(graphs: Mapping[str, Path], host: str | None, base_port: int | None) -> list[Finding]:
    """Check the disk, the ports, the language models, Redis, and each graph with the retriever in its folder."""
    findings = [Finding("settings", False, problem) for problem in unknown_settings()]
    findings += _each("disk", lambda: [_disk()])
    findings += _each("ports", lambda: list(_ports(host, base_port)))
    for graph, retriever in graphs.items():
        of = "" if len(graphs) == 1 else f" {graph}"
        findings.append(await _awaited(f"graph{of}", partial(_graph, graph)))
        findings += [
            replace(found, what=f"retriever{of}")
            for found in _each("retriever", partial(_retrievers, graph, retriever))
        ]
        findings += [replace(found, what=f"{found.what}{of}") for found in _owner_files(graph)]
    adapted = next(iter(graphs)) if len(graphs) == 1 else None
    for name, variable in zip(("rewriter", "answerer"), EMBEDDED_URL_VARIABLES, strict=True):
        findings.append(await _awaited(f"model of the {name}", partial(_model, name, variable, adapted)))
    findings.append(await _awaited("model of the retriever", _retriever_model))
    findings.append(await _awaited("redis", _redis))
    return findings


def _each(what: str, check: Callable[[], list[Finding]]) -> list[Finding]:
    try:
        return check()
    except KGQAError as error:
        return [Finding(what, False, error.detail)]


async def _awaited(what: str, check: Callable[[], Awaitable[str]]) -> Finding:
    """Run a check that returns what it found, and raises an error of this project for a problem."""
    try:
        async with asyncio.timeout(_PATIENCE_S):
            return Finding(what, True, await check())
    except TimeoutError:
        return Finding(what, False, f"no response within {_PATIENCE_S:g} s; is the server overloaded?")
    except KGQAError as error:
        return Finding(what, False, error.detail)


def _disk() -> Finding:
    folder = home()
    existing = next(path for path in (folder, *folder.absolute().parents) if path.exists())
    if not os.access(existing, os.W_OK):
        return Finding("disk", False, f"{folder} cannot be written; correct its permissions, or set KGQA_HOME")
    free = shutil.disk_usage(existing).free
    said = f"{free / 1e9:.1f} GB free in {folder}"
    if free < _FREE_BYTES:
        return Finding("disk", False, f"only {said}; remove graphs that are no longer used: kgqa graphs, kgqa remove")
    return Finding("disk", True, said)


def _ports(host: str | None, base_port: int | None) -> Iterator[Finding]:
    """Check the ports of the only `kgqa up` that runs if no others are named, else those that it would have."""
    instances = [one for _, one in running_instances()]
    ours = {int(url.rpartition(":")[2]): one for one in instances for url in one.urls.values()}
    if host is None and base_port is None and len(instances) == 1:
        yield from (_used(port, one) for port, one in ours.items())
        return
    has_embedded = not all(name in os.environ for name in EMBEDDED_URL_VARIABLES)
    addresses = listening_addresses(
        load_stack_settings(host, base_port), embedded_llm_port(base_port) if has_embedded else None
    )
    for name, (address, port) in addresses.items():
        what = f"port {port}"
        if port_is_free(address, port):
            yield Finding(what, True, f"free, for {SERVER_NAMES[name]}")
        elif port in ours:
            yield _used(port, ours[port])
        else:
            owner = owner_of(port) or "a process of another user"
            remedy = f"stop it, choose other ports with --port, or this one with {port_variable(name)}"
            yield Finding(what, False, f"{SERVER_NAMES[name]} needs it, but {owner} has it; {remedy}")


def _used(port: int, instance: Instance) -> Finding:
    return Finding(f"port {port}", True, f"used by kgqa up for the graph {instance.label}, process {instance.pid}")


async def _graph(graph: str) -> str:
    if is_file_graph():
        if graph == DEMO_GRAPH and not graph_file(graph).exists():
            return "the demo, which kgqa up installs"
        if instance := served_from_neo4j(graph):
            return (
                f"{graph} is in Neo4j; kgqa up, process {instance.pid}, serves it. To check it, set KGQA_NEO4J_URL here"
            )
        found = summarise_file(graph_file(graph))
        return f"{graph}: {counted(found.entities, 'entity')}, {counted(found.triples, 'triple')}"
    store = open_graph(graph)
    try:
        await store.check()
        return f"Neo4j responds; {len(await store.relations()):,} relationship types"
    finally:
        await store.close()


def _owner_files(graph: str) -> Iterator[Finding]:
    """Check the files in which the owner says what a graph means, and how questions are read, as far as they exist."""
    checks: dict[str, tuple[Path, Callable[[Path], Finding]]] = {
        "meaning": (meaning_file(graph), partial(_meaning, graph)),
        "trusted questions": (trusted_file(graph), _trusted),
        "confirmed questions": (confirmed_file(graph), _confirmed),
    }
    for what, (file, check) in checks.items():
        if file.exists():
            yield from _each(what, lambda: [check(file)])  # noqa: B023 - it is called at once


def _meaning(graph: str, file: Path) -> Finding:
    said = read_meaning_file(file)
    if said.problems:
        number = counted(len(said.problems), "entry")
        advice = f"see all with: kgqa describe --check --graph {graph}"
        return Finding("meaning", False, f"{number} of {file} left out; {said.problems[0]}; {advice}")
    return Finding("meaning", True, f"{counted(len(said.meanings), 'element')} described in {file}")


def _trusted(file: Path) -> Finding:
    if file.is_dir():
        return Finding("trusted questions", False, f"{file} is a folder; move it away, and use kgqa trust add")
    try:
        return Finding("trusted questions", True, f"{counted(len(read_file(file)), 'question')} in {file}")
    except OSError as error:
        advice = "let the user of kgqa up read it"
        return Finding("trusted questions", False, f"{file} is left out: {error.strerror}; {advice}")


def _confirmed(file: Path) -> Finding:
    return Finding("confirmed questions", True, f"{counted(len(read_confirmed(file)), 'question')} in {file}")


def _retrievers(graph: str, folder: Path) -> list[Finding]:
    return [_retriever(graph, folder)]


def _retriever(graph: str, folder: Path) -> Finding:
    read_plan_manifest(plans_folder(folder))
    if not is_trained(folder):
        command = f"kgqa train retriever --graph {graph} --questions FILE"
        return Finding("retriever", True, f"the packaged base model; train on your questions: {command}")
    if (folder / MANIFEST_FILE).is_file():
        read_manifest(folder)
    file = graph_file(graph)
    if is_file_graph() and file.is_file() and (problem := outdated(folder, graph, summarise_file(file).version)):
        return Finding("retriever", False, f"{problem}: kgqa train retriever --graph {graph}")
    return Finding("retriever", True, f"trained for this graph, in {folder}")


async def _model(name: str, variable: str, graph: str | None) -> str:
    if variable not in os.environ:
        base = base_model_file()
        adapter = adapter_files(graph).get(name)
        return f"embedded: {base.name}" + (f" with the adapter {adapter}" if adapter else ", without an adapter")
    settings = load_settings(RewriterSettings if name == "rewriter" else AnswererSettings)
    return await _is_ready(settings.language_model())


async def _retriever_model() -> str:
    model = load_settings(RetrieverSettings).language_model()
    return await _is_ready(model) if model else "not configured, so the strategy cypher is not available"


async def _is_ready(model: OpenAIClient) -> str:
    try:
        await model.ready()
        return f"{model.name} at {model.server} is ready"
    finally:
        await model.close()


async def _redis() -> str:
    settings = load_settings(RewriterSettings)
    if settings.redis_url is None:
        return "not configured; texts are cached in memory"
    cache = settings.text_cache()
    try:
        await cache.get_many(["doctor"])
        return "responds"
    finally:
        await cache.close()
