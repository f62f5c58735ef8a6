"""Train the served-mode retriever: build the data set, train the network, and publish the model.

Paper mode publishes its model with the same function.
"""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

import torch

from question_sets.records import QuestionRecord
from services.retriever.prediction.encoder import ENCODER_FILE
from services.retriever.prediction.model import RetrieverModel
from services.retriever.prediction.model_folder import MANIFEST_FILE, Manifest
from services.retriever.prediction.paper.model import PaperModel
from services.retriever.prediction.relation_scorer import WEIGHTS_FILE
from shared.graph.store import INVERSE, GraphStore
from training.checkpoint import Checkpoint
from training.retriever.augmentation import find_synonyms
from training.retriever.calibration import fit_calibration
from training.retriever.dataset import Dataset, build_dataset
from training.retriever.encoder import pretrained_folder
from training.retriever.export import TrainedFiles, export_model, write_manifest
from training.retriever.network import build_network
from training.retriever.optimizer import Hyperparameters
from training.retriever.scoring import PathScores, PathTable, agreement, score_paths, served_predictor
from training.retriever.trainer import PathTrainer
from training.retriever.training_loop import ProgressCallback

_UNFINISHED = "unfinished-model"

Figures = dict[str, float | int | str]
Model = TypeVar("Model", RetrieverModel, PaperModel)
# A run on synthetic questions alone is shorter, since a longer one would learn wordings that no user would choose.
_SYNTHETIC_DIVISOR = 3


@dataclass(frozen=True)
class TrainingJob:
    """Describe what to train on, how, and where to write the model.

    Without `valid`, a tenth of the distinct training questions is held out. `graph`, `train_name`, and `valid_name` are
    the names of the graph and the question files in the manifest.
    """

    store: GraphStore
    graph: str
    train: Sequence[QuestionRecord]
    valid: Sequence[QuestionRecord] | None
    out: Path
    train_name: str = "train"
    valid_name: str = "valid"
    hyperparameters: Hyperparameters = field(default_factory=Hyperparameters)
    started: float = field(default_factory=time.monotonic)


@dataclass(frozen=True, slots=True)
class TrainingReport:
    """Summarize a training run.

    `trained` and `served` are the validation scores of the network and of the exported int8 model; `agreement` is the
    share of choices on which the two agree. `examples_shown` includes repetitions.
    """

    questions: int
    dataset: Dataset[Any]
    trained: PathScores
    served: PathScores
    agreement: float
    examples_shown: int
    seconds: float


async def train_retriever(job: TrainingJob, progress: ProgressCallback) -> TrainingReport:
    """Train a retriever in served mode, or resume an interrupted run.

    The paths of questions without a path are inferred from their answers. Without any questions, training uses
    synthetic ones. The same job gives the same model on the same machine.

    Args:
        job: What to train on, how, and where to write the model.
        progress: Called after every batch.

    Returns:
        A report on the training data and the validation scores.

    Raises:
        InvalidInputError: The questions are unusable for training.
        NotFoundError: The pretrained encoder is not installed.
        DependencyError: The graph store does not answer.

    Example:
        >>> job = TrainingJob(store, "world", records, None, Path("world-retriever"))
        >>> report = await train_retriever(job, print)
    """
    options = job.hyperparameters
    torch.manual_seed(options.seed)
    torch.set_num_threads(options.threads)
    pretrained = pretrained_folder()
    dataset = await build_dataset(job.store, job.train, job.valid, options.seed)
    training, validation = [*dataset.training, *dataset.synthetic], dataset.validation
    relations, version = await job.store.relations(), await job.store.version()
    steps = (*relations, *(INVERSE + relation for relation in relations))
    table = PathTable(steps, max(len(question.path) for question in training))
    network, tokenizer = build_network(pretrained, relations, training, table, options.dropout)
    settings = (job.train_name, job.valid_name, options)
    checkpoint = Checkpoint(job.out, (settings, version, steps, training, validation))
    if not job.train:
        options = replace(options, max_examples=options.max_examples // _SYNTHETIC_DIVISOR)
    texts = (question.text for question in training) if network.meanings.is_pretrained else ()
    synonyms = find_synonyms(tokenizer, network.encoder.words.weight.detach(), texts)
    trainer = PathTrainer(network, tokenizer, training, validation, table, synonyms, options)
    trainer.run(checkpoint, progress)
    trained, shown = trainer.best.scores, trainer.examples_shown
    files = TrainedFiles({ENCODER_FILE: network.encoder}, {WEIGHTS_FILE: network.scorer_weights()}, tokenizer)
    described = {"graph_version": version, "steps": steps, "max_hops": table.max_hops}
    figures: Figures = {"examples_shown": shown, **trained.figures(), **dataset.figures()}
    model = await publish(job, dataset, RetrieverModel, files, synonyms, described, figures)
    checkpoint.remove()
    served = served_predictor(model, table)
    scores, agreed = score_paths(validation, table, served), agreement(validation, table, trainer.logits, served)
    return TrainingReport(len(job.train), dataset, trained, scores, agreed, shown, time.monotonic() - job.started)


async def publish(
    job: TrainingJob,
    dataset: Dataset[Any],
    kind: type[Model],
    files: TrainedFiles,
    synonyms: Mapping[str, Sequence[str]],
    described: Mapping[str, Any],
    figures: Figures,
) -> Model:
    """Export a model, calibrate it, and move it to its folder; an earlier model there stays complete until the move.

    `described` holds the manifest fields that neither the job nor the data set provides.
    """
    unfinished = job.out / _UNFINISHED
    manifest = Manifest(
        graph=job.graph,
        data={job.train_name: len(job.train), job.valid_name: dataset.validation_questions},
        learnt_from=dataset.learnt_from,
        seed=job.hyperparameters.seed,
        walk_rule=dataset.walk_rule,
        question_words=dataset.question_words,
        training=figures,
        **described,
    )
    export_model(files, manifest, unfinished)
    model = kind.load(unfinished)
    calibration = await fit_calibration(job.store, model, dataset.held_out, synonyms, manifest.seed)
    write_manifest(manifest.model_copy(update={"calibration": calibration}), unfinished)
    (job.out / MANIFEST_FILE).unlink(missing_ok=True)
    # Move the manifest last, so that a folder with a manifest is complete.
    for file in sorted(unfinished.iterdir(), key=lambda file: file.name == MANIFEST_FILE):
        file.replace(job.out / file.name)
    unfinished.rmdir()
    return model
