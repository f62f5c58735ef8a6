import importlib.util
import json
import math
from pathlib import Path
from typing import Any

import pytest

from shared.errors import InvalidInputError
from shared.llm.training.task import LoraSettings, Pair, Progress

pytestmark = [
    pytest.mark.train,
    pytest.mark.skipif(importlib.util.find_spec("peft") is None, reason="needs the train extra"),
    pytest.mark.filterwarnings("ignore"),  # of torch, transformers and peft about one another
]

WORDS = [
    "you",
    "are",
    "asked",
    "for",
    "the",
    "capital",
    "of",
    "france",
    "spain",
    "italy",
    "is",
    "paris",
    "madrid",
    "rome",
    ".",
    "?",
]
CAPITALS = {"france": "paris", "spain": "madrid", "italy": "rome"}
PAIRS = [Pair(f"you are asked for the capital of {country} ?", f"{city} .") for country, city in CAPITALS.items()]


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny Llama model with random weights and a tokenizer of whole words."""
    import torch
    from tokenizers import Tokenizer
    from tokenizers.models import WordLevel
    from tokenizers.pre_tokenizers import WhitespaceSplit
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

    torch.manual_seed(1)
    folder = tmp_path_factory.mktemp("base")
    vocabulary = {word: number for number, word in enumerate(["<unk>", "<end>", "<user>", "<assistant>", *WORDS])}
    words = Tokenizer(WordLevel(vocabulary, unk_token="<unk>"))
    words.pre_tokenizer = WhitespaceSplit()
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=words, eos_token="<end>", unk_token="<unk>")
    tokenizer.chat_template = "<user> {{ messages[0]['content'] }} <end> <assistant> "
    tokenizer.save_pretrained(folder)
    config = LlamaConfig(
        vocab_size=len(vocabulary), hidden_size=32, intermediate_size=64, num_hidden_layers=2, num_attention_heads=4,
        num_key_value_heads=2, max_position_embeddings=128, initializer_range=0.3,
    )  # fmt: skip
    LlamaForCausalLM(config).save_pretrained(folder)
    return folder


def settings(**changes: Any) -> LoraSettings:
    return LoraSettings(**{"rank": 4, "learning_rate": 1e-2, "warmup_steps": 5, "epochs": 40, **changes})


def test_learns_and_writes_the_adapter(base: Path, tmp_path: Path) -> None:
    from shared.llm.training.lora import train_lora

    seen: list[Progress] = []
    loss = train_lora(base, PAIRS, PAIRS, tmp_path, settings(epochs=60), seen.append)
    assert loss < seen[0].loss / 2
    assert (seen[-1].step, seen[-1].steps) == (60, 60)
    assert (tmp_path / "adapter_model.safetensors").is_file()


def test_an_adapter_can_be_trained_further(base: Path, tmp_path: Path) -> None:
    from shared.llm.training.lora import train_lora

    first, seen = tmp_path / "first", list[Progress]()
    loss = train_lora(base, PAIRS, PAIRS, first, settings(epochs=20))
    further = train_lora(base, PAIRS, PAIRS, tmp_path / "further", settings(epochs=20), seen.append, first)
    assert math.isclose(seen[0].loss, loss, rel_tol=0.02)
    assert further < loss


def test_same_seed_same_adapter(base: Path, tmp_path: Path) -> None:
    from shared.llm.training.lora import train_lora

    losses = [train_lora(base, PAIRS, PAIRS, tmp_path / str(run), settings(epochs=3)) for run in range(2)]
    assert losses[0] == losses[1]
    first, second = ((tmp_path / str(run) / "adapter_model.safetensors").read_bytes() for run in range(2))
    assert first == second


def test_packed_examples_have_the_loss_that_they_have_alone(base: Path) -> None:
    import torch
    from transformers import AutoTokenizer

    from shared.llm.training import lora

    same_beginning = [Pair("you are asked for the capital of spain ?", "paris ."), Pair("paris is", "the capital")]
    examples = lora.encode(AutoTokenizer.from_pretrained(base), [*PAIRS, *same_beginning], 100)
    model = lora._with_adapter(base, settings())
    pack = lora._pack(examples)
    assert pack.inputs["input_ids"].numel() < sum(len(example.tokens) for example in examples)
    with torch.no_grad():
        together = float(lora._loss(model, pack))
        alone = sum(float(lora._loss(model, lora._pack([example]))) for example in examples)
    assert math.isclose(together, alone, rel_tol=0.01)


def test_long_examples_are_left_out(base: Path) -> None:
    from transformers import AutoTokenizer

    from shared.llm.training.lora import encode

    assert encode(AutoTokenizer.from_pretrained(base), PAIRS, 5) == []


def test_the_exported_adapter_is_what_llama_cpp_expects(base: Path, tmp_path: Path) -> None:
    import gguf

    from shared.llm.training.gguf_adapter import export_adapter
    from shared.llm.training.lora import train_lora

    train_lora(base, PAIRS, [], tmp_path / "peft", settings(epochs=1))
    export_adapter(tmp_path / "peft", base, tmp_path / "a.gguf", "test")
    reader = gguf.GGUFReader(tmp_path / "a.gguf")
    assert reader.fields["general.type"].contents() == "adapter"
    assert reader.fields["adapter.type"].contents() == "lora"
    assert reader.fields["adapter.lora.alpha"].contents() == settings().alpha
    names = {tensor.name for tensor in reader.tensors}
    assert len(names) == 2 * 7 * 2
    assert {"blk.0.attn_q.weight.lora_a", "blk.1.ffn_down.weight.lora_b"} <= names


def test_rows_of_q_and_k_are_interleaved() -> None:
    import numpy as np

    from shared.llm.training.gguf_adapter import _rotary_rows

    rows = np.arange(8, dtype=np.float32).reshape(8, 1)
    assert _rotary_rows(rows, 2).ravel().tolist() == [0, 2, 1, 3, 4, 6, 5, 7]


def test_an_adapter_on_other_layers_is_refused(tmp_path: Path) -> None:
    import numpy as np
    from safetensors.numpy import save_file

    from shared.llm.training.gguf_adapter import export_adapter

    save_file(
        {"base_model.model.lm_head.lora_A.weight": np.zeros((1, 1), np.float32)}, tmp_path / "adapter_model.safetensors"
    )
    (tmp_path / "adapter_config.json").write_text(json.dumps({"lora_alpha": 1}))
    (tmp_path / "config.json").write_text(json.dumps({"num_attention_heads": 1, "num_key_value_heads": 1}))
    with pytest.raises(InvalidInputError, match="lm_head"):
        export_adapter(tmp_path, tmp_path, tmp_path / "a.gguf", "test")
