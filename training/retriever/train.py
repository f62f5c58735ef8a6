"""Train the served-mode retriever: build the data set, train the network, and publish the model (in both modes)."""

import math
import random
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import torch
from torch import Tensor, nn

from graph.store import INVERSE, GraphStore
from language.english.operators import operator_words
from question_sets.records import QuestionRecord
from services.retriever.encoder.encoder import ENCODER_FILE
from services.retriever.paths.model import RetrieverModel
from services.retriever.paths.model_folder import Manifest
from services.retriever.paths.paper.model import PaperModel
from services.retriever.paths.relation_scorer import WEIGHTS_FILE
from training.checkpoint import Checkpoint
from training.retriever.augmentation import QuestionAugmenter, find_synonyms
from training.retriever.calibration import fit_calibration
from training.retriever.dataset import Dataset, build_dataset
from training.retriever.encoder import pretrained_folder
from training.retriever.examples import MaskedQuestion
from training.retriever.export import TrainedFiles, export_model, write_manifest
from training.retriever.network import RelationNetwork, build_network
from training.retriever.scoring import MASKED_LOGIT, PathScores, PathTable, agreement, score_paths, served_predictor
from training.retriever.training_loop import Hyperparameters, LearningRates, ProgressCallback, TrainingLoop
from training.retriever.weak_supervision import reestimate_paths
from training.workload import count_facts, for_facts

Model = TypeVar("Model", RetrieverModel, PaperModel)
# A run on synthetic questions alone is shorter, since a longer one would learn wordings that no user would choose.
_SYNTHETIC_DIVISOR = 3
_IGNORED = -100
# An operator word belongs to a path if so many of its questions, and such a share of them, use it.
_MIN_USES, _MIN_SHARE_OF_USES = 2, 0.005
# Candidate paths are chosen again after each of the first validations, while the model's predictions still change.
_REESTIMATIONS = 6
_cross_entropy = partial(nn.functional.cross_entropy, ignore_index=_IGNORED, reduction="none")


@dataclass(frozen=True)
class TrainingJob:
    """Describe what to train on, how to train, and where to write the model.

    Without `valid`, a tenth of the distinct training questions is held out. With fewer than `least` questions that
    paths can be learnt from, nothing is trained. `out` is a folder that nobody serves, and checkpoints are kept in
    `checkpoints`. `graph`, `train_name`, and `valid_name` are the names of the graph and the question files in the
    manifest.
    """

    store: GraphStore
    graph: str
    train: Sequence[QuestionRecord]
    valid: Sequence[QuestionRecord] | None
    out: Path
    checkpoints: Path
    train_name: str = "train"
    valid_name: str = "valid"
    hyperparameters: Hyperparameters = field(default_factory=Hyperparameters)
    least: int = 0


@dataclass(frozen=True, slots=True)
class TrainingReport:
    """Summarise a run by the validation scores of the network (`trained`) and of its int8 export (`served`).

    `agreement` is the share of choices on which the two agree.
    """

    dataset: Dataset[Any]
    trained: PathScores
    served: PathScores
    agreement: float


