"""Say what to do if no answerer responds."""

from urllib.parse import urlsplit

from graph.opening import is_file_graph, known_graphs
from services.instances import Instance, running_instances
from shared.paths import DEMO_GRAPH
from shared.suggestions import did_you_mean


def reach_advice(url: str, graph: str | None = None) -> str:
    """Return how to reach an answerer that does not respond at a URL, for a question about a graph.

    Where `kgqa up` runs at this URL, it is not ready. Otherwise, name where each one on this machine runs, or say how
    to start one.
    """
    running = [instance for _, instance in running_instances()]
    is_served = any(graph in one.graphs for one in running)
    if graph and not is_served and _is_local(url) and (unknown := _unknown(graph)):
        return unknown
    asked = next((one for one in running if _place(one.url) == _place(url)), None)
    if asked is not None:
        return (
            f"kgqa up, process {asked.pid}, is still starting the answerer there, or restarts it; ask again shortly, "
            "and see kgqa status"
        )
    if not running:
        return f"Start it with: kgqa up{f' --graph {graph}' if graph else ''}"
    one_of_them = "it" if len(running) == 1 else "one of them"
    places = " and ".join(map(described, running))
    return f"kgqa up runs at {places}; set KGQA_URL or --url to {one_of_them}"


def described(instance: Instance) -> str:
    """Return the URL of an instance with its graphs."""
    return f"{instance.url} (graph{'s' if len(instance.graphs) > 1 else ''} {instance.label})"


def _unknown(graph: str) -> str | None:
    """Say that there is no such graph; None if there is one, or if databases hold the graphs."""
    known = {DEMO_GRAPH, *known_graphs()}
    if graph in known or not is_file_graph():
        return None
    hint = did_you_mean(graph, known) or ";"
    return f"There is no graph {graph!r} here{hint} list the graphs with kgqa graphs, and serve one with kgqa up"


def _is_local(url: str) -> bool:
    return urlsplit(url).hostname in ("127.0.0.1", "::1", "localhost")


def _place(url: str) -> str:
    return url.rstrip("/").replace("//localhost", "//127.0.0.1")
