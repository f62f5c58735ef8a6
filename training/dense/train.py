"""Train an encoder for dense retrieval by contrast, with InfoNCE (Bridging the Gap).

The paper trains on in-batch negatives. Here, a triple of another question in the batch is a negative unless it has the
relation of the positive, since with the topic masked it may match as well.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from graph.store import GraphStore
from question_sets.records import QuestionRecord
from services.retriever.dense.dense_encoder import MANIFEST_FILE, STOP, DenseManifest
from services.retriever.encoder.encoder import ENCODER_FILE, TOKENIZER_FILE, OnnxEncoder
from services.retriever.encoder.sentence_vectors import sentence_vectors
from shared.paths import dense_folder, graph_file
from training.checkpoint import Checkpoint
from training.dense.examples import HopExample, PathQuestion, hop_examples, path_questions
from training.dense.graph_walks import STOP_ROW, WalkedGraph
from training.retriever.encoder import BertEncoder, limit_length, load_pretrained, pretrained_folder, tokenize
from training.retriever.export import export_encoder
from training.retriever.training_loop import Hyperparameters, Optimizer, ProgressCallback
from training.work_folder import WorkFolder, open_work_folder

OPTIONS = Hyperparameters(max_examples=6_000, batch_size=24)
"""Chosen on a held-out tenth of MetaQA's development questions. The rate of 1e-5 in the paper is for longer runs."""
_TEMPERATURE = 0.05
_MOST_VALIDATED = 300
_FROZEN = ("words.", "positions.")  # so that words absent from training keep their position relative to the others


@dataclass(frozen=True)
class DenseJob:
    """Describe what to train on; without `valid`, a tenth of the questions is held out."""

    store: GraphStore
    graph: str
    records: Sequence[QuestionRecord]
    valid: Sequence[QuestionRecord] | None = None
    options: Hyperparameters = OPTIONS
    started: float = field(default_factory=time.monotonic)


@dataclass(frozen=True, slots=True)
class DenseReport:
    """Summarise a run.

    Attributes:
        questions: The number of training questions.
        left_out: The number of questions that could not be used, by reason.
        hops: The number of hops that the queries search.
        validated: The number of held-out hops.
        before: The share of them for which the best triple was right before training.
        after: The share afterwards, with the int8 encoder.
        seconds: The duration.
        folder: Where the encoder is.
    """

    questions: int
    left_out: dict[str, int]
    hops: int
    validated: int
    before: float
    after: float
    seconds: float
    folder: Path


async def train_dense(job: DenseJob, progress: ProgressCallback) -> DenseReport:
    """Train the encoder of a graph, or resume an interrupted run, and write it where `kgqa index` looks for it.

    Raises:
        InvalidInputError: The questions are unusable for training.
        NotFoundError: The graph file is missing, or the pretrained encoder is not installed.
        DependencyError: The graph cannot be read.
    """
    with open_work_folder(dense_folder(job.graph)) as work:
        return await _train(job, work, progress)


async def _train(job: DenseJob, work: WorkFolder, progress: ProgressCallback) -> DenseReport:
    options = job.options
    torch.manual_seed(options.seed)
    torch.set_num_threads(options.threads)
    graph = WalkedGraph(graph_file(job.graph))
    questions, left_out = await path_questions(job.store, graph, job.records)
    if job.valid is None:
        questions, held_out = _split(questions, options.seed)
    else:
        held_out, _ = await path_questions(job.store, graph, job.valid)
    hops = max(len(question.steps) for question in questions)
    encoder, tokenizer = load_pretrained(pretrained_folder(), options.dropout)
    limit_length(tokenizer)
    random = np.random.default_rng(options.seed)
    checked = [one for question in held_out[:_MOST_VALIDATED] for one in hop_examples(graph, question, hops, random)]
    trainer = ContrastiveTrainer(graph, encoder, tokenizer, questions, hops, options)
    before = share_right(graph, checked, trainer.vectors)
    checkpoint = Checkpoint(work.part("checkpoints"), (graph.triples.version, options, hops, questions))
    trainer.run(checkpoint, progress)
    unfinished = work.empty()
    export_encoder(encoder, unfinished / ENCODER_FILE)
    tokenizer.no_truncation()
    tokenizer.no_padding()
    tokenizer.save(str(unfinished / TOKENIZER_FILE), pretty=False)
    served = OnnxEncoder(unfinished)
    after = share_right(graph, checked, lambda texts: torch.from_numpy(sentence_vectors(served, texts)))
    figures = {"examples_shown": float(trainer.shown), "validation_hops": round(after, 4)}
    manifest = DenseManifest(
        graph=job.graph,
        graph_version=graph.triples.version,
        hops=hops,
        questions=len(questions),
        seed=options.seed,
        training=figures,
    )
    (unfinished / MANIFEST_FILE).write_text(manifest.model_dump_json(indent=1) + "\n", encoding="utf-8")
    work.publish(unfinished)
    seconds = time.monotonic() - job.started
    return DenseReport(len(questions), left_out, hops, len(checked), before, after, seconds, work.target)


