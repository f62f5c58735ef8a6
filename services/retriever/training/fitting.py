"""Gradient descent: masked questions in, the network that does best on validation questions out."""

import copy
import math
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import torch
from torch import Tensor, nn

from services.retriever.training.examples import MaskedQuestion
from services.retriever.training.network import StepNetwork
from services.retriever.training.noise import Noise
from services.retriever.training.scoring import PathScores, PathTable, Predictor, score_paths
from services.retriever.training.synonyms import synonyms_in
from shared.encoder import Vectors

_IGNORED = -100
_FROM_NOTHING = 0.5
_NOWHERE = -1e9
_STEP_LEARNING_RATE = 10  # times the encoder's: the light step starts from nothing
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

    network: StepNetwork
    predict: Predictor
    scores: PathScores
    passes: int


def fit(
    network: StepNetwork,
    tokenizer: Any,
    training: Sequence[MaskedQuestion],
    validation: Sequence[MaskedQuestion],
    table: PathTable,
    options: FitOptions,
    progress: ProgressCallback,
) -> Fitted:
    """Train on `training` by cross-entropy (RRA eq. 7), keeping the state that does best on `validation`."""
    predict = _predictor(network, table, tokenizer)
    total = min(options.passes, options.max_epochs * len(training))
    descent = _Descent(network, table, options, total)
    best = _Best(network, options)
    done = 0
    texts = (question.text for question in training) if network.meanings.is_pretrained else ()
    synonyms = synonyms_in(tokenizer, network.encoder.words.weight.detach(), texts)
    noise = Noise(options.left_out, options.replaced, synonyms, random.Random(options.seed))
    for batch in _batches(training, table, tokenizer, noise, options):
        loss = descent.step(batch)
        done = min(done + len(batch.questions), total)
        progress(done, total, f"loss {loss:.3f}")
        if done >= total * (best.checks + 1) / options.checks:
            scores = best.check(score_paths(validation, table, predict))
            progress(done, total, f"validation: paths {scores.paths:.1%}, hops {scores.hops:.1%}")
        if done >= total or best.exhausted:
            break
    return Fitted(best.restored(), predict, best.scores, done)


class _Best:
    """Remembers the network's best state by validation scores and how often none was better since."""

    def __init__(self, network: StepNetwork, options: FitOptions) -> None:
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

    def restored(self) -> StepNetwork:
        """The network in its best state."""
        self._network.load_state_dict(self._state)
        self._network.eval()
        return self._network


class _Descent:
    """AdamW on the cross-entropy of a batch against one-hot targets (RRA eq. 5-7)."""

    def __init__(self, network: StepNetwork, table: PathTable, options: FitOptions, total: int) -> None:
        self._network = network
        self._table = table
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
        """Each choice is learnt twice: among what the topic has, which decides, and among all, which tells its worth.

        A question that many lines share weighs the root of their number: by the number itself a template of ten
        thousand lines would drown the others.
        """
        with torch.autocast("cpu", dtype=torch.bfloat16, enabled=_has_bfloat16()):
            logits = self._network(*batch.inputs)
        logits = logits.float().flatten(0, 1)
        targets = torch.from_numpy(self._table.targets(batch.questions, _IGNORED)).flatten()
        allowed = torch.from_numpy(self._table.allowed(batch.questions)).flatten(0, 1)
        among_all = _cross_entropy(logits, targets)
        among_allowed = _cross_entropy(logits.masked_fill(~allowed, _NOWHERE), targets)
        weights = torch.tensor([question.count**0.5 for question in batch.questions])
        losses = (among_all + among_allowed).view(len(batch.questions), -1).sum(dim=1)
        return (losses * weights).sum() / weights.sum()


@dataclass(frozen=True)
class _Batch:
    questions: list[MaskedQuestion]
    inputs: "_Inputs"


def _has_bfloat16() -> bool:
    """Whether the processor multiplies in bfloat16, which halves the time of training; elsewhere it would add to it."""
    capabilities = torch.cpu.get_capabilities()
    return bool(capabilities.get("avx512_bf16") or capabilities.get("amx_bf16"))


def _cross_entropy(logits: Tensor, targets: Tensor) -> Tensor:
    return nn.functional.cross_entropy(logits, targets, ignore_index=_IGNORED, reduction="none")


