"""Convert LoRA adapters of Llama models between peft's format and the GGUF file that llama.cpp loads."""

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path

import gguf
import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import load_file
from transformers import AutoConfig

from shared.errors import InvalidInputError

_LAYERS = {
    "self_attn.q_proj": "attn_q",
    "self_attn.k_proj": "attn_k",
    "self_attn.v_proj": "attn_v",
    "self_attn.o_proj": "attn_output",
    "mlp.gate_proj": "ffn_gate",
    "mlp.up_proj": "ffn_up",
    "mlp.down_proj": "ffn_down",
}
_PEFT_LAYERS = {name: layer for layer, name in _LAYERS.items()}
_PREFIX = "base_model.model.model.layers."


@dataclass(frozen=True, slots=True)
class Adapter:
    """Hold an adapter's weights under peft's names; `lora_A` has shape (rank, in), and `lora_B` (out, rank).

    `digest` identifies the file that the adapter was read from.
    """

    weights: dict[str, NDArray[np.float32]]
    rank: int
    alpha: int
    digest: str


def is_exportable(base: str) -> bool:
    """Return whether adapters for this model (a folder or a hub name) can be exported; only Llama models qualify."""
    return bool(AutoConfig.from_pretrained(base).model_type == "llama")


def export_adapter(peft_folder: Path, base: str, out: Path, name: str) -> None:
    """Convert the adapter in `peft_folder`, trained on `base` (a folder or a hub name), to GGUF in half precision.

    Raise InvalidInputError if the adapter changes layers other than the linear layers of a Llama model.
    """
    lora = json.loads((peft_folder / "adapter_config.json").read_text(encoding="utf-8"))
    heads = _rotated(base)
    writer = gguf.GGUFWriter(out, "llama")
    writer.add_type(gguf.GGUFType.ADAPTER)
    writer.add_name(name)
    writer.add_string(gguf.Keys.Adapter.TYPE, "lora")
    writer.add_float32(gguf.Keys.Adapter.LORA_ALPHA, float(lora["lora_alpha"]))
    for key, weights in sorted(load_file(peft_folder / "adapter_model.safetensors").items()):
        tensor, layer, half = _gguf_name(key)
        if half == "lora_b" and layer in heads:
            weights = _interleaved(weights, heads[layer])
        writer.add_tensor(tensor, np.ascontiguousarray(weights.astype(np.float16)))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def read_adapter(file: Path, base: str) -> Adapter:
    """Read an adapter for `base` (a folder or a hub name) that `export_adapter` wrote."""
    reader = gguf.GGUFReader(file)
    heads = _rotated(base)
    weights: dict[str, NDArray[np.float32]] = {}
    for tensor in reader.tensors:
        _, block, layer, _, half = tensor.name.split(".")
        values = tensor.data.astype(np.float32)
        if half == "lora_b" and layer in heads:
            values = _halved(values, heads[layer])
        weights[f"{_PREFIX}{block}.{_PEFT_LAYERS[layer]}.lora_{half[-1].upper()}.weight"] = values
    digest = hashlib.sha256(file.read_bytes()).hexdigest()[:16]
    alpha = reader.get_field(gguf.Keys.Adapter.LORA_ALPHA)
    rank = min(next(iter(weights.values())).shape)
    return Adapter(weights, rank, int(alpha.contents()) if alpha else 0, digest)


def _rotated(base: str) -> dict[str, int]:
    """Return the number of heads in each layer whose outputs get rotary position embeddings."""
    model = AutoConfig.from_pretrained(base)
    return {"attn_q": model.num_attention_heads, "attn_k": model.num_key_value_heads}


def _gguf_name(key: str) -> tuple[str, str, str]:
    """Convert `...layers.3.self_attn.q_proj.lora_B.weight` to (`blk.3.attn_q.weight.lora_b`, `attn_q`, `lora_b`)."""
    block, _, rest = key.removeprefix(_PREFIX).partition(".")
    for suffix in (".lora_A.weight", ".lora_B.weight"):
        layer = _LAYERS.get(rest.removesuffix(suffix))
        if key.startswith(_PREFIX) and rest.endswith(suffix) and layer:
            half = suffix[1:7].lower()
            return f"blk.{block}.{layer}.weight.{half}", layer, half
    raise InvalidInputError(f"cannot export {key}: it is not a LoRA weight of a linear layer of a Llama model")


def _interleaved(weights: NDArray[np.float32], heads: int) -> NDArray[np.float32]:
    """Interleave the two halves of each head: llama.cpp rotates adjacent rows, and Hugging Face rotates the halves."""
    rows, rank = weights.shape
    return weights.reshape(heads, 2, rows // heads // 2, rank).swapaxes(1, 2).reshape(rows, rank)


def _halved(weights: NDArray[np.float32], heads: int) -> NDArray[np.float32]:
    """Undo `_interleaved`."""
    rows, rank = weights.shape
    return weights.reshape(heads, rows // heads // 2, 2, rank).swapaxes(1, 2).reshape(rows, rank)
