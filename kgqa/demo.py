"""The demo graph: put in place under KGQA_HOME the first time that it is wanted."""

import hashlib
import shutil
from pathlib import Path

from kgqa.console import progress_bar
from shared.graph.importing.importer import import_files
from shared.home import graph_file, retriever_folder

DEMO_GRAPH = "world"

_SOURCE = Path(__file__).resolve().parent.parent / "examples" / "world"


def put_demo_in_place() -> None:
    """Import the demo graph and copy its retriever, unless this very version of both is there already."""
    facts, model = _SOURCE / "graph.tsv.xz", _SOURCE / "retriever"
    folder = retriever_folder(DEMO_GRAPH)
    mark = folder.with_name("demo-version")
    version = _digest(facts, model / "manifest.json")
    if graph_file(DEMO_GRAPH).is_file() and mark.is_file() and mark.read_text(encoding="utf-8") == version:
        return
    with progress_bar("importing the demo graph") as advance:
        import_files([facts], graph_file(DEMO_GRAPH), advance)
    shutil.copytree(model, folder, dirs_exist_ok=True)
    mark.write_text(version, encoding="utf-8")


def _digest(*files: Path) -> str:
    digest = hashlib.sha256()
    for file in files:
        digest.update(file.read_bytes())
    return digest.hexdigest()
