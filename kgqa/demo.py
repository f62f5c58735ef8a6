"""The demo graph: put in place under KGQA_HOME the first time that it is wanted."""

import hashlib
import json
import shutil
from pathlib import Path

from ingestion.importer import import_files
from kgqa.console import progress_bar
from shared.errors import NotFoundError
from shared.paths import graph_file, retriever_folder

DEMO_GRAPH = "world"
MANIFEST = "manifest.json"

_SOURCE = Path(__file__).resolve().parent.parent / "examples" / "world"


def put_demo_in_place() -> None:
    """Import the demo graph and copy its retriever, unless this very version of both is there already.

    A graph or retriever of this name that somebody has put in their place is left alone. Raises NotFoundError where
    the project is installed without its examples.
    """
    facts, model = _SOURCE / "graph.tsv.xz", _SOURCE / "retriever"
    if not facts.is_file():
        raise NotFoundError(
            "the demo graph comes with a clone of the repository, not with the installed package; "
            "serve a graph of your own with: kgqa up --graph NAME"
        )
    graph, folder = graph_file(DEMO_GRAPH), retriever_folder(DEMO_GRAPH)
    mark = folder.with_name("demo-version.json")
    source = _digest(facts, model / MANIFEST)
    if graph.is_file():
        placed = json.loads(mark.read_text(encoding="utf-8")) if mark.is_file() else {}
        is_ours = placed.get("unfinished") or placed.get("placed") == _digest(graph, folder / MANIFEST)
        if placed.get("source") == source or not is_ours:
            return
    # So that an interrupted start is made good by the next one, and not taken for somebody's own graph.
    mark.parent.mkdir(parents=True, exist_ok=True)
    mark.write_text(json.dumps({"unfinished": True}), encoding="utf-8")
    with progress_bar("importing the demo graph") as advance:
        import_files([facts], graph, advance)
    shutil.copytree(model, folder, dirs_exist_ok=True)
    mark.write_text(json.dumps({"source": source, "placed": _digest(graph, folder / MANIFEST)}), encoding="utf-8")


def _digest(*files: Path) -> str:
    digest = hashlib.sha256()
    for file in files:
        digest.update(file.read_bytes() if file.is_file() else b"")
    return digest.hexdigest()
