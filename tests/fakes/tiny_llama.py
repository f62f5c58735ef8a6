"""Create a tiny model like Llama-2 with random weights, as a Hugging Face folder and as a GGUF file for llama.cpp."""

from pathlib import Path
from typing import Any

from services.llm.model_files import base_model_file

# Renders one user message as Llama-2's own template does.
CHAT_TEMPLATE = "{{ bos_token }}[INST] {{ messages[0]['content'] | trim }} [/INST]"
_HIDDEN, _HEADS, _LAYERS, _INNER, _CONTEXT = 64, 4, 2, 128, 512


def tiny_llama(folder: Path) -> str:
    """Write the model, with the embedded model's vocabulary and Llama-2's chat template; return the folder."""
    import torch
    from transformers import AutoTokenizer, LlamaConfig, LlamaForCausalLM

    from training.lora.base_model import _tokenizer

    torch.manual_seed(1)
    tokenizer = _tokenizer(base_model_file())
    tokenizer.chat_template = CHAT_TEMPLATE
    tokenizer.save_pretrained(folder)
    config = LlamaConfig(
        vocab_size=len(AutoTokenizer.from_pretrained(folder)),
        hidden_size=_HIDDEN,
        intermediate_size=_INNER,
        num_hidden_layers=_LAYERS,
        num_attention_heads=_HEADS,
        max_position_embeddings=_CONTEXT,
        bos_token_id=tokenizer.bos_token_id,
        eos_token_id=tokenizer.eos_token_id,
        tie_word_embeddings=False,
        initializer_range=0.1,
    )
    LlamaForCausalLM(config).save_pretrained(folder)
    return str(folder)


def as_gguf(folder: str, out: Path) -> Path:
    """Write the model in `folder` as GGUF, in full precision."""
    import gguf
    import numpy as np
    from safetensors.numpy import load_file

    from training.lora.gguf_adapter import _interleaved

    weights = load_file(Path(folder) / "model.safetensors")
    writer = gguf.GGUFWriter(out, "llama")
    writer.add_context_length(_CONTEXT)
    writer.add_embedding_length(_HIDDEN)
    writer.add_block_count(_LAYERS)
    writer.add_feed_forward_length(_INNER)
    writer.add_head_count(_HEADS)
    writer.add_layer_norm_rms_eps(1e-6)
    writer.add_rope_dimension_count(_HIDDEN // _HEADS)
    _copy_vocabulary(writer)
    names = gguf.get_tensor_name_map(gguf.MODEL_ARCH.LLAMA, _LAYERS)
    for name, tensor in weights.items():
        values: Any = tensor.astype(np.float32)
        if name.endswith(("q_proj.weight", "k_proj.weight")):
            values = _interleaved(values, _HEADS)
        writer.add_tensor(names.get_name(name, (".weight",)), np.ascontiguousarray(values))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return out


def _copy_vocabulary(writer: Any) -> None:
    import gguf

    fields = gguf.GGUFReader(base_model_file()).fields
    writer.add_tokenizer_model(fields["tokenizer.ggml.model"].contents())
    writer.add_tokenizer_pre(fields["tokenizer.ggml.pre"].contents())
    writer.add_token_list(fields["tokenizer.ggml.tokens"].contents())
    writer.add_token_types(fields["tokenizer.ggml.token_type"].contents())
    writer.add_token_merges(fields["tokenizer.ggml.merges"].contents())
    writer.add_bos_token_id(fields["tokenizer.ggml.bos_token_id"].contents())
    writer.add_eos_token_id(fields["tokenizer.ggml.eos_token_id"].contents())
    writer.add_chat_template(CHAT_TEMPLATE)
