"""Fine-tune a causal language model with LoRA on (prompt, completion) pairs, on a GPU if there is one.

Only completion tokens contribute to the loss (RRA, eq. 21).
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
from peft import LoraConfig, PeftModel, get_peft_model, prepare_model_for_kbit_training, set_peft_model_state_dict
from transformers import AutoModelForCausalLM, AutoTokenizer

from shared.errors import InvalidInputError
from training.checkpoint import Checkpoint
from training.lora.gguf_adapter import Adapter
from training.lora.packing import Pack, encode, pack_all
from training.lora.task import LoraSettings, Pair, Progress, Reports, Sample, Validation

_VALIDATIONS = 4
_SAMPLES = 2
_SAMPLE_TOKENS = 80
_QUICK_VALIDATION = 50


@dataclass(frozen=True, slots=True)
class Result:
    """Hold the held-out loss in nats per completion token, the number of overlong pairs, and the total time."""

    loss: float
    too_long: int
    seconds: float = field(compare=False)


def train_lora(
    base: str,
    pairs: Sequence[Pair],
    held_out: Sequence[Pair],
    out: Path,
    settings: LoraSettings,
    reports: Reports = Reports(),  # noqa: B008 - it is immutable
    start: Adapter | None = None,
    export: Callable[[], None] = lambda: None,
) -> Result:
    """Fine-tune a model on pairs, and write the adapter in peft's format.

    An interrupted run resumes from its last checkpoint when started again with the same arguments. Training is
    reproducible: the same pairs and settings give the same adapter on the same machine.

    Pairs longer than `settings.max_tokens` are skipped. `start` is the adapter to continue from; `settings` must have
    the same rank and alpha. `export` is called after the adapter is written and before the checkpoint is removed, so
    that an interrupted export is repeated.

    Raise InvalidInputError if the base is not a causal language model with a chat template, if `start` was trained on a
    different model, or if every pair is too long.
    """
    torch.manual_seed(settings.seed)
    tokenizer, model = _tokenizer(base), _with_adapter(base, settings)
    if settings.neftune:
        _add_noise(model, settings.neftune)
    if start:
        _load_adapter(model, start)
    examples = encode(tokenizer, pairs, settings.max_tokens)
    if not examples:
        raise InvalidInputError(f"all {len(pairs)} pairs are longer than {settings.max_tokens} tokens")
    packs = pack_all(examples, settings.pack_tokens)
    batches = [batch for epoch in range(settings.epochs) for batch in _batches(packs, settings, epoch)]
    trainer = _Trainer(model, batches, settings)
    identity = ["lora", base, asdict(settings), start and start.digest, [example.tokens for example in examples]]
    checkpoint = Checkpoint(out, identity)
    if saved := checkpoint.load():
        trainer.restore(saved)
    started = time.monotonic() - trainer.seconds
    validator = _Validator(model, tokenizer, held_out, settings)
    validated = {len(batches) * part // _VALIDATIONS for part in range(1, _VALIDATIONS)}
    while trainer.step < len(batches):
        reports.progress(trainer.update())
        if trainer.step in validated:
            reports.validation(validator.validate(trainer.step, _QUICK_VALIDATION))
        checkpoint.save(trainer.state)
    last = validator.validate(trainer.step)
    reports.validation(last)
    model.peft_config["default"].base_model_name_or_path = base
    model.save_pretrained(out)
    export()
    checkpoint.remove()
    return Result(last.loss, len(pairs) - len(examples), time.monotonic() - started)


def summed_loss(model: Any, pack: Pack) -> torch.Tensor:
    """Return the summed loss of a pack's completion tokens; logits are computed for these tokens only."""
    pack = pack.to(model.device)
    with torch.autocast(model.device.type, dtype=torch.bfloat16):
        logits = model(**pack.inputs, use_cache=False, logits_to_keep=pack.predicting).logits[0]
    return torch.nn.functional.cross_entropy(logits.float(), pack.targets, reduction="sum")


