"""Gradient descent: masked questions in, the network that does best on validation questions out."""

import copy
import math
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import torch
from tokenizers import Tokenizer
from torch import Tensor, nn

from services.retriever.model import Query
from services.retriever.training.examples import Example, MaskedQuestion, examples_of
from services.retriever.training.network import Network, pretrained_encoder
from services.retriever.training.noise import Noise
from services.retriever.training.scoring import PathScores, Predictor, score_paths
from services.retriever.training.synonyms import synonyms_in
from shared.encoder import MAX_TOKENS, TOKENIZER_FILE, Vectors

_IGNORED = -100
_HEAD_LEARNING_RATE = 10  # times the encoder's: the heads start from nothing
_WARM_UP = 0.06
_CHUNK_BATCHES = 20
_PREDICTED_AT_ONCE = 64


class ProgressCallback(Protocol):
    """Told how far training is: `done` of `total`, and what is going on in a few words."""

    def __call__(self, done: int, total: int, text: str) -> None:
        """Called every few batches, from the training thread."""
        ...


@dataclass(frozen=True, slots=True)
class FitOptions:
    """Settings of the optimiser; the defaults were chosen on the example graph's validation questions.

    `passes`: at most this many examples are shown, however often each then comes; `max_epochs`: but none more often
    than this. `checks`: how often validation is looked at; `patience`: how many checks without gain end training.
    `layer_decay`: each layer learns at this share of the rate of the one above. `left_out` and `replaced`: see `Noise`.
    """

    seed: int = 1
    passes: int = 60_000
    max_epochs: int = 30
    batch_size: int = 32
    learning_rate: float = 1e-4
    layer_decay: float = 0.9
    weight_decay: float = 0.01
    dropout: float = 0.1
    left_out: float = 0.05
    replaced: float = 0.15
    checks: int = 10
    patience: int = 4
    threads: int = 1


@dataclass(frozen=True)
class Fitted:
    """The network with the best validation scores, a way to ask it, and how many examples it was shown."""

    network: Network
    predict: Predictor
    scores: PathScores
    max_hops: int
    passes: int


def fit(
    training: Sequence[MaskedQuestion],
    validation: Sequence[MaskedQuestion],
    steps: Sequence[str],
    pretrained: Path,
    options: FitOptions,
    progress: ProgressCallback,
) -> Fitted:
    """Train on `training` by cross-entropy (RRA eq. 7), keeping the state that does best on `validation`."""
    torch.manual_seed(options.seed)
    torch.set_num_threads(options.threads)
    max_hops = max(len(question.path) for question in training)
    network = Network(pretrained_encoder(pretrained, options.dropout), max_hops + 1, len(steps), options.dropout)
    tokenizer = _tokenizer(pretrained)
    predict = _predictor(network, steps, tokenizer)
    examples = examples_of(training)
    total = min(options.passes, options.max_epochs * len(examples))
    descent = _Descent(network, steps, options, total)
    best = _Best(network, options)
    done = 0
    synonyms = synonyms_in(tokenizer, network.encoder.words.weight.detach(), (question.text for question in training))
    noise = Noise(options.left_out, options.replaced, synonyms, random.Random(options.seed))
    for batch in _batches(examples, steps, tokenizer, noise, options):
        loss = descent.step(batch)
        done = min(done + len(batch.examples), total)
        progress(done, total, f"loss {loss:.3f}")
        if done >= total * (best.checks + 1) / options.checks:
            scores = best.check(score_paths(validation, steps, predict))
            progress(done, total, f"validation: paths {scores.paths:.1%}, hops {scores.hops:.1%}")
        if done >= total or best.exhausted:
            break
    return Fitted(best.restored(), predict, best.scores, max_hops, done)


class _Best:
    """Remembers the network's best state by validation scores and how often none was better since."""

    def __init__(self, network: Network, options: FitOptions) -> None:
        self._network = network
        self._patience = options.patience
        self._state: dict[str, Any] = {}
        self._unimproved = 0
        self._perfect = 0
        self.checks = 0
        self.scores = PathScores(hops=0.0, paths=-1.0, loss=math.inf)

    def check(self, scores: PathScores) -> PathScores:
        """Compare with the best so far: by right paths, then by loss."""
        self.checks += 1
        self._unimproved += 1
        self._perfect = self._perfect + 1 if scores.paths == 1.0 else 0
        if (scores.paths, -scores.loss) > (self.scores.paths, -self.scores.loss):
            self.scores, self._unimproved = scores, 0
            self._state = copy.deepcopy(self._network.state_dict())
        return scores

    @property
    def exhausted(self) -> bool:
        """Whether there was no gain for too long, or nothing left to gain."""
        return self._unimproved >= self._patience or self._perfect > 1

    def restored(self) -> Network:
        """The network in its best state."""
        self._network.load_state_dict(self._state)
        self._network.eval()
        return self._network


