"""LoRA fine-tuning of a causal language model on (prompt, completion) pairs, made to be quick on a CPU.

The loss counts the completion only (RRA eq. 21). All prompts of one task begin alike (system message and the template's
first words), and several questions may be asked of the same facts, so examples are packed into sequences that hold each
shared beginning once: a tree of tokens, in which an attention mask lets each token see its own branch. This gives the
very gradients that separate sequences give, at half to two thirds of the cost.
"""

import math
import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from peft import LoraConfig, PeftModel, get_peft_model
from transformers import AutoModelForCausalLM, AutoTokenizer

from shared.llm.training.task import LoraSettings, Pair, Progress

LINEAR_LAYERS = ("q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj")


@dataclass(frozen=True, slots=True)
class _Example:
    tokens: list[int]
    prompt_length: int


@dataclass(frozen=True, slots=True)
class _Pack:
    inputs: dict[str, torch.Tensor]
    predicting: torch.Tensor
    targets: torch.Tensor


def train_lora(
    base: Path,
    pairs: Sequence[Pair],
    held_out: Sequence[Pair],
    out: Path,
    settings: LoraSettings | None = None,
    report: Callable[[Progress], None] = lambda _: None,
    start_from: Path | None = None,
) -> float:
    """Fine-tune the model in folder `base` on `pairs`; write the peft adapter to `out`.

    `start_from`: a peft adapter to train further, of which rank and alpha are kept. Returns the mean loss (nats a
    completion token) on `held_out`. Same pairs, settings and machine give the same adapter. Pairs longer than
    `max_tokens` are left out.
    """
    settings = settings or LoraSettings()
    torch.manual_seed(settings.seed)
    tokenizer = AutoTokenizer.from_pretrained(base)
    model = _with_adapter(base, settings, start_from)
    packs = _packs(encode(tokenizer, pairs, settings.max_tokens), settings)
    batches = [batch for epoch in range(settings.epochs) for batch in _batches(packs, settings, epoch)]
    _run(model, batches, settings, report)
    model.save_pretrained(out)
    return evaluate(model, encode(tokenizer, held_out, settings.max_tokens), settings)


def encode(tokenizer: Any, pairs: Sequence[Pair], max_tokens: int) -> list[_Example]:
    """Token ids of each pair under the model's chat template, with the end-of-turn token after the completion."""
    examples = []
    for pair in pairs:
        messages = [{"role": "user", "content": pair.prompt}]
        rendered = tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=True)
        prompt = tokenizer.encode(rendered, add_special_tokens=False)
        completion = [*tokenizer.encode(pair.completion, add_special_tokens=False), tokenizer.eos_token_id]
        if len(prompt) + len(completion) <= max_tokens:
            examples.append(_Example(prompt + completion, len(prompt)))
    return examples


def evaluate(model: Any, examples: Sequence[_Example], settings: LoraSettings) -> float:
    """Mean loss in nats a completion token."""
    if not examples:
        return math.nan
    total, count = 0.0, 0
    model.eval()
    with torch.no_grad():
        for pack in _packs(examples, settings):
            total += float(_loss(model, pack))
            count += len(pack.targets)
    model.train()
    return total / count


def _with_adapter(base: Path, settings: LoraSettings, start_from: Path | None = None) -> PeftModel:
    model = AutoModelForCausalLM.from_pretrained(base, dtype=torch.bfloat16, attn_implementation="sdpa")
    if start_from:
        return PeftModel.from_pretrained(model, start_from, is_trainable=True)
    config = LoraConfig(
        r=settings.rank,
        lora_alpha=settings.alpha,
        lora_dropout=settings.dropout,
        target_modules=list(LINEAR_LAYERS),
        task_type="CAUSAL_LM",
    )
    return get_peft_model(model, config)  # the adapter itself is kept in fp32


