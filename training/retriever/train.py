"""Train the retriever of served mode: data set, network, training, export."""

import time
from dataclasses import replace

import torch

from services.retriever.prediction.encoder import ENCODER_FILE
from services.retriever.prediction.model import RetrieverModel
from services.retriever.prediction.relation_scorer import WEIGHTS_FILE
from shared.graph.store import INVERSE
from training.checkpoint import Checkpoint
from training.retriever.augmentation import find_synonyms
from training.retriever.dataset import build_dataset
from training.retriever.encoder import pretrained_folder
from training.retriever.export import TrainedFiles
from training.retriever.job import TrainingJob, TrainingReport, figures, publish
from training.retriever.network import build_network
from training.retriever.scoring import PathTable, agreement, score_paths, served_predictor
from training.retriever.trainer import PathTrainer
from training.retriever.training_loop import ProgressCallback

# Synthetic questions get a shorter training: a longer one learns wordings that no user would choose.
_SYNTHETIC_DIVISOR = 3


async def train_retriever(job: TrainingJob, progress: ProgressCallback) -> TrainingReport:
    """Train a retriever in served mode, resuming an interrupted training.

    Questions without a path learn from their answers. Without any questions, training uses synthetic ones. The same job
    gives the same model on the same machine.

    Args:
        job: What to train on, how, and where to write the model.
        progress: Called after every batch.

    Returns:
        What was trained on, and the validation scores.

    Raises:
        InvalidInputError: The questions cannot be trained on.
        NotFoundError: The pretrained encoder is not installed.
        DependencyError: The graph store does not answer.

    Example:
        >>> job = TrainingJob(store, "world", records, None, Path("world-retriever"))
        >>> report = await train_retriever(job, print)
        >>> report.served.paths
        0.98
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
    checkpoint = Checkpoint(job.out, (job.identity, version, steps, training, validation))
    if not job.train:
        options = replace(options, max_examples=options.max_examples // _SYNTHETIC_DIVISOR)
    texts = (question.text for question in training) if network.meanings.is_pretrained else ()
    synonyms = find_synonyms(tokenizer, network.encoder.words.weight.detach(), texts)
    trainer = PathTrainer(network, tokenizer, training, validation, table, synonyms, options)
    trainer.run(checkpoint, progress)
    trained, shown = trainer.best.scores, trainer.examples_shown
    files = TrainedFiles({ENCODER_FILE: network.encoder}, {WEIGHTS_FILE: network.scorer_weights()}, tokenizer)
    model = await publish(
        job, dataset, RetrieverModel, files, synonyms,
        graph_version=version, steps=steps, max_hops=table.max_hops, training=figures(dataset, trained, shown),
    )  # fmt: skip
    checkpoint.remove()
    served = served_predictor(model, table)
    scores, agreed = score_paths(validation, table, served), agreement(validation, table, trainer.logits, served)
    return TrainingReport(len(job.train), dataset, trained, scores, agreed, shown, time.monotonic() - job.started)
