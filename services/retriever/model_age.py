"""Tell whether a trained retriever is older than the graph that it serves."""

import json
from pathlib import Path

from services.retriever.prediction.model_folder import MANIFEST_FILE


def is_trained(folder: Path) -> bool:
    """Return whether a folder holds a trained retriever."""
    return (folder / MANIFEST_FILE).is_file()


def outdated(folder: Path, graph: str, version: str) -> str | None:
    """Return what is wrong if a retriever was trained on something else than this version of the graph.

    Without a retriever, or with one whose manifest is damaged, there is nothing to say; loading it reports that.
    """
    try:
        manifest = json.loads((folder / MANIFEST_FILE).read_text(encoding="utf-8"))
        name, trained_on = manifest["graph"], manifest["graph_version"]
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return age_problem(name, trained_on, graph, version)


def age_problem(trained_graph: str, trained_version: str, graph: str, version: str) -> str | None:
    """Return what is wrong if a retriever of one graph and version serves another one."""
    if trained_version == version:
        return None
    other = "a different version of this graph" if trained_graph == graph else f"the graph {trained_graph!r}"
    return f"the retriever for the graph {graph!r} was trained on {other}; retrain the retriever"