async def train_retriever(job: TrainingJob, progress: ProgressCallback) -> TrainingReport:
    """Train a retriever in served mode, or resume an interrupted run.

    Missing paths are inferred from the questions' answers. Without any questions, training uses synthetic
    ones. The same job gives the same model on the same machine.

    Args:
        job: What to train on, how, and where to write the model.
        progress: Called after every batch.

    Returns:
        A report on the training data and the validation scores.

    Raises:
        TooFewQuestionsError: Paths can be learnt from fewer than `job.least` questions.
        InvalidInputError: The questions are unusable for training.
        NotFoundError: The pretrained encoder is not installed.
        DependencyError: The graph store does not answer.

    Example:
        >>> job = TrainingJob(store, "world", records, None, Path("world-retriever"), Path("checkpoints"))
        >>> report = await train_retriever(job, print)
    """
    options = job.hyperparameters
    if not job.train:
        most = options.max_examples // _SYNTHETIC_DIVISOR
        options = for_facts(replace(options, max_examples=most), await count_facts(job.store))
    torch.manual_seed(options.seed)
    torch.set_num_threads(options.threads)
    pretrained = pretrained_folder()
    dataset = await build_dataset(job.store, job.train, job.valid, options.seed, options.max_examples, job.least)
    training, validation = [*dataset.training, *dataset.synthetic], dataset.validation
    relations, version = await job.store.relations(), await job.store.version()
    steps = (*relations, *(INVERSE + relation for relation in relations))
    table = PathTable(steps, max(len(question.path) for question in training))
    network, tokenizer = build_network(pretrained, relations, training, table, options.dropout)
    settings = (job.train_name, job.valid_name, job.hyperparameters)
    checkpoint = Checkpoint(job.checkpoints, (settings, version, steps, training, validation))
    texts = (question.text for question in training) if network.meanings.is_pretrained else ()
    synonyms = find_synonyms(tokenizer, network.encoder.words.weight.detach(), texts)
    trainer = PathTrainer(network, tokenizer, training, validation, table, synonyms, options)
    trainer.run(checkpoint, progress)
    trained = trainer.best.scores
    files = TrainedFiles({ENCODER_FILE: network.encoder}, {WEIGHTS_FILE: network.scorer_weights()}, tokenizer)
    described = {"graph_version": version, "steps": steps, "max_hops": table.max_hops}
    figures = {"examples_shown": trainer.examples_shown}
    model = await publish(job, dataset, RetrieverModel, files, synonyms, described, trained, figures)
    served = served_predictor(model, table)
    scores, agreed = score_paths(validation, table, served), agreement(validation, table, trainer.logits, served)
    return TrainingReport(dataset, trained, scores, agreed)


async def publish(
    job: TrainingJob,
    dataset: Dataset[Any],
    kind: type[Model],
    files: TrainedFiles,
    synonyms: Mapping[str, Sequence[str]],
    described: Mapping[str, Any],
    trained: PathScores,
    figures: Mapping[str, int | str],
) -> Model:
    """Export a model to its folder, and calibrate it; the manifest with the calibration is written last.

    `described` holds the manifest fields that neither the job nor the data set provides, and `figures` the
    training figures that come from neither the scores nor the data set.
    """
    scores = {"validation_hop_accuracy": round(trained.hops, 4), "validation_path_accuracy": round(trained.paths, 4)}
    answer_f1 = {f"answer_f1_{name}": round(f1, 4) for name, f1 in dataset.walk_rules.items()}
    manifest = Manifest(
        graph=job.graph,
        data={job.train_name: len(job.train), job.valid_name: dataset.validation_questions},
        learnt_from=dataset.learnt_from,
        seed=job.hyperparameters.seed,
        walk_rule=dataset.walk_rule,
        question_words=dataset.question_words,
        operator_words=operators_of_paths(dataset.training),
        training={**figures, **scores, **answer_f1},
        **described,
    )
    export_model(files, manifest, job.out)
    model = kind.load(job.out)
    calibration = await fit_calibration(job.store, model, dataset.held_out, synonyms, manifest.seed)
    write_manifest(manifest.model_copy(update={"calibration": calibration}), job.out)
    return model


def operators_of_paths(questions: Sequence[MaskedQuestion]) -> dict[str, tuple[str, ...]]:
    """Map operator words to the last steps of the paths whose questions use them regularly."""
    with_path = [question for question in questions if question.path]
    of_step = Counter(question.path[-1] for question in with_path)
    seen = Counter((word, question.path[-1]) for question in with_path for word in operator_words(question.text))
    steps: dict[str, list[str]] = defaultdict(list)
    for (word, step), number in sorted(seen.items()):
        if number >= max(_MIN_USES, _MIN_SHARE_OF_USES * of_step[step]):
            steps[word].append(step)
    return {word: tuple(found) for word, found in steps.items()}


