"""Locate graphs and models under `KGQA_HOME`, which defaults to a folder in the user's data directory."""

import os
import re
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from shared.errors import InvalidInputError

# Name of the demo graph, which is served unless a different graph is named.
DEMO_GRAPH = "world"
# The files in an adapter's folder: the llama.cpp adapter, and a record of how it was trained.
ADAPTER_FILE, TRAINING_RECORD = "adapter.gguf", "training.json"
# The adapter that writes queries for the strategy `cypher`; none is packaged, since it has to learn the schema.
CYPHER_ADAPTER = "cypher"
GRAPH_NAME_PATTERN = "[A-Za-z0-9][A-Za-z0-9._-]{0,63}"
_GRAPH_NAME = re.compile(GRAPH_NAME_PATTERN)


def home() -> Path:
    """Return `KGQA_HOME`, else `$XDG_DATA_HOME/kgqa`, else `~/.local/share/kgqa`, without creating the folder.

    Raises InvalidInputError if a file is where the folder should be.
    """
    configured = os.environ.get("KGQA_HOME")
    try:
        data = os.environ.get("XDG_DATA_HOME") or "~/.local/share"
        folder = Path(configured).expanduser() if configured else Path(data).expanduser() / "kgqa"
    except RuntimeError as error:
        raise InvalidInputError("this user has no home directory; set KGQA_HOME to a folder for graphs") from error
    with suppress(PermissionError):  # what cannot be looked at is reported where it is used
        for place in (folder, *folder.parents):
            if place.is_file():
                said = "KGQA_HOME" if configured else "the folder for graphs"
                raise InvalidInputError(f"{said} is {folder}, but {place} is a file; set KGQA_HOME to a folder")
    return folder


def home_problem(error: OSError) -> str | None:
    """Explain an error of a folder for graphs that cannot be created or written; return None for other errors."""
    if not isinstance(error.filename, (str, bytes)) or isinstance(error, IsADirectoryError):
        return None
    try:
        folder, place = home(), Path(os.fsdecode(error.filename))
    except InvalidInputError:
        return None  # it was not used
    if (place not in (folder, *folder.parents) and folder not in place.parents) or os.access(folder, os.W_OK):
        return None
    said = f"KGQA_HOME, which is {folder}" if os.environ.get("KGQA_HOME") else f"the folder for graphs, {folder}"
    return f"cannot write to {said}: {error.strerror}; set KGQA_HOME to a folder that this user may create, or write to"


def graph_file(graph: str) -> Path:
    """Return the path of a graph's embedded store."""
    return home() / "graphs" / f"{_checked_name(graph)}.sqlite"


def snapshot_file(graph: str) -> Path:
    """Return the path of the copy of a graph's Neo4j database whose triples are indexed."""
    return home() / "snapshots" / f"{_checked_name(graph)}.sqlite"


def index_file(file: Path) -> Path:
    """Return the path of the index of a graph file's triples, beside the file."""
    return file.with_suffix(".triples")


def graph_names() -> list[str]:
    """Return the names of all graph files, sorted."""
    files = (home() / "graphs").glob("*.sqlite")
    return sorted(file.stem for file in files if is_graph_name(file.stem))


def models_folder(graph: str) -> Path:
    """Return the folder of all models that were trained for a graph."""
    return home() / "models" / _checked_name(graph)


def retriever_folder(graph: str) -> Path:
    """Return the default folder of a graph's trained retriever."""
    return home() / "models" / _checked_name(graph) / "retriever"


def training_folder(model: Path) -> Path:
    """Return the folder beside a model folder in which its training keeps checkpoints until the model is complete."""
    return model.with_name(f".{model.name}.training")


def dense_folder(graph: str) -> Path:
    """Return the default folder of the encoder that was trained for the strategy dense on a graph."""
    return models_folder(graph) / "dense"


def retriever_folders(graphs: Sequence[str], first: Path | None = None) -> dict[str, Path]:
    """Return the folder of each graph's trained retriever; `first` replaces that of the first graph."""
    folders = {graph: retriever_folder(graph) for graph in graphs}
    return {**folders, graphs[0]: first} if first else folders


def feedback_file(graph: str) -> Path:
    """Return the default file for feedback on the answers about a graph."""
    return home() / "feedback" / f"{_checked_name(graph)}.jsonl"


def trusted_file(graph: str) -> Path:
    """Return the file with the trusted questions about a graph, which an import of the graph keeps."""
    return home() / "trusted" / f"{_checked_name(graph)}.jsonl"


def meaning_file(graph: str) -> Path:
    """Return the file in which the owner of a graph says what it means, which an import of the graph keeps."""
    return home() / "meaning" / f"{_checked_name(graph)}.toml"


def confirmed_file(graph: str) -> Path:
    """Return the file of the questions about a graph whose readings its owner confirmed."""
    return home() / "confirmed" / f"{_checked_name(graph)}.jsonl"


def keys_file() -> Path:
    """Return the file with the hashes of the API keys of callers."""
    return home() / "api-keys.json"


def adapter_folder(graph: str, name: str) -> Path:
    """Return the folder of an adapter that was trained for a graph."""
    return home() / "models" / _checked_name(graph) / name


def is_graph_name(name: str) -> bool:
    """Return whether a graph may have this name."""
    return bool(_GRAPH_NAME.fullmatch(name))


def _checked_name(graph: str) -> str:
    if not is_graph_name(graph):
        raise InvalidInputError(
            f"{graph!r} is not a valid graph name; use 1 to 64 letters, digits, '.', '_' or '-', "
            "starting with a letter or digit"
        )
    return graph