def _run(
    model: Any, batches: Sequence[list[_Pack]], settings: LoraSettings, report: Callable[[Progress], None]
) -> None:
    trained = [p for p in model.parameters() if p.requires_grad]
    optimizer = torch.optim.AdamW(trained, lr=settings.learning_rate, weight_decay=0.0, betas=(0.9, 0.98))
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, _cosine(settings.warmup_steps, len(batches)))
    start, tokens = time.monotonic(), 0
    for step, batch in enumerate(batches, 1):
        count = sum(len(pack.targets) for pack in batch)
        summed = 0.0
        for pack in batch:
            loss = _loss(model, pack)
            (loss / count).backward()
            summed += float(loss.detach())
            tokens += pack.inputs["input_ids"].numel()
        torch.nn.utils.clip_grad_norm_(trained, 1.0)
        optimizer.step()
        schedule.step()
        optimizer.zero_grad(set_to_none=True)
        report(Progress(step, len(batches), summed / count, tokens, time.monotonic() - start))


def _cosine(warmup: int, steps: int) -> Callable[[int], float]:
    def factor(step: int) -> float:
        if step < warmup:
            return (step + 1) / warmup
        return 0.02 + 0.98 * 0.5 * (1 + math.cos(math.pi * (step - warmup) / max(1, steps - warmup)))

    return factor


def _loss(model: Any, pack: _Pack) -> torch.Tensor:
    """Summed loss of the completion tokens; the vocabulary is projected for these only."""
    causal = model.get_base_model()
    with torch.autocast("cpu", dtype=torch.bfloat16):
        hidden = causal.model(**pack.inputs, use_cache=False).last_hidden_state[0, pack.predicting]
        logits = causal.lm_head(hidden)
    return torch.nn.functional.cross_entropy(logits.float(), pack.targets, reduction="sum")


def _batches(packs: Sequence[_Pack], settings: LoraSettings, epoch: int) -> list[list[_Pack]]:
    order = list(packs)
    random.Random(settings.seed + epoch).shuffle(order)
    size = settings.packs_a_step
    return [order[i : i + size] for i in range(0, len(order), size)]


def _packs(examples: Sequence[_Example], settings: LoraSettings) -> list[_Pack]:
    """Pack the examples in their order; neighbours that begin alike share that beginning."""
    packs: list[_Pack] = []
    current: list[_Example] = []
    length = 0
    for example in examples:
        added = len(example.tokens) - (_common(current[-1], example) if current else 0)
        if current and length + added > settings.pack_tokens:
            packs.append(_pack(current))
            current, length, added = [], 0, len(example.tokens)
        current.append(example)
        length += added
    if current:
        packs.append(_pack(current))
    return packs


def _common(first: _Example, second: _Example) -> int:
    """The number of tokens with which both begin."""
    pairs = zip(first.tokens, second.tokens, strict=False)
    return next((i for i, (a, b) in enumerate(pairs) if a != b), min(len(first.tokens), len(second.tokens)))


def _pack(examples: Sequence[_Example]) -> _Pack:
    tokens: list[int] = []
    positions: list[int] = []
    predicting: list[int] = []
    targets: list[int] = []
    branches: list[tuple[list[int], int, int]] = []
    path: list[int] = []  # where in the sequence each token of the example stands
    for before, example in zip([None, *examples], examples, strict=False):
        shared = _common(before, example) if before else 0
        start = len(tokens)
        tokens += example.tokens[shared:]
        positions += range(shared, len(example.tokens))
        path = [*path[:shared], *range(start, len(tokens))]
        branches.append((path[:shared], start, len(tokens)))
        predicting += path[example.prompt_length - 1 : -1]
        targets += example.tokens[example.prompt_length :]
    visible = torch.zeros(len(tokens), len(tokens), dtype=torch.bool)
    for ancestors, start, end in branches:
        visible[start:end, ancestors] = True
        visible[start:end, start:end] = torch.ones(end - start, end - start, dtype=torch.bool).tril()
    inputs = {
        "input_ids": torch.tensor([tokens]),
        "position_ids": torch.tensor([positions]),
        "attention_mask": visible[None, None],
    }
    return _Pack(inputs, torch.tensor(predicting), torch.tensor(targets))