# Token ids and their mask, [n, tokens], the topics' steps, [n, steps], and the steps of the gold paths, [n, H].
_Inputs = tuple[Tensor, Tensor, Tensor, Tensor]


def _inputs(
    tokenizer: Any, table: PathTable, questions: Sequence[MaskedQuestion], read: Sequence[tuple[str, frozenset[str]]]
) -> _Inputs:
    """`read`: each question's text and topic steps as the network is to read them."""
    encodings = tokenizer.encode_batch([text for text, _ in read])
    return (
        torch.tensor([encoding.ids for encoding in encodings]),
        torch.tensor([encoding.attention_mask for encoding in encodings]),
        torch.from_numpy(np.stack([table.flags(steps) for _, steps in read]).astype(np.float32)),
        torch.from_numpy(table.taken(questions)),
    )


def _batches(
    questions: Sequence[MaskedQuestion], table: PathTable, tokenizer: Any, noise: Noise, options: FitOptions
) -> Iterator[_Batch]:
    """Endless epochs; questions of like length share a batch, so that little is computed on padding."""
    random_source = random.Random(options.seed)
    size = options.batch_size
    while True:
        shuffled = random_source.sample(questions, len(questions))
        for first in range(0, len(shuffled), size * _CHUNK_BATCHES):
            chunk = shuffled[first : first + size * _CHUNK_BATCHES]
            pairs = [((noise.text(question.text), noise.steps(question.topic_steps)), question) for question in chunk]
            pairs.sort(key=lambda pair: len(pair[0][0]))
            batches = [pairs[start : start + size] for start in range(0, len(pairs), size)]
            random_source.shuffle(batches)
            for batch in batches:
                asked = [question for _, question in batch]
                yield _Batch(asked, _inputs(tokenizer, table, asked, [read for read, _ in batch]))


def _optimiser(network: StepNetwork, options: FitOptions) -> torch.optim.Optimizer:
    """AdamW with a rate that falls layer by layer; embeddings stay, so that words never seen keep their place.

    An encoder without weights learns as fast as the light step, its embeddings, too.
    """
    fast = options.learning_rate * _STEP_LEARNING_RATE
    encoder = network.encoder
    if not network.meanings.is_pretrained:
        return torch.optim.AdamW(network.parameters(), lr=fast * _FROM_NOTHING, weight_decay=options.weight_decay, fused=True)
    groups: list[dict[str, Any]] = []
    for depth, layer in enumerate(reversed(encoder.layers)):
        rate = options.learning_rate * options.layer_decay**depth
        groups.append({"params": list(layer.parameters()), "lr": rate})
    of_encoder = {id(parameter) for parameter in encoder.parameters()}
    step = [parameter for parameter in network.parameters() if id(parameter) not in of_encoder]
    groups.append({"params": step, "lr": fast})
    trained = {id(parameter) for group in groups for parameter in group["params"]}
    for parameter in network.parameters():
        parameter.requires_grad_(id(parameter) in trained)
    return torch.optim.AdamW(groups, weight_decay=options.weight_decay, fused=True)


def _schedule(optimiser: torch.optim.Optimizer, batches: int) -> torch.optim.lr_scheduler.LambdaLR:
    warm_up = max(1, round(_WARM_UP * batches))
    return torch.optim.lr_scheduler.LambdaLR(
        optimiser, lambda batch: min((batch + 1) / warm_up, max(0.0, (batches - batch) / max(1, batches - warm_up)))
    )


def _predictor(network: StepNetwork, table: PathTable, tokenizer: Any) -> Predictor:
    def predict(questions: Sequence[MaskedQuestion]) -> Vectors:
        network.eval()
        order = sorted(range(len(questions)), key=lambda index: len(questions[index].text))
        logits = np.empty((len(questions), table.max_hops + 1, table.stop + 1), dtype=np.float32)
        with torch.no_grad():
            for start in range(0, len(order), _PREDICTED_AT_ONCE):
                chosen = order[start : start + _PREDICTED_AT_ONCE]
                asked = [questions[index] for index in chosen]
                read = [(question.text, question.topic_steps) for question in asked]
                logits[chosen] = network(*_inputs(tokenizer, table, asked, read)).numpy()
        return logits

    return predict