class ContrastiveTrainer:
    """Train an encoder so that the query of each hop resembles the triples of that hop."""

    def __init__(
        self,
        graph: WalkedGraph,
        encoder: BertEncoder,
        tokenizer: Any,
        questions: Sequence[PathQuestion],
        hops: int,
        options: Hyperparameters,
    ) -> None:
        """Prepare a run over `questions`, whose paths have up to `hops` hops."""
        self.shown = 0
        self.total = min(options.max_examples, options.max_epochs * len(questions))
        self._graph = graph
        self._encoder = encoder
        self._tokenizer = tokenizer
        self._questions = questions
        self._hops = hops
        self._options = options
        trained = [one for name, one in encoder.named_parameters() if not name.startswith(_FROZEN)]
        self._optimizer = Optimizer(encoder, [(trained, options.learning_rate)], options, self.total)
        capabilities = torch.cpu.get_capabilities()
        self._has_bfloat16 = bool(capabilities.get("avx512_bf16") or capabilities.get("amx_bf16"))

    def run(self, checkpoint: Checkpoint, progress: ProgressCallback) -> None:
        """Train until `total` questions were shown, from the state in the checkpoint if there is one."""
        if saved := checkpoint.load():
            self.shown = saved["shown"]
            self._encoder.load_state_dict(saved["encoder"])
            self._optimizer.restore(saved["optimizer"])
            torch.set_rng_state(saved["random"])
            progress(self.shown, self.total, "resuming where training was interrupted")
        while self.shown < self.total:
            loss = self._step()
            self.shown = min(self.shown + self._options.batch_size, self.total)
            progress(self.shown, self.total, f"loss {loss:.3f}")
            checkpoint.save(self._state)

    def vectors(self, texts: Sequence[str]) -> Tensor:
        """Return the vectors of texts without training, [n, dim]."""
        self._encoder.eval()
        with torch.no_grad():
            return torch.cat([self._encode(texts[start : start + 64]) for start in range(0, len(texts), 64)])

    def _step(self) -> float:
        # Each batch has a seed of its own, so that a resumed run goes on with the same batches.
        random = np.random.default_rng((self._options.seed, self.shown))
        chosen = random.integers(len(self._questions), size=self._options.batch_size).tolist()
        examples = [
            one for place in chosen for one in hop_examples(self._graph, self._questions[place], self._hops, random)
        ]
        if not examples:
            return 0.0
        rows = rows_of(examples)
        self._encoder.train()
        queries = self._encode([example.text for example in examples])
        triples = self._encode([row_text(self._graph, row) for row in rows])
        logits = (queries @ triples.T / _TEMPERATURE).masked_fill(neutral(self._graph, examples, rows), -1e4)
        targets = torch.tensor([rows.index(example.positive) for example in examples])
        return self._optimizer.step(nn.functional.cross_entropy(logits, targets))

    def _encode(self, texts: Sequence[str]) -> Tensor:
        ids, mask = tokenize(self._tokenizer, texts)
        with torch.autocast("cpu", dtype=torch.bfloat16, enabled=self._has_bfloat16):
            tokens = self._encoder(ids, mask)
        kept = mask[..., None].float()
        return nn.functional.normalize((tokens.float() * kept).sum(1) / kept.sum(1), dim=-1)

    def _state(self) -> dict[str, Any]:
        return {
            "shown": self.shown,
            "encoder": self._encoder.state_dict(),
            "optimizer": self._optimizer.state(),
            "random": torch.get_rng_state(),
        }


def rows_of(examples: Sequence[HopExample]) -> list[int]:
    """Return the distinct triples of examples, always with `STOP_ROW`, so that queries learn when not to stop."""
    return sorted({STOP_ROW, *(row for one in examples for row in (one.positive, *one.negatives))})


def row_text(graph: WalkedGraph, row: int) -> str:
    """Return the sentence of a triple, or the text that stands for the end of a path."""
    return STOP if row == STOP_ROW else graph.triples.sentence(row)


def neutral(graph: WalkedGraph, examples: Sequence[HopExample], rows: Sequence[int]) -> Tensor:
    """Return which triples are neither positive nor negative for each example, [examples, rows].

    These are triples of other questions with the relation of the positive.
    """
    relations = np.array([graph.relation(row) for row in rows])
    places = {row: place for place, row in enumerate(rows)}
    found = np.zeros((len(examples), len(rows)), dtype=bool)
    for number, example in enumerate(examples):
        found[number] = relations == graph.relation(example.positive)
        found[number, [places[row] for row in (example.positive, *example.negatives)]] = False
    return torch.from_numpy(found)


def share_right(graph: WalkedGraph, examples: Sequence[HopExample], encode: Any) -> float:
    """Return the share of examples whose positive is more similar than their negatives and the text of the end."""
    if not examples:
        return 0.0
    rows = rows_of(examples)
    places = {row: place for place, row in enumerate(rows)}
    similarities = encode([one.text for one in examples]) @ encode([row_text(graph, row) for row in rows]).T
    right = 0
    for example, row in zip(examples, similarities, strict=True):
        others = [one for one in {STOP_ROW, *example.negatives} if one != example.positive]
        right += bool(row[places[example.positive]] > row[[places[one] for one in others]].max()) if others else 1
    return right / len(examples)


def _split(questions: Sequence[PathQuestion], seed: int) -> tuple[list[PathQuestion], list[PathQuestion]]:
    """Return the questions to train on, and a tenth that is held out, of at least ten."""
    order = np.random.default_rng(seed).permutation(len(questions)).tolist()
    held_out = len(questions) // 10
    return [questions[place] for place in order[held_out:]], [questions[place] for place in order[:held_out]]
