"""Measure adapters: let them write many texts at once; `kgqa up` serves adapters one text at a time."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import torch
from peft import PeftModel
from transformers import AutoModelForCausalLM, AutoTokenizer

from kgqa.console import progress_bar
from shared.paths import TRAINING_RECORD, home
from training.lora.base_model import hugging_face_folder

_AT_ONCE = 24


def texts_by(adapter: Path | None, prompts: Sequence[str], max_tokens: int) -> list[str]:
    """Complete prompts greedily with the embedded model and an adapter in peft's format, or without one.

    Args:
        adapter: The folder that `kgqa train` wrote.
        prompts: The user's messages.
        max_tokens: The number of tokens at which a text ends.

    Returns:
        The texts, in the order of the prompts.
    """
    base = str(hugging_face_folder(home() / "models" / "smollm2"))
    tokenizer = AutoTokenizer.from_pretrained(base, padding_side="left")
    tokenizer.pad_token = tokenizer.eos_token
    model: Any = AutoModelForCausalLM.from_pretrained(base, dtype=torch.bfloat16)
    if adapter:
        model = PeftModel.from_pretrained(model, str(adapter)).merge_and_unload()
    model.eval()
    texts: dict[int, str] = {}
    with progress_bar(f"texts by {adapter.name if adapter else 'the model'}", "nothing is kept") as advance:
        for numbers in _batches(prompts):
            texts |= zip(numbers, _complete(model, tokenizer, [prompts[n] for n in numbers], max_tokens), strict=True)
            advance(len(texts), len(prompts))
    return [texts[number] for number in range(len(prompts))]


def learnt_pairs(adapter: Path) -> int:
    """Return the number of pairs that an adapter was trained on."""
    return int(json.loads((adapter / TRAINING_RECORD).read_text(encoding="utf-8"))["pairs"])


def _batches(prompts: Sequence[str]) -> Iterator[list[int]]:
    """Group prompts of similar length."""
    order = sorted(range(len(prompts)), key=lambda number: len(prompts[number]))
    for start in range(0, len(order), _AT_ONCE):
        yield order[start : start + _AT_ONCE]


def _complete(model: Any, tokenizer: Any, prompts: Sequence[str], max_tokens: int) -> list[str]:
    chats = [
        tokenizer.apply_chat_template([{"role": "user", "content": one}], tokenize=False, add_generation_prompt=True)
        for one in prompts
    ]
    tokens = tokenizer(chats, return_tensors="pt", padding=True, add_special_tokens=False)
    with torch.no_grad():
        made = model.generate(
            **tokens,
            max_new_tokens=max_tokens,
            do_sample=False,
            eos_token_id=tokenizer.eos_token_id,
            pad_token_id=tokenizer.pad_token_id,
        )
    decoded: list[str] = tokenizer.batch_decode(made[:, tokens["input_ids"].shape[1] :], skip_special_tokens=True)
    return [text.strip() for text in decoded]
