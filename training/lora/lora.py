"""LoRA fine-tuning of a causal language model on (prompt, completion) pairs, on a GPU where there is one.

The loss counts the completion only (RRA eq. 21).
"""

import importlib.util
import math
import random
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import torch
from peft import (
    LoraConfig,
    PeftModel,
    get_peft_model,
    prepare_model_for_kbit_training,
    set_peft_model_state_dict,
)
from transformers import AutoModelForCausalLM, AutoTokenizer

from shared.errors import InvalidInputError
from training.checkpoint import Checkpoint
from training.lora.gguf_adapter import Adapter
from training.lora.packing import Example, Pack, encode, pack_all
from training.lora.task import Checkup, LoraSettings, Pair, Progress, Sample

_CHECKUPS = 4
_SAMPLES = 2
_SAMPLE_TOKENS = 80
_LOOKED_AT = 50


@dataclass(frozen=True, slots=True)
class Reports:
    """Who is told of each update, and of each look at the held-out pairs."""

    progress: Callable[[Progress], None] = lambda _: None
    checkup: Callable[[Checkup], None] = lambda _: None


@dataclass(frozen=True, slots=True)
class Result:
    """How a training ended: mean loss (nats a completion token) on the held-out pairs, pairs that were too long.

    `seconds`: of all the runs that it took.
    """

    loss: float
    too_long: int
    seconds: float = field(compare=False)


