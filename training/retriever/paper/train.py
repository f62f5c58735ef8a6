"""Train the retriever of paper mode: data set, two classifiers, export."""

import time

import torch

from services.retriever.prediction.paper.model import HEADS_FILE, HOP_ENCODER_FILE, STEP_ENCODER_FILE, PaperModel
from shared.graph.store import INVERSE
from training.checkpoint import Checkpoint
from training.retriever.export import TrainedFiles
from training.retriever.job import TrainingJob, TrainingReport, figures, publish
from training.retriever.paper.dataset import build_paper_dataset, hop_examples, step_examples
from training.retriever.paper.network import encoder_source, heads_of
from training.retriever.paper.trainer import ClassifierTrainer, agreement, score_classifiers
from training.retriever.training_loop import ProgressCallback

_CHECKPOINTS = ("unfinished-hops.pt", "unfinished-relation-paths.pt")


async def train_paper_retriever(job: TrainingJob, encoder: str | None, progress: ProgressCallback) -> TrainingReport:
    """Train the paper's two classifiers, each with its own encoder, resuming an interrupted training.

    Questions without a path, or with an empty one, are left out. The same job gives the same model on the same machine.

    Args:
        job: What to train on, how, and where to write the model.
        encoder: The name or folder of a Hugging Face encoder; see `encoder_source`.
        progress: Called after every batch.

    Returns:
        What was trained on, and the validation scores.

    Raises:
        InvalidInputError: The questions cannot be trained on, or the encoder is unsuitable.
        NotFoundError: The encoder can neither be read nor downloaded.
        DependencyError: The graph store does not answer.
    """
    options = job.hyperparameters
    torch.set_num_threads(options.threads)
    dataset = await build_paper_dataset(job.store, job.train, job.valid, options.seed)
    training, validation = dataset.training, dataset.validation
    relations, version = await job.store.relations(), await job.store.version()
    used = {step for question in training for step in question.path}
    steps = tuple(step for step in (*relations, *(INVERSE + relation for relation in relations)) if step in used)
    max_hops = max(len(question.path) for question in training)
    hop_data = hop_examples(training, max_hops), hop_examples(validation, max_hops)
    step_data = step_examples(training, steps), step_examples(validation, steps)
    source = encoder_source(encoder, training, step_data[0], options.dropout)
    identity = (job.identity, source.name, version, (steps, max_hops), training, validation)
    checkpoints = [Checkpoint(job.out, (file, *identity), file=file) for file in _CHECKPOINTS]
    hops = ClassifierTrainer(source, max_hops, *hop_data, options)
    paths = ClassifierTrainer(source, len(steps), *step_data, options)
    total = hops.total + paths.total
    hops.run(checkpoints[0], lambda done, _, text: progress(done, total, f"hops: {text}"))
    paths.run(checkpoints[1], lambda done, _, text: progress(hops.total + done, total, f"relation paths: {text}"))
    trained = score_classifiers(validation, steps, max_hops, hops.probabilities, paths.probabilities)
    shown = hops.examples_shown + paths.examples_shown
    encoders = {HOP_ENCODER_FILE: hops.network.encoder, STEP_ENCODER_FILE: paths.network.encoder}
    files = TrainedFiles(encoders, {HEADS_FILE: heads_of(hops.network, paths.network)}, source.tokenizer)
    model = await publish(
        job, dataset, PaperModel, files, synonyms={},
        mode="paper", graph_version=version, steps=steps, max_hops=max_hops,
        training={"encoder": source.name, **figures(dataset, trained, shown)},
    )  # fmt: skip
    for checkpoint in checkpoints:
        checkpoint.remove()
    served = score_classifiers(validation, steps, max_hops, model.hops.probabilities, model.steps.probabilities)
    agreed = agreement(
        (hop_data[1], hops.probabilities, model.hops.probabilities),
        (step_data[1], paths.probabilities, model.steps.probabilities),
    )
    return TrainingReport(len(job.train), dataset, trained, served, agreed, shown, time.monotonic() - job.started)
