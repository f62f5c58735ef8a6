"""The demo graph: put in place under KGQA_HOME the first time that it is wanted."""

import hashlib
import json
import shutil
from pathlib import Path

from kgqa.console import progress_bar
from shared.graph.importing.importer import import_files
from shared.home import graph_file, retriever_folder

DEMO_GRAPH = "world"
MANIFEST = "manifest.json"

_SOURCE = Path(__file__).resolve().parent.parent / "examples" / "world"


def put_demo_in_place() -> None:
    """Import the demo graph and copy its retriever, unless this very version of both is there already.

    A graph or retriever of this name that somebody has put in their place is left alone.
    """
    facts, model = _SOURCE / "graph.tsv.xz", _SOURCE / "retriever"
    graph, folder = graph_file(DEMO_GRAPH), retriever_folder(DEMO_GRAPH)
    mark = folder.with_name("demo-version.json")
    source = _digest(facts, model / MANIFEST)
    if graph.is_file():
        placed = json.loads(mark.read_text(encoding="utf-8")) if mark.is_file() else {}
        if placed.get("source") == source or placed.get("placed") != _digest(graph, folder / MANIFEST):
            return
    shutil.copytree(model, folder, dirs_exist_ok=True)
    with progress_bar("importing the demo graph") as advance:
        import_files([facts], graph, advance)
    mark.write_text(json.dumps({"source": source, "placed": _digest(graph, folder / MANIFEST)}), encoding="utf-8")


def _digest(*files: Path) -> str:
    digest = hashlib.sha256()
    for file in files:
        digest.update(file.read_bytes() if file.is_file() else b"")
    return digest.hexdigest()