def train_lora(
    base: str,
    pairs: Sequence[Pair],
    held_out: Sequence[Pair],
    out: Path,
    settings: LoraSettings,
    reports: Reports | None = None,
    start: Adapter | None = None,
    finish: Callable[[], None] = lambda: None,
) -> Result:
    """Fine-tune the model `base`, a folder or a hub name, on `pairs`; write the peft adapter to the folder `out`.

    `start`: the adapter to go on from, of the settings' rank and alpha; else a fresh one. A training that was broken
    off goes on where it was, if all is the same as before. Same pairs, settings and machine give the same adapter.
    `finish` is called once the adapter is written; a kill until it returns leaves a training to go on with.
    Raises InvalidInputError for a base that is no causal language model with a chat template.
    """
    reports = reports or Reports()
    torch.manual_seed(settings.seed)
    tokenizer, model = _tokenizer(base), _with_adapter(base, settings)
    if start:
        _begin_at(model, start)
    examples = encode(tokenizer, pairs, settings.max_tokens)
    if not examples:
        raise InvalidInputError(f"none of the {len(pairs)} pairs is short enough ({settings.max_tokens} tokens)")
    packs = pack_all(examples, settings.pack_tokens)
    batches = [batch for epoch in range(settings.epochs) for batch in _batches(packs, settings, epoch)]
    training = _Training(model, batches, settings)
    identity = ["lora", base, asdict(settings), start and start.mark, [example.tokens for example in examples]]
    checkpoint = Checkpoint(out, identity)
    if saved := checkpoint.load():
        training.restore(saved)
    started = time.monotonic() - training.seconds
    kept_out = encode(tokenizer, held_out, settings.max_tokens)
    looks = {len(batches) * part // _CHECKUPS for part in range(1, _CHECKUPS)}
    while training.step < len(batches):
        reports.progress(training.update())
        if training.step in looks:
            reports.checkup(_looked_at(training.step, model, tokenizer, kept_out[:_LOOKED_AT], held_out, settings))
        checkpoint.save(training.state)
    last = _looked_at(training.step, model, tokenizer, kept_out, held_out, settings)
    reports.checkup(last)
    model.peft_config["default"].base_model_name_or_path = base
    model.save_pretrained(out)
    finish()
    checkpoint.remove()
    return Result(last.loss, len(pairs) - len(examples), time.monotonic() - started)


def evaluate(model: Any, examples: Sequence[Example], settings: LoraSettings) -> float:
    """Mean loss in nats a completion token; nan without examples."""
    if not examples:
        return math.nan
    total, count = 0.0, 0
    model.eval()
    with torch.no_grad():
        for pack in pack_all(examples, settings.pack_tokens):
            total += float(summed_loss(model, pack))
            count += len(pack.targets)
    model.train()
    return total / count


def summed_loss(model: Any, pack: Pack) -> torch.Tensor:
    """Sum of the completion tokens' losses; the vocabulary is projected for these only."""
    pack = pack.to(model.device)
    with torch.autocast(model.device.type, dtype=torch.bfloat16):
        logits = model(**pack.inputs, use_cache=False, logits_to_keep=pack.predicting).logits[0]
    return torch.nn.functional.cross_entropy(logits.float(), pack.targets, reduction="sum")


class _Training:
    """A training between two updates."""

    def __init__(self, model: Any, batches: Sequence[list[Pack]], settings: LoraSettings) -> None:
        self.step = 0
        self._model = model
        self._batches = batches
        self._trained = {name: p for name, p in model.named_parameters() if p.requires_grad}
        self._optimizer = torch.optim.AdamW(
            self._trained.values(), lr=settings.learning_rate, weight_decay=0.0, betas=(0.9, 0.98)
        )
        factor = _cosine(settings.warmup_steps, len(batches))
        self._schedule = torch.optim.lr_scheduler.LambdaLR(self._optimizer, factor)
        self._tokens = 0
        self.seconds = 0.0

    def update(self) -> Progress:
        """One step down the mean loss of a batch's completion tokens."""
        started = time.monotonic()
        batch = self._batches[self.step]
        count = sum(len(pack.targets) for pack in batch)
        summed = 0.0
        for pack in batch:
            loss = summed_loss(self._model, pack)
            (loss / count).backward()
            summed += float(loss.detach())
            self._tokens += pack.inputs["input_ids"].numel()
        torch.nn.utils.clip_grad_norm_(self._trained.values(), 1.0)
        self._optimizer.step()
        self._schedule.step()
        self._optimizer.zero_grad(set_to_none=True)
        self.step += 1
        self.seconds += time.monotonic() - started
        return Progress(self.step, len(self._batches), summed / count, self._tokens, self.seconds)

    def state(self) -> dict[str, Any]:
        """All that a training needs to go on from here as if nothing had happened."""
        return {
            "step": self.step,
            "tokens": self._tokens,
            "seconds": self.seconds,
            "weights": {name: p.detach() for name, p in self._trained.items()},
            "optimizer": self._optimizer.state_dict(),
            "schedule": self._schedule.state_dict(),
            "random": torch.get_rng_state(),
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Go on from a saved state."""
        self.step, self._tokens, self.seconds = state["step"], state["tokens"], state["seconds"]
        with torch.no_grad():
            for name, parameter in self._trained.items():
                parameter.copy_(state["weights"][name])
        self._optimizer.load_state_dict(state["optimizer"])
        self._schedule.load_state_dict(state["schedule"])
        torch.set_rng_state(state["random"])


def _tokenizer(base: str) -> Any:
    try:
        return AutoTokenizer.from_pretrained(base)
    except (OSError, ValueError, KeyError) as error:
        raise InvalidInputError(f"{base} has no tokenizer that transformers can read: {_first_line(error)}") from error


def _with_adapter(base: str, settings: LoraSettings) -> PeftModel:
    """The base model, frozen, with a fresh adapter in fp32 on all linear layers but the output's."""
    on_gpu = torch.cuda.is_available()
    loading: dict[str, Any] = {"dtype": torch.bfloat16, "attn_implementation": "sdpa"}
    in_four_bits = on_gpu and importlib.util.find_spec("bitsandbytes") is not None
    if in_four_bits:
        from transformers import BitsAndBytesConfig

        loading["quantization_config"] = BitsAndBytesConfig(
            load_in_4bit=True,
            bnb_4bit_quant_type="nf4",
            bnb_4bit_use_double_quant=True,
            bnb_4bit_compute_dtype=torch.bfloat16,
        )
    try:
        model = AutoModelForCausalLM.from_pretrained(base, **loading)
    except (OSError, ValueError, KeyError) as error:
        raise InvalidInputError(f"{base} cannot be trained as a language model: {_first_line(error)}") from error
    if in_four_bits:
        model = prepare_model_for_kbit_training(model)
    elif on_gpu:
        model = model.to("cuda")
        model.gradient_checkpointing_enable()
        model.enable_input_require_grads()
    config = LoraConfig(
        r=settings.rank,
        lora_alpha=settings.alpha,
        lora_dropout=settings.dropout,
        target_modules="all-linear",
        task_type="CAUSAL_LM",
    )
    return get_peft_model(model, config)


def _begin_at(model: PeftModel, start: Adapter) -> None:
    try:
        read = set_peft_model_state_dict(model, {name: torch.from_numpy(w) for name, w in start.weights.items()})
    except RuntimeError as error:
        raise InvalidInputError("the adapter to begin with is of another model, with layers of other sizes") from error
    if read.unexpected_keys:
        raise InvalidInputError(f"the adapter to begin with is of another model: {read.unexpected_keys[0]}")


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0]


def _cosine(warmup: int, steps: int) -> Callable[[int], float]:
    def factor(step: int) -> float:
        if step < warmup:
            return (step + 1) / warmup
        return 0.02 + 0.98 * 0.5 * (1 + math.cos(math.pi * (step - warmup) / max(1, steps - warmup)))

    return factor


def _batches(packs: Sequence[Pack], settings: LoraSettings, epoch: int) -> list[list[Pack]]:
    """The packs in another order each epoch, as many together as hold about `batch` examples."""
    order = list(packs)
    random.Random(settings.seed + epoch).shuffle(order)
    batches: list[list[Pack]] = [[]]
    held = 0
    for pack in order:
        if held >= settings.batch:
            batches.append([])
            held = 0
        batches[-1].append(pack)
        held += pack.examples
    return batches


def _looked_at(
    step: int, model: Any, tokenizer: Any, examples: Sequence[Example], pairs: Sequence[Pair], settings: LoraSettings
) -> Checkup:
    loss = evaluate(model, examples, settings)
    return Checkup(step, loss, len(examples), _samples(model, tokenizer, pairs))


def _samples(model: Any, tokenizer: Any, pairs: Sequence[Pair]) -> tuple[Sample, ...]:
    return tuple(
        Sample(pair.prompt, pair.completion, _said(model, tokenizer, pair.prompt)) for pair in pairs[:_SAMPLES]
    )


def _said(model: Any, tokenizer: Any, prompt: str) -> str:
    tokens = tokenizer.apply_chat_template(
        [{"role": "user", "content": prompt}], add_generation_prompt=True, return_tensors="pt", return_dict=True
    ).to(model.device)
    model.eval()
    with torch.no_grad(), torch.autocast(model.device.type, dtype=torch.bfloat16):
        said = model.generate(
            **tokens,
            max_new_tokens=_SAMPLE_TOKENS,
            do_sample=False,
            eos_token_id=tokenizer.eos_token_id,
            pad_token_id=tokenizer.eos_token_id,
        )
    model.train()
    text: str = tokenizer.decode(said[0, tokens["input_ids"].shape[1] :], skip_special_tokens=True)
    return text.strip()
