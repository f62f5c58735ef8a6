import importlib.util
import json
import math
from pathlib import Path
from typing import Any

import pytest

from shared.errors import InvalidInputError
from training.lora.task import LoraSettings, Pair, Progress, Reports, Validation

pytestmark = [
    pytest.mark.train,
    pytest.mark.skipif(importlib.util.find_spec("peft") is None, reason="needs the train extra: make install-train"),
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
def base(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Write a tiny Llama model with random weights and a whole-word tokenizer."""
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
    return str(folder)


def settings(**changes: Any) -> LoraSettings:
    return LoraSettings(**{"rank": 4, "learning_rate": 1e-2, "warmup_steps": 5, "epochs": 40, **changes})


def test_learns_and_writes_the_adapter(base: str, tmp_path: Path) -> None:
    from training.lora.trainer import train_lora

    seen: list[Progress] = []
    validations: list[Validation] = []
    reports = Reports(seen.append, validations.append)
    result = train_lora(base, PAIRS, PAIRS, tmp_path, settings(epochs=60), reports)
    assert result.loss < seen[0].loss / 2
    assert [validation.step for validation in validations] == [15, 30, 45, 60]
    assert validations[-1].samples[0].generated == PAIRS[0].completion
    assert (seen[-1].step, seen[-1].steps) == (60, 60)
    assert (tmp_path / "adapter_model.safetensors").is_file()


class KilledError(Exception):
    pass


def test_a_training_that_is_killed_goes_on_as_if_nothing_had_happened(
    base: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from training import checkpoint
    from training.lora.trainer import train_lora

    monkeypatch.setattr(checkpoint, "SECONDS_BETWEEN", 0.0)
    chosen = settings(epochs=20, dropout=0.2)
    whole = train_lora(base, PAIRS, PAIRS, tmp_path / "whole", chosen)

    def kill(at: Progress) -> None:
        if at.step == 13:
            raise KilledError

    with pytest.raises(KilledError):
        train_lora(base, PAIRS, PAIRS, tmp_path / "killed", chosen, Reports(kill))
    steps: list[int] = []
    again = train_lora(base, PAIRS, PAIRS, tmp_path / "killed", chosen, Reports(lambda at: steps.append(at.step)))
    assert steps == list(range(13, 21))
    assert again == whole
    first, second = ((tmp_path / name / "adapter_model.safetensors").read_bytes() for name in ("whole", "killed"))
    assert first == second
    killed = tmp_path / "killed"
    assert [*killed.glob("*unfinished*"), *killed.glob(".*.partial")] == []


def test_same_seed_same_adapter(base: str, tmp_path: Path) -> None:
    from training.lora.trainer import train_lora

    losses = [train_lora(base, PAIRS, PAIRS, tmp_path / str(run), settings(epochs=3)) for run in range(2)]
    assert losses[0] == losses[1]
    first, second = ((tmp_path / str(run) / "adapter_model.safetensors").read_bytes() for run in range(2))
    assert first == second


def model_of(architecture: str, folder: Path, base: str) -> str:
    """Write a tiny model of a different architecture with random weights and the tokenizer of `base`."""
    import torch
    from transformers import AutoConfig, AutoModelForCausalLM, AutoTokenizer

    torch.manual_seed(2)
    tokenizer = AutoTokenizer.from_pretrained(base)
    sizes = {"n_embd": 32, "n_layer": 2, "n_head": 4} if architecture == "gpt2" else {
        "hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4,
        "num_key_value_heads": 2,
    }  # fmt: skip
    config = AutoConfig.for_model(architecture, vocab_size=len(tokenizer), initializer_range=0.3, **sizes)
    AutoModelForCausalLM.from_config(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return str(folder)


@pytest.mark.parametrize("architecture", ["llama", "mistral", "qwen2", "gpt2"])
def test_packed_examples_have_the_loss_that_they_have_alone(base: str, tmp_path: Path, architecture: str) -> None:
    import torch
    from transformers import AutoTokenizer

    from training.lora import packing, trainer

    base = model_of(architecture, tmp_path, base)
    same_beginning = [Pair("you are asked for the capital of spain ?", "paris ."), Pair("paris is", "the capital")]
    examples = packing.encode(AutoTokenizer.from_pretrained(base), [*PAIRS, *same_beginning], 100)
    model = trainer._with_adapter(base, settings())
    pack = packing.pack(examples)
    assert pack.inputs["input_ids"].numel() < sum(len(example.tokens) for example in examples)
    model.eval()
    with torch.no_grad():
        together = float(trainer.summed_loss(model, pack))
        alone = sum(float(trainer.summed_loss(model, packing.pack([example]))) for example in examples)
    assert math.isclose(together, alone, rel_tol=0.01)


def test_a_batch_holds_as_many_pairs_as_it_should(base: str) -> None:
    from transformers import AutoTokenizer

    from training.lora import packing, trainer

    examples = packing.encode(AutoTokenizer.from_pretrained(base), PAIRS * 40, 100)
    chosen = settings(batch=16, pack_tokens=60)
    batches = trainer._batches(packing.pack_all(examples, chosen.pack_tokens), chosen, 0)
    sizes = [sum(pack.examples for pack in batch) for batch in batches]
    assert sum(sizes) == 120
    assert all(16 <= size < 32 for size in sizes[:-1])


def test_long_examples_are_left_out(base: str, tmp_path: Path) -> None:
    from training.lora.trainer import train_lora

    pairs = [*PAIRS, Pair("you are asked for " * 9, "paris .")]
    assert train_lora(base, pairs, [], tmp_path / "out", settings(epochs=1, max_tokens=20)).too_long == 1
    with pytest.raises(InvalidInputError, match="all 4 pairs are longer than 5 tokens"):
        train_lora(base, pairs, [], tmp_path / "none", settings(max_tokens=5))


def test_what_cannot_be_trained_is_refused(base: str, tmp_path: Path) -> None:
    from transformers import AutoTokenizer

    from training.lora.trainer import train_lora

    with pytest.raises(InvalidInputError, match="no tokenizer"):
        train_lora(str(tmp_path), PAIRS, [], tmp_path / "out", settings())
    tokenizer = AutoTokenizer.from_pretrained(base)
    tokenizer.save_pretrained(tmp_path)
    with pytest.raises(InvalidInputError, match="cannot train"):
        train_lora(str(tmp_path), PAIRS, [], tmp_path / "out", settings())
    plain = model_of("llama", tmp_path / "plain", base)
    (tmp_path / "plain" / "chat_template.jinja").unlink()
    with pytest.raises(InvalidInputError, match="no chat template"):
        train_lora(plain, PAIRS, [], tmp_path / "out", settings())


def test_the_exported_adapter_is_what_llama_cpp_expects(base: str, tmp_path: Path) -> None:
    import gguf

    from training.lora.gguf_adapter import export_adapter
    from training.lora.trainer import train_lora

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

    from training.lora.gguf_adapter import _halved, _interleaved

    rows = np.arange(8, dtype=np.float32).reshape(8, 1)
    assert _interleaved(rows, 2).ravel().tolist() == [0, 2, 1, 3, 4, 6, 5, 7]
    assert _halved(_interleaved(rows, 2), 2).tolist() == rows.tolist()


def test_a_training_goes_on_from_an_exported_adapter(base: str, tmp_path: Path) -> None:
    import numpy as np
    from safetensors.numpy import load_file

    from training.lora.gguf_adapter import export_adapter, read_adapter
    from training.lora.trainer import train_lora

    first = train_lora(base, PAIRS, PAIRS, tmp_path / "first", settings(epochs=30))
    export_adapter(tmp_path / "first", base, tmp_path / "first.gguf", "test")
    start = read_adapter(tmp_path / "first.gguf", base)
    assert (start.rank, start.alpha) == (settings().rank, settings().alpha)
    written = load_file(tmp_path / "first" / "adapter_model.safetensors")
    assert written.keys() == start.weights.keys()
    assert all(np.allclose(weights, start.weights[name], atol=1e-3) for name, weights in written.items())

    seen: list[Progress] = []
    second = train_lora(base, PAIRS, PAIRS, tmp_path / "second", settings(epochs=2), Reports(seen.append), start)
    assert seen[0].loss == pytest.approx(first.loss, abs=0.02)
    assert second.loss < 2 * first.loss


def test_an_adapter_of_another_model_is_no_start(base: str, tmp_path: Path) -> None:
    import numpy as np

    from training.lora.gguf_adapter import Adapter
    from training.lora.trainer import train_lora

    name = "base_model.model.model.layers.{}.self_attn.q_proj.lora_A.weight"
    for layer, width in ((7, 32), (0, 48)):
        start = Adapter({name.format(layer): np.zeros((4, width), np.float32)}, 4, settings().alpha, "mark")
        with pytest.raises(InvalidInputError, match="fits a different model"):
            train_lora(base, PAIRS, [], tmp_path / str(layer), settings(epochs=1), start=start)


def test_an_adapter_on_other_layers_is_refused(base: str, tmp_path: Path) -> None:
    import numpy as np
    from safetensors.numpy import save_file

    from training.lora.gguf_adapter import export_adapter

    save_file(
        {"base_model.model.lm_head.lora_A.weight": np.zeros((1, 1), np.float32)}, tmp_path / "adapter_model.safetensors"
    )
    (tmp_path / "adapter_config.json").write_text(json.dumps({"lora_alpha": 1}))
    with pytest.raises(InvalidInputError, match="lm_head"):
        export_adapter(tmp_path, base, tmp_path / "a.gguf", "test")


def test_noise_on_the_embeddings_changes_training_and_nothing_else(base: str, tmp_path: Path) -> None:
    from safetensors.torch import load_file

    from training.lora.trainer import train_lora

    plain, noisy = tmp_path / "plain", tmp_path / "noisy"
    losses = [
        train_lora(base, PAIRS, PAIRS, folder, settings(epochs=2, neftune=alpha)).loss
        for folder, alpha in ((plain, 0.0), (noisy, 50.0), (tmp_path / "again", 50.0))
    ]

    assert losses[1] == losses[2] != losses[0]  # validation is without noise, so it is reproducible
    weights = [load_file(folder / "adapter_model.safetensors") for folder in (plain, noisy)]
    assert weights[0].keys() == weights[1].keys()
    assert any((weights[0][name] != weights[1][name]).any() for name in weights[0])