class PathTrainer(TrainingLoop[MaskedQuestion, PathScores]):
    """Train a network to predict gold paths."""

    def __init__(
        self,
        network: RelationNetwork,
        tokenizer: Any,
        training: Sequence[MaskedQuestion],
        validation: Sequence[MaskedQuestion],
        table: PathTable,
        synonyms: Mapping[str, Sequence[str]],
        options: Hyperparameters,
    ) -> None:
        worst = PathScores(hops=0.0, paths=-1.0, loss=math.inf)
        super().__init__(network, tokenizer, _learning_rates(network, options), training, worst, options)
        self._validation, self._table = validation, table
        self._noise = random.Random(options.seed)
        self._augmenter = QuestionAugmenter(options.deletion_rate, options.synonym_rate, synonyms, self._noise)

    def _input(self, example: MaskedQuestion, is_training: bool = False) -> tuple[str, frozenset[str]]:
        if not is_training:
            return example.text, example.topic_steps
        text = self._augmenter.augment_text(example.text)
        return text, self._augmenter.augment_steps(example.topic_steps)

    def _tensors(
        self, examples: Sequence[MaskedQuestion], texts: Sequence[str], topic_steps: Sequence[frozenset[str]]
    ) -> tuple[Tensor, ...]:
        """Add the steps that leave each topic, [n, steps], and the gold steps, [n, H]."""
        leaving = torch.from_numpy(np.stack([self._table.mask(steps) for steps in topic_steps]).astype(np.float32))
        gold_steps = torch.from_numpy(self._table.gold_steps(examples))
        return *super()._tensors(examples, texts, topic_steps), leaving, gold_steps

    def _loss(self, logits: Tensor, examples: Sequence[MaskedQuestion]) -> Tensor:
        """Return the weighted mean loss of a batch.

        The model learns each choice twice: among the allowed steps, for the ranking, and among all steps, for the
        confidence. A question is weighted by the square root of its number of lines. If it were weighted by the number
        itself, a template with ten thousand lines would drown out the others.
        """
        logits = logits.flatten(0, 1)
        targets = torch.from_numpy(self._table.targets(examples, _IGNORED)).flatten()
        allowed = torch.from_numpy(self._table.allowed(examples)).flatten(0, 1)
        among_all = _cross_entropy(logits, targets)
        among_allowed = _cross_entropy(logits.masked_fill(~allowed, MASKED_LOGIT), targets)
        weights = torch.tensor([example.count**0.5 for example in examples])
        losses = (among_all + among_allowed).view(len(examples), -1).sum(dim=1)
        return (losses * weights).sum() / weights.sum()

    def _validate(self) -> str:
        scores = self.best.check(score_paths(self._validation, self._table, self.logits))
        if self.best.checks <= _REESTIMATIONS:
            self._examples = reestimate_paths(self._examples, self._table, self.logits)
        text = f"validation: paths {scores.paths:.1%}, hops {scores.hops:.1%}, loss {scores.loss:.3f}"
        self._validation_text = f", {text}"
        return text

    def _batch_state(self) -> dict[str, Any]:
        paths = [example.path for example in self._examples]
        return super()._batch_state() | {"noise": self._noise.getstate(), "paths": paths}

    def _restore_batches(self, state: dict[str, Any]) -> None:
        super()._restore_batches(state)
        self._noise.setstate(state["noise"])
        self._examples = [example.with_path(path) for example, path in zip(self._examples, state["paths"], strict=True)]


def _learning_rates(network: RelationNetwork, options: Hyperparameters) -> LearningRates:
    """Return the learning rates: several if the encoder is pretrained, one if it starts with random weights.

    In a pretrained encoder, the rate decays from the top layer down. Its embeddings are frozen, so that words absent
    from training keep their position relative to the others.
    """
    if not network.meanings.is_pretrained:
        return [(list(network.parameters()), options.encoder_rate(is_pretrained=False))]
    layers = [
        (list(layer.parameters()), options.learning_rate * options.layer_decay**depth)
        for depth, layer in enumerate(reversed(network.encoder.layers[options.frozen_layers :]))
    ]
    scorer = [parameter for name, parameter in network.named_parameters() if not name.startswith("encoder.")]
    return [*layers, (scorer, options.head_rate)]
