"""Choose the graph and the answerer of a command: the ones that are named, or those of the only `kgqa up` that runs."""

import os

from contracts.graphs import SchemaResponse
from contracts.meaning_file import read_meaning_file
from graph.opening import default_graph, is_file_graph, open_graph
from graph.plan.schema import GraphSchema
from graph.plan.schema_json import schema_from_json
from graph.store import GraphStore
from kgqa.advice import described
from kgqa.console import API_KEY_VARIABLE, DEFAULT_URL, err
from services.instances import Instance, running_instances, served_from_neo4j
from services.retriever.scopes.described_store import described_store, open_described_graph
from shared.errors import InvalidInputError
from shared.outbound.http import ServiceClient
from shared.paths import meaning_file

_TIMEOUT_S = 60.0


def answerer_url(url: str | None, graph: str | None = None) -> str:
    """Return a given URL, else that of the only `kgqa up` that runs, or serves a named graph, else the default one.

    If several run and none of them alone serves the graph, print which one is asked, and how to ask another.
    """
    if url:
        return url
    running = [instance for _, instance in running_instances()]
    serving = [one for one in running if graph in one.graphs] if graph else []
    if len(running) == 1 or len(serving) == 1:
        return (serving or running)[0].url
    if running:
        asked = next((one for one in running if one.url == DEFAULT_URL), None)
        said = described(asked) if asked else f"{DEFAULT_URL}, which is none of them"
        others = " or ".join(described(one) for one in running if one is not asked)
        which = f", and none serves the graph {graph}" if graph and not serving else ""
        err.print(f"{len(running)} instances of kgqa up run{which}; this asks {said}; to ask another: --url {others}")
    return DEFAULT_URL


def chosen_graphs(graphs: list[str] | None) -> tuple[str, ...]:
    """Return the named graphs, else those of the only `kgqa up` that runs, else the one that `kgqa up` would serve."""
    if graphs:
        return tuple(graphs)
    instance = _only_instance()
    if instance is None or (instance.is_file and not is_file_graph()):
        graph = default_graph()
        if len(running := running_instances()) > 1:
            what = f"this is about the graph {graph}; for another: --graph NAME"
            err.print(f"{len(running)} instances of kgqa up run; {what}; kgqa status lists the graphs")
        return (graph,)
    return instance.graphs


def chosen_graph(graph: str | None) -> str:
    """Return the named graph, or the first one of `chosen_graphs`."""
    return graph or chosen_graphs(None)[0]


def open_served_graph(graph: str) -> GraphStore:
    """Open a graph with what its owner says of it; raise InvalidInputError as `open_stored_graph` does."""
    return described_store(open_stored_graph(graph), read_meaning_file(meaning_file(graph)))


def open_stored_graph(graph: str) -> GraphStore:
    """Open a graph as `open_graph` does; raise InvalidInputError if only a running `kgqa up` knows its database."""
    if _instance_with_database(graph):
        raise InvalidInputError(
            f"the graph {graph} is in Neo4j; set KGQA_NEO4J_URL and the other variables of kgqa up here, too"
        )
    return open_graph(graph)


async def graph_schema(graph: str) -> GraphSchema:
    """Read the schema of a graph, from the running services if only they know its database."""
    if instance := _instance_with_database(graph):
        return await _schema_from_services(instance, graph)
    store = open_described_graph(graph)
    try:
        return await store.schema()
    finally:
        await store.close()


async def _schema_from_services(instance: Instance, graph: str) -> GraphSchema:
    client = ServiceClient("answerer", instance.url, _TIMEOUT_S, os.environ.get(API_KEY_VARIABLE))
    try:
        response = await client.fetch(f"/schema?graph={graph}", SchemaResponse)
    finally:
        await client.close()
    return schema_from_json(response.model_dump(exclude={"graph_version"}))


def _instance_with_database(graph: str) -> Instance | None:
    return served_from_neo4j(graph) if is_file_graph() else None


def _only_instance() -> Instance | None:
    running = running_instances()
    return running[0][1] if len(running) == 1 else None
