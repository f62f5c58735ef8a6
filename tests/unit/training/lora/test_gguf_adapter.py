"""An adapter must mean the same to llama.cpp as to peft, on the real base model."""

import importlib.util
from pathlib import Path
from typing import Any

import pytest

from services.llm.model_files import base_model_file
from services.rewriter.prompts import rewrite_prompt
from training.lora.task import LoraSettings, Pair

pytestmark = [
    pytest.mark.train,
    pytest.mark.skipif(importlib.util.find_spec("peft") is None, reason="needs the train extra: make install-train"),
    pytest.mark.filterwarnings("ignore"),  # of torch, transformers and peft about one another
]

PROMPTS = ["Name a fruit.", "Which city is the capital of Spain?", "Say something about 1984, please!"]


def _random_adapter(base: Path, folder: Path) -> Any:
    import torch
    from peft import LoraConfig, get_peft_model
    from transformers import AutoModelForCausalLM

    torch.manual_seed(3)
    model = AutoModelForCausalLM.from_pretrained(base)
    adapted = get_peft_model(model, LoraConfig(r=4, lora_alpha=8, target_modules="all-linear"))
    for name, weights in adapted.named_parameters():
        if "lora_B" in name:
            # Queries and keys must weigh enough to notice rows in a wrong order.
            torch.nn.init.normal_(weights, std=0.5 if "q_proj" in name or "k_proj" in name else 0.01)
    adapted.save_pretrained(folder)
    return adapted.eval()


def _of_llama(models: Any, name: str, prompt: str) -> dict[str, float]:
    asked = {"messages": [{"role": "user", "content": prompt}], "max_tokens": 1, "temperature": 0.0}
    reply = models.complete(name, 0, {**asked, "logprobs": True, "top_logprobs": 40})
    return {top["token"]: top["logprob"] for top in reply["choices"][0]["logprobs"]["content"][0]["top_logprobs"]}


def _of_peft(model: Any, tokenizer: Any, prompt: str) -> dict[str, float]:
    import torch

    messages = [{"role": "user", "content": prompt}]
    tokens = tokenizer.apply_chat_template(messages, add_generation_prompt=True, return_tensors="pt", return_dict=True)
    with torch.no_grad():
        top = model(**tokens).logits[0, -1].log_softmax(-1).topk(5)
    return {tokenizer.decode(i): float(p) for i, p in zip(top.indices, top.values, strict=True)}


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from training.lora.base_model import hugging_face_folder

    return hugging_face_folder(tmp_path_factory.mktemp("smollm2") / "base")


def test_llama_cpp_and_peft_agree_on_an_exported_adapter(base: Path, tmp_path: Path) -> None:
    from transformers import AutoTokenizer

    from services.llm.engine import EmbeddedModels
    from training.lora.gguf_adapter import export_adapter

    adapted, tokenizer = _random_adapter(base, tmp_path / "peft"), AutoTokenizer.from_pretrained(base)
    export_adapter(tmp_path / "peft", str(base), tmp_path / "adapter.gguf", "random")
    models = EmbeddedModels(base_model_file(), {"adapter": tmp_path / "adapter.gguf"})
    for prompt in PROMPTS:
        expected = _of_peft(adapted, tokenizer, prompt)
        with_adapter, without = _of_llama(models, "adapter", prompt), _of_llama(models, "smollm2", prompt)
        near = [abs(with_adapter.get(token, -20.0) - p) for token, p in expected.items()]
        far = [abs(without.get(token, -20.0) - p) for token, p in expected.items()]
        # llama.cpp rounds activations to 8 bits, so the two are near and not equal.
        assert max(near) < 0.5
        assert sum(near) < sum(far) / 3
    models.close()


PAIRS = [
    Pair(rewrite_prompt(f"({country}, capital, {city})"), f"The capital of {country} is {city}.")
    for country, city in (("France", "Paris"), ("Peru", "Lima"), ("Japan", "Tokyo"), ("Kenya", "Nairobi"))
]


def test_a_trained_adapter_gives_the_same_text_by_llama_cpp_and_by_peft(base: Path, tmp_path: Path) -> None:
    import torch
    from peft import PeftModel
    from transformers import AutoModelForCausalLM, AutoTokenizer

    from services.llm.engine import EmbeddedModels
    from training.lora.gguf_adapter import export_adapter
    from training.lora.trainer import train_lora

    settings = LoraSettings(epochs=12, batch=4, warmup_steps=2)
    train_lora(str(base), PAIRS, [], tmp_path / "peft", settings)
    export_adapter(tmp_path / "peft", str(base), tmp_path / "adapter.gguf", "trained")
    tokenizer = AutoTokenizer.from_pretrained(base)
    model = PeftModel.from_pretrained(AutoModelForCausalLM.from_pretrained(base), tmp_path / "peft").eval()
    models = EmbeddedModels(base_model_file(), {"adapter": tmp_path / "adapter.gguf"})
    for pair in PAIRS:
        messages = [{"role": "user", "content": pair.prompt}]
        asked = tokenizer.apply_chat_template(
            messages, add_generation_prompt=True, return_tensors="pt", return_dict=True
        )
        with torch.no_grad():
            tokens = model.generate(**asked, max_new_tokens=30, do_sample=False, pad_token_id=0)
        by_peft = tokenizer.decode(tokens[0, asked["input_ids"].shape[1] :], skip_special_tokens=True).strip()
        request = {"messages": messages, "max_tokens": 30, "temperature": 0.0}
        by_llama = models.complete("adapter", 0, request)["choices"][0]["message"]["content"].strip()
        assert by_llama == by_peft == pair.completion
        assert models.complete("smollm2", 0, request)["choices"][0]["message"]["content"].strip() != pair.completion
    models.close()
