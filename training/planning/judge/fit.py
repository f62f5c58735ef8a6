"""Train the judge on choices, and measure how often it chooses right."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
from torch import nn

from training.checkpoint import Checkpoint
from training.planning.fit import ProgressCallback
from training.planning.judge.batches import ReadChoice, judge_batch
from training.planning.judge.network import JudgeNetwork, listwise_loss

_POOL = 40  # batches, among which choices of similar size come together
_SCORED = 32


@dataclass(frozen=True, slots=True)
class JudgeOptions:
    """Configure the training of a judge.

    `shown` is the number of choices to show, with repetitions, each with at most `plans` plans. The rate rises during
    the first `warm_up` of the run, and falls to 0; that of what does not come from the decoder is `head_rate`.
    """

    shown: int
    seed: int = 1
    batch: int = 24
    plans: int = 6
    rate: float = 2e-4
    head_rate: float = 1e-3
    warm_up: float = 0.03
    weight_decay: float = 0.01


@dataclass(frozen=True, slots=True)
class JudgeScores:
    """Hold how often a judge chooses a right plan where there is one, and how often none where there is none."""

    right: float
    none: float

    def __str__(self) -> str:
        return f"right plan {self.right:.1%}, none {self.none:.1%}"


class JudgeFit:
    """Train a judge; equal seeds give equal networks on one machine."""

    def __init__(self, network: JudgeNetwork, options: JudgeOptions) -> None:
        self.network = network
        self._options = options
        self._rng = random.Random(options.seed)
        torch.manual_seed(options.seed)
        new = [*network.inner.parameters(), *network.head.parameters()]
        own = set(map(id, new))
        groups = [
            {"params": [one for one in network.parameters() if id(one) not in own], "lr": options.rate},
            {"params": new, "lr": options.head_rate},
        ]
        self._adamw = torch.optim.AdamW(groups, weight_decay=options.weight_decay, fused=True)
        self._shown = 0

    def run(
        self, choices: Sequence[ReadChoice], progress: ProgressCallback, checkpoint: Checkpoint | None = None
    ) -> None:
        """Show choices until `shown` were; resume from the checkpoint if it has a state."""
        if checkpoint is not None and (saved := checkpoint.load()):
            self._restore(saved)
        average = 0.0
        while self._shown < self._options.shown:
            for batch in self._batches(choices):
                loss = self._step(batch)
                average = 0.99 * average + 0.01 * loss if average else loss
                self._shown += len(batch)
                progress(min(self._shown, self._options.shown), self._options.shown, f"loss {average:.3f}")
            if checkpoint is not None:
                checkpoint.save(self._state, self._shown >= self._options.shown)

    def score(self, choices: Sequence[ReadChoice]) -> JudgeScores:
        """Measure the judge on choices, with all their plans."""
        self.network.eval()
        right, none = list[bool](), list[bool]()
        with torch.no_grad():
            for start in range(0, len(choices), _SCORED):
                part = choices[start : start + _SCORED]
                batch = judge_batch(part)
                scores = self.network(batch).masked_fill(~batch.mask.any(-1), -1e4).numpy()
                for one, row in zip(part, scores, strict=True):
                    if one.choice.is_answerable:
                        right.append(int(np.argmax(row)) == 0)
                    else:
                        none.append(float(row.max()) < 0.0)
        return JudgeScores(sum(right) / max(1, len(right)), sum(none) / max(1, len(none)))

    def _batches(self, choices: Sequence[ReadChoice]) -> Iterator[list[ReadChoice]]:
        """Yield some batches of choices of similar size, with some of their plans each."""
        size = self._options.batch
        drawn = [self._some_plans(one) for one in self._rng.choices(choices, k=_POOL * size)]
        drawn.sort(key=lambda one: (max(map(len, one.choice.plans)) // 4, len(one.memory)))
        batches = [drawn[start : start + size] for start in range(0, len(drawn), size)]
        self._rng.shuffle(batches)
        yield from batches

    def _some_plans(self, one: ReadChoice) -> ReadChoice:
        """Return a choice with its right plan and some of the others."""
        first, others = one.choice.plans[: one.choice.is_answerable], one.choice.plans[one.choice.is_answerable :]
        kept = self._rng.sample(others, min(len(others), self._options.plans - len(first)))
        return replace(one, choice=replace(one.choice, plans=(*first, *kept)))

    def _step(self, choices: Sequence[ReadChoice]) -> float:
        share = self._shown / self._options.shown
        factor = min((share + 1e-4) / self._options.warm_up, max(0.0, 1.0 - share), 1.0)
        for group, rate in zip(self._adamw.param_groups, (self._options.rate, self._options.head_rate), strict=True):
            group["lr"] = rate * factor
        self.network.train()
        batch = judge_batch(choices)
        loss = listwise_loss(self.network(batch), batch.mask.any(-1), batch.is_answerable)
        self._adamw.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(self.network.parameters(), 1.0)
        self._adamw.step()
        return float(loss.item())

    def _state(self) -> dict[str, Any]:
        return {
            "shown": self._shown,
            "network": self.network.state_dict(),
            "adamw": self._adamw.state_dict(),
            "rng": self._rng.getstate(),
            "torch": torch.get_rng_state(),
        }

    def _restore(self, state: dict[str, Any]) -> None:
        self._shown = state["shown"]
        self.network.load_state_dict(state["network"])
        self._adamw.load_state_dict(state["adamw"])
        self._rng.setstate(state["rng"])
        torch.set_rng_state(state["torch"])
