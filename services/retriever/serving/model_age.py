"""Tell whether a trained retriever is older than the graph that it serves."""

import json
from pathlib import Path

from services.retriever.paths.model_folder import MANIFEST_FILE
from services.retriever.plans.predictor.plan_manifest import MANIFEST_FILE as PLAN_MANIFEST_FILE
from services.retriever.plans.predictor.plan_manifest import PLANS_FOLDER


def manifests(folder: Path) -> list[Path]:
    """Return the manifests of the models in a retriever's folder: of paths, of plans, or of both."""
    files = (folder / MANIFEST_FILE, folder / PLANS_FOLDER / PLAN_MANIFEST_FILE)
    return [file for file in files if file.is_file()]


def is_trained(folder: Path) -> bool:
    """Return whether a folder holds a trained retriever."""
    return bool(manifests(folder))


def outdated(folder: Path, graph: str, version: str) -> str | None:
    """Return what is wrong if a retriever was trained on something else than this version of the graph.

    Without a retriever, or with one whose manifest is damaged, there is nothing to say; loading it reports that.
    """
    for file in manifests(folder):
        try:
            manifest = json.loads(file.read_text(encoding="utf-8"))
            name, trained_on = manifest.get("graph", graph), manifest["graph_version"]
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            continue
        if trained_on is not None and (problem := age_problem(name, trained_on, graph, version)):
            return problem
    return None


def age_problem(trained_graph: str, trained_version: str, graph: str, version: str) -> str | None:
    """Return what is wrong if a retriever of one graph and version serves another one."""
    if trained_version == version:
        return None
    other = "a different version of this graph" if trained_graph == graph else f"the graph {trained_graph!r}"
    return f"the retriever for the graph {graph!r} was trained on {other}; retrain the retriever"
