"""Train the plan network on examples, and score it on others."""

import random
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import torch
from tokenizers import Tokenizer
from torch import nn

from training.checkpoint import Checkpoint
from training.planning.batches import collate
from training.planning.examples import Example
from training.planning.network import Batch, PlanNetwork

_PER_SCHEMA = 16
"""The number of questions about one schema in a batch, which share the encoding of its elements."""
_POOL = 64
_ELEMENTS_ALIKE = 12
_VALIDATION_BATCH = 48

ProgressCallback = Callable[[int, int, str], None]


@dataclass(frozen=True, slots=True)
class FitOptions:
    """Configure the training of a plan network.

    `examples` is the number of examples to show, including repetitions. The learning rate of the encoder is separate,
    since it is pretrained; its word embeddings stay as they are. The rates rise during the first `warm_up` of the run,
    stay, and fall to 0 from `decay_from` on. The first `frozen_layers` of the encoder stay as they are, which saves
    most of the time of a step.
    """

    examples: int
    seed: int = 1
    batch: int = 32
    rate: float = 5e-4
    encoder_rate: float = 5e-5
    weight_decay: float = 0.01
    warm_up: float = 0.03
    decay_from: float = 0.3
    frozen_layers: int = 0


@dataclass(frozen=True, slots=True)
class FitScores:
    """Hold the shares of whole plans and of single actions that the network ranks first."""

    plans: float
    actions: float

    def __str__(self) -> str:
        return f"plans {self.plans:.1%}, actions {self.actions:.1%}"


