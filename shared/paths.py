"""Where graphs and models live: `KGQA_HOME`, by default a folder in the user's data directory."""

import os
import re
from pathlib import Path

from shared.errors import InvalidInputError

ADAPTER_FILE = "adapter.gguf"
"""The adapter for llama.cpp in an adapter's folder."""

TRAINING_RECORD = "training.json"
"""How an adapter came about, in its folder."""

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")


def home() -> Path:
    """`KGQA_HOME`, else `$XDG_DATA_HOME/kgqa`, else `~/.local/share/kgqa`; not created here.

    Raises InvalidInputError for a user without a home directory.
    """
    try:
        if configured := os.environ.get("KGQA_HOME"):
            return Path(configured).expanduser()
        data = os.environ.get("XDG_DATA_HOME") or "~/.local/share"
        return Path(data).expanduser() / "kgqa"
    except RuntimeError as error:
        raise InvalidInputError("this user has no home directory; set KGQA_HOME to a folder for graphs") from error


def graph_file(name: str) -> Path:
    """The embedded store of the graph called `name`."""
    return home() / "graphs" / f"{checked_name(name)}.sqlite"


def retriever_folder(graph: str) -> Path:
    """Where `kgqa up` looks for a graph's trained retriever unless told otherwise."""
    return home() / "models" / checked_name(graph) / "retriever"


def adapter_folder(graph: str, name: str) -> Path:
    """Where an adapter that was trained for a graph is kept, and looked for when the graph is served."""
    return home() / "models" / checked_name(graph) / name


def checked_name(name: str) -> str:
    """A graph name that is safe as a file name; raises InvalidInputError for any other."""
    if not _NAME.fullmatch(name):
        raise InvalidInputError(
            f"{name!r} cannot name a graph: use 1 to 64 letters, digits, '.', '_' or '-', "
            "beginning with a letter or digit"
        )
    return name