class _Descent:
    """AdamW on the cross-entropy of a batch against one-hot targets (RRA eq. 5-7)."""

    def __init__(self, network: Network, steps: Sequence[str], options: FitOptions, total: int) -> None:
        self._network = network
        self._columns = {step: column for column, step in enumerate(steps)}
        self._optimiser = _optimiser(network, options)
        self._schedule = _schedule(self._optimiser, math.ceil(total / options.batch_size))

    def step(self, batch: "_Batch") -> float:
        """Learn from one batch; returns its loss."""
        self._network.train()
        loss = self._loss(batch)
        self._optimiser.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(self._network.parameters(), 1.0)
        self._optimiser.step()
        self._schedule.step()
        return float(loss.item())

    def _loss(self, batch: "_Batch") -> Tensor:
        with torch.autocast("cpu", dtype=torch.bfloat16, enabled=_has_bfloat16()):
            hops, relations = self._network(*batch.inputs)
        weights = torch.tensor([example.weight for example in batch.examples])
        hop_targets = [_IGNORED if example.hop is None else example.hop for example in batch.examples]
        steps = [_IGNORED if example.step is None else self._columns[example.step] for example in batch.examples]
        loss = _cross_entropy(hops.float(), hop_targets) + _cross_entropy(relations.float(), steps)
        return (loss * weights).sum() / weights.sum()


@dataclass(frozen=True)
class _Batch:
    examples: list[Example]
    inputs: "_Inputs"


def _has_bfloat16() -> bool:
    """Whether the processor multiplies in bfloat16, which halves the time of training; elsewhere it would add to it."""
    capabilities = torch.cpu.get_capabilities()
    return bool(capabilities.get("avx512_bf16") or capabilities.get("amx_bf16"))


def _cross_entropy(logits: Tensor, targets: list[int]) -> Tensor:
    return nn.functional.cross_entropy(logits, torch.tensor(targets), ignore_index=_IGNORED, reduction="none")


def _tokenizer(pretrained: Path) -> Any:
    tokenizer: Any = Tokenizer.from_file(str(pretrained / TOKENIZER_FILE))
    tokenizer.enable_truncation(max_length=MAX_TOKENS, direction="left")
    tokenizer.enable_padding()
    return tokenizer


# Token ids and their mask, [n, tokens], and the topics' steps, [n, steps].
_Inputs = tuple[Tensor, Tensor, Tensor]


def _inputs(tokenizer: Any, steps: Sequence[str], queries: Sequence[Query]) -> _Inputs:
    encodings = tokenizer.encode_batch([query.text for query in queries])
    return (
        torch.tensor([encoding.ids for encoding in encodings]),
        torch.tensor([encoding.attention_mask for encoding in encodings]),
        torch.tensor([[float(step in query.topic_steps) for step in steps] for query in queries]),
    )


def _batches(
    examples: Sequence[Example], steps: Sequence[str], tokenizer: Any, noise: Noise, options: FitOptions
) -> Iterator[_Batch]:
    """Endless epochs; examples of like length share a batch, so that little is computed on padding."""
    random_source = random.Random(options.seed)
    size = options.batch_size
    while True:
        shuffled = random_source.sample(examples, len(examples))
        for first in range(0, len(shuffled), size * _CHUNK_BATCHES):
            chunk = shuffled[first : first + size * _CHUNK_BATCHES]
            pairs = [(noise(example), example) for example in chunk]
            pairs.sort(key=lambda pair: len(pair[0].text))
            batches = [pairs[start : start + size] for start in range(0, len(pairs), size)]
            random_source.shuffle(batches)
            for batch in batches:
                inputs = _inputs(tokenizer, steps, [query for query, _ in batch])
                yield _Batch([example for _, example in batch], inputs)


def _optimiser(network: Network, options: FitOptions) -> torch.optim.Optimizer:
    """AdamW with a rate that falls layer by layer; embeddings stay, so that words never seen keep their place."""
    groups: list[dict[str, Any]] = []
    for depth, layer in enumerate(reversed(network.encoder.layers)):
        rate = options.learning_rate * options.layer_decay**depth
        groups.append({"params": list(layer.parameters()), "lr": rate})
    heads = [*network.mixer.parameters(), *network.hop_head.parameters(), *network.step_head.parameters()]
    groups.append({"params": heads, "lr": options.learning_rate * _HEAD_LEARNING_RATE})
    trained = {id(parameter) for group in groups for parameter in group["params"]}
    for parameter in network.parameters():
        parameter.requires_grad_(id(parameter) in trained)
    return torch.optim.AdamW(groups, weight_decay=options.weight_decay)


def _schedule(optimiser: torch.optim.Optimizer, batches: int) -> torch.optim.lr_scheduler.LambdaLR:
    warm_up = max(1, round(_WARM_UP * batches))
    return torch.optim.lr_scheduler.LambdaLR(
        optimiser, lambda batch: min((batch + 1) / warm_up, max(0.0, (batches - batch) / max(1, batches - warm_up)))
    )


def _predictor(network: Network, steps: Sequence[str], tokenizer: Any) -> Predictor:
    def predict(queries: Sequence[Query]) -> tuple[Vectors, Vectors]:
        network.eval()
        order = sorted(range(len(queries)), key=lambda index: len(queries[index].text))
        rows: list[tuple[int, Vectors, Vectors]] = []
        with torch.no_grad():
            for start in range(0, len(order), _PREDICTED_AT_ONCE):
                chosen = order[start : start + _PREDICTED_AT_ONCE]
                hops, relations = network(*_inputs(tokenizer, steps, [queries[index] for index in chosen]))
                rows += zip(chosen, hops.softmax(1).numpy(), relations.softmax(1).numpy(), strict=True)
        rows.sort(key=lambda row: row[0])
        return np.stack([row[1] for row in rows]), np.stack([row[2] for row in rows])

    return predict