class PlanFit:
    """Train a plan network, on a GPU if there is one; equal seeds give equal networks on one machine without a GPU."""

    def __init__(self, network: PlanNetwork, tokenizer: Tokenizer, options: FitOptions) -> None:
        self.network = network
        self._tokenizer = tokenizer
        self._options = options
        self._order = random.Random(options.seed)
        self._dropping = random.Random(options.seed)
        self._epoch_start: Any = self._order.getstate()
        self._batches_done = 0
        self._device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        network.to(self._device)
        torch.manual_seed(options.seed)
        for embedding in (network.encoder.words, network.encoder.positions):
            embedding.weight.requires_grad_(False)
        if options.frozen_layers:
            for frozen in (network.encoder.norm, *network.encoder.layers[: options.frozen_layers]):
                frozen.requires_grad_(False)
            network.encoder.segment.requires_grad_(False)
        encoder = [parameter for parameter in network.encoder.parameters() if parameter.requires_grad]
        own = {id(parameter) for parameter in encoder}
        rest = [one for one in network.parameters() if one.requires_grad and id(one) not in own]
        groups = [{"params": encoder, "lr": options.encoder_rate}, {"params": rest, "lr": options.rate}]
        self._adamw = torch.optim.AdamW(groups, weight_decay=options.weight_decay, fused=True)
        capabilities = torch.cpu.get_capabilities()
        is_fast = capabilities.get("avx512_bf16") or capabilities.get("amx_bf16")
        self._has_bfloat16 = self._device.type == "cuda" or bool(is_fast)
        self._shown = 0

    def run(
        self, examples: Sequence[Example], progress: ProgressCallback, checkpoint: Checkpoint | None = None
    ) -> None:
        """Show the examples until `options.examples` were shown; resume from the checkpoint if it has a state."""
        if checkpoint is not None and (saved := checkpoint.load()):
            self._restore(saved)
        average = 0.0
        while self._shown < self._options.examples:
            self._epoch_start, done = self._order.getstate(), self._batches_done
            for batch in islice(self._batches(examples), done, None):
                loss = self._step(batch)
                average = loss if not average else 0.98 * average + 0.02 * loss
                self._shown += len(batch)
                self._batches_done += 1
                progress(min(self._shown, self._options.examples), self._options.examples, f"loss {average:.3f}")
                is_last = self._shown >= self._options.examples
                if checkpoint is not None:
                    checkpoint.save(self._state, is_last)
                if is_last:
                    return
            self._batches_done = 0

    def score(self, examples: Sequence[Example]) -> FitScores:
        """Score the network on examples."""
        self.network.eval()
        plans = actions = count = 0
        ordered = sorted(examples, key=lambda example: len(example.schema.texts))
        with torch.no_grad():
            for start in range(0, len(ordered), _VALIDATION_BATCH):
                batch = collate(ordered[start : start + _VALIDATION_BATCH], self._tokenizer).to(self._device)
                right = self._log_probabilities(batch).argmax(-1) == batch.gold
                is_gold = batch.gold >= 0
                plans += int((right | ~is_gold).all(1).sum())
                actions += int((right & is_gold).sum())
                count += int(is_gold.sum())
        return FitScores(plans / max(1, len(examples)), actions / max(1, count))

    def _step(self, examples: Sequence[Example]) -> float:
        share = self._shown / self._options.examples
        factor = min(1.0, (share + 1e-4) / self._options.warm_up)
        if share > self._options.decay_from:
            factor = (1.0 - share) / (1.0 - self._options.decay_from)
        for group, rate in zip(self._adamw.param_groups, (self._options.encoder_rate, self._options.rate), strict=True):
            group["lr"] = rate * factor
        self.network.train()
        batch = collate(examples, self._tokenizer, self._dropping).to(self._device)
        found = self._log_probabilities(batch)
        is_gold = batch.gold >= 0
        gold = found.gather(-1, batch.gold.clamp(min=0)[..., None])[..., 0]
        loss = -(gold * is_gold).sum() / is_gold.sum()
        self._adamw.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(self.network.parameters(), 1.0)
        self._adamw.step()
        return float(loss.item())

    def _log_probabilities(self, batch: Batch) -> Any:
        with torch.autocast(self._device.type, dtype=torch.bfloat16, enabled=self._has_bfloat16):
            return self.network(batch)

    def _batches(self, examples: Sequence[Example]) -> Iterator[list[Example]]:
        """Yield batches of a few schemas of similar size each, with some questions about each schema."""
        by_schema: dict[int, list[Example]] = defaultdict(list)
        for example in self._order.sample(list(examples), len(examples)):
            by_schema[id(example.schema)].append(example)
        chunks = [
            by_length[start : start + _PER_SCHEMA]
            for group in by_schema.values()
            for first in range(0, len(group), _PER_SCHEMA * _PER_SCHEMA)
            for by_length in [sorted(group[first : first + _PER_SCHEMA * _PER_SCHEMA], key=_length)]
            for start in range(0, len(by_length), _PER_SCHEMA)
        ]
        self._order.shuffle(chunks)
        for start in range(0, len(chunks), _POOL):
            yield from self._packed(chunks[start : start + _POOL])

    def _packed(self, chunks: list[list[Example]]) -> list[list[Example]]:
        batches: list[list[Example]] = [[]]
        # Batches are padded to the most elements and the longest question among them.
        for chunk in sorted(chunks, key=lambda one: (len(one[0].schema.texts) // _ELEMENTS_ALIKE, _length(one[-1]))):
            if len(batches[-1]) >= self._options.batch:
                batches.append([])
            batches[-1].extend(chunk)
        self._order.shuffle(batches)
        return batches

    def _state(self) -> dict[str, Any]:
        return {
            "shown": self._shown,
            "network": self.network.state_dict(),
            "adamw": self._adamw.state_dict(),
            "epoch_start": self._epoch_start,
            "batches_done": self._batches_done,
            "dropping": self._dropping.getstate(),
            "torch": torch.get_rng_state(),
        }

    def _restore(self, state: dict[str, Any]) -> None:
        self._shown = state["shown"]
        self.network.load_state_dict(state["network"])
        self._adamw.load_state_dict(state["adamw"])
        self._order.setstate(state["epoch_start"])
        self._batches_done = state["batches_done"]
        self._dropping.setstate(state["dropping"])
        torch.set_rng_state(state["torch"])


def _length(example: Example) -> int:
    return len(example.question)