class _Trainer:
    """Update the adapter batch by batch; the state can be saved between updates."""

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
        """Take an optimiser step on the mean loss of the next batch's completion tokens."""
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
        """Return the state needed to resume training from here with the same result."""
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
        """Resume from a saved state."""
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
        raise InvalidInputError(f"{base} has no tokenizer that transformers can load: {_first_line(error)}") from error


def _with_adapter(base: str, settings: LoraSettings) -> PeftModel:
    """Load the base model with frozen weights, and add an fp32 adapter to all linear layers except the output."""
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
        raise InvalidInputError(f"cannot train {base} as a language model: {_first_line(error)}") from error
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


def _add_noise(model: PeftModel, alpha: float) -> None:
    """Add uniform noise to the embeddings in training, of at most alpha / sqrt(length x dimension) (NEFTune)."""

    def noisy(embedding: torch.nn.Module, _: Any, vectors: torch.Tensor) -> torch.Tensor:
        if not embedding.training:
            return vectors
        size = alpha / math.sqrt(vectors.shape[-2] * vectors.shape[-1])
        return vectors + torch.empty_like(vectors).uniform_(-size, size)

    model.get_input_embeddings().register_forward_hook(noisy)


def _load_adapter(model: PeftModel, start: Adapter) -> None:
    try:
        read = set_peft_model_state_dict(model, {name: torch.from_numpy(w) for name, w in start.weights.items()})
    except RuntimeError as error:
        raise InvalidInputError(
            "the starting adapter fits a different model, whose layers have different sizes"
        ) from error
    if read.unexpected_keys:
        raise InvalidInputError(f"the starting adapter fits a different model: it has {read.unexpected_keys[0]}")


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0]


def _cosine(warmup: int, steps: int) -> Callable[[int], float]:
    def factor(step: int) -> float:
        if step < warmup:
            return (step + 1) / warmup
        return 0.02 + 0.98 * 0.5 * (1 + math.cos(math.pi * (step - warmup) / max(1, steps - warmup)))

    return factor


def _batches(packs: Sequence[Pack], settings: LoraSettings, epoch: int) -> list[list[Pack]]:
    """Shuffle the packs, differently each epoch, and group them into batches of about `settings.batch` examples."""
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


class _Validator:
    """Measure the model during training on the held-out pairs that are short enough."""

    def __init__(self, model: Any, tokenizer: Any, held_out: Sequence[Pair], settings: LoraSettings) -> None:
        self._model = model
        self._tokenizer = tokenizer
        self._samples = held_out[:_SAMPLES]
        self._examples = encode(tokenizer, held_out, settings.max_tokens)
        self._pack_tokens = settings.pack_tokens

    def validate(self, step: int, limit: int | None = None) -> Validation:
        """Measure the mean loss on at most `limit` pairs (NaN if there are none), and generate sample completions."""
        examples = self._examples[:limit]
        total, count = 0.0, 0
        self._model.eval()
        with torch.no_grad():
            for pack in pack_all(examples, self._pack_tokens):
                total += float(summed_loss(self._model, pack))
                count += len(pack.targets)
            samples = tuple(Sample(p.prompt, p.completion, self._generate(p.prompt)) for p in self._samples)
        self._model.train()
        return Validation(step, total / count if count else math.nan, len(examples), samples)

    def _generate(self, prompt: str) -> str:
        tokens = self._tokenizer.apply_chat_template(
            [{"role": "user", "content": prompt}], add_generation_prompt=True, return_tensors="pt", return_dict=True
        ).to(self._model.device)
        end = self._tokenizer.eos_token_id
        with torch.autocast(self._model.device.type, dtype=torch.bfloat16):
            generated = self._model.generate(
                **tokens, max_new_tokens=_SAMPLE_TOKENS, do_sample=False, eos_token_id=end, pad_token_id=end
            )
        text: str = self._tokenizer.decode(generated[0, tokens["input_ids"].shape[1] :], skip_special_tokens=True)
        return text.strip()
