"""Install the demo graph and its retriever under KGQA_HOME."""

import hashlib
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

from ingestion.atomic_folder import replace_folder
from ingestion.importer import import_files
from shared.errors import NotFoundError
from shared.paths import DEMO_GRAPH, graph_file, retriever_folder

_WORLD = Path(__file__).resolve().parent.parent / "examples" / "world"
_FACTS, _RETRIEVER = _WORLD / "graph.tsv.xz", _WORLD / "retriever"


def needs_demo() -> bool:
    """Return whether this version of the demo must be installed.

    A user's own graph or retriever of the same name is left alone.
    """
    graph, mark = graph_file(DEMO_GRAPH), _mark()
    if not graph.is_file():
        return True
    placed = json.loads(mark.read_text(encoding="utf-8")) if mark.is_file() else {}
    if placed.get("source") == _source_version():
        return False  # checked first, because hashing the graph file takes far longer
    return bool(placed.get("unfinished")) or placed.get("placed") == _placed_version()


def install_demo(progress: Callable[[int, int], None] | None = None) -> None:
    """Import the demo graph and copy its retriever; `progress` receives the number of bytes read so far and the total.

    Raises NotFoundError if the project is installed without its examples.
    """
    if not _FACTS.is_file():
        raise NotFoundError(
            "the demo graph comes with a clone of the repository, not with the installed package; "
            "serve a graph of your own with: kgqa up --graph NAME"
        )
    mark = _mark()
    mark.parent.mkdir(parents=True, exist_ok=True)
    # Mark the installation as unfinished. If it is interrupted, the next run completes it instead of mistaking it for
    # the user's own graph.
    mark.write_text(json.dumps({"unfinished": True}), encoding="utf-8")
    import_files([_FACTS], graph_file(DEMO_GRAPH), progress)
    with TemporaryDirectory(prefix=".demo-", dir=mark.parent) as scratch:
        replace_folder(Path(shutil.copytree(_RETRIEVER, Path(scratch) / "new")), retriever_folder(DEMO_GRAPH))
    versions = {"source": _source_version(), "placed": _placed_version()}
    mark.write_text(json.dumps(versions), encoding="utf-8")


def _mark() -> Path:
    return retriever_folder(DEMO_GRAPH).with_name("demo-version.json")


def _source_version() -> str:
    return _digest(_FACTS, *_manifests(_RETRIEVER))


def _placed_version() -> str:
    return _digest(graph_file(DEMO_GRAPH), *_manifests(retriever_folder(DEMO_GRAPH)))


def _manifests(folder: Path) -> list[Path]:
    """Return the manifests of a retriever and of its plan model, if it has one."""
    return sorted(folder.rglob("manifest.json"))


def _digest(*files: Path) -> str:
    digest = hashlib.sha256()
    for file in files:
        digest.update(file.read_bytes() if file.is_file() else b"")
    return digest.hexdigest()
