"""Training of the paper's hop and relation path classifiers: the steps in order."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch

from question_sets.records import QuestionRecord
from services.retriever.prediction.model_folder import Manifest
from services.retriever.prediction.paper.model import PaperModel
from shared.graph.store import INVERSE, GraphStore
from training.checkpoint import Checkpoint
from training.retriever.calibration import calibrated
from training.retriever.export import UNFINISHED, publish, write_manifest
from training.retriever.options import FitOptions
from training.retriever.paper.dataset import PaperMaterial, gather_told
from training.retriever.paper.export import export_paper_model
from training.retriever.paper.network import EncoderSource, encoder_source
from training.retriever.paper.scoring import classifier_agreement, hop_examples, score_told, step_examples
from training.retriever.paper.trainer import ClassifierFitting, FittedClassifier
from training.retriever.train import TrainingReport, TrainOptions, figures
from training.retriever.trainer import ProgressCallback

_CHECKPOINTS = ("unfinished-hops.pt", "unfinished-relation-paths.pt")


async def train_paper_retriever(
    store: GraphStore,
    graph: str,
    train: Sequence[QuestionRecord],
    valid: Sequence[QuestionRecord] | None,
    out: Path,
    options: TrainOptions,
    encoder: str | None,
    progress: ProgressCallback,
) -> TrainingReport:
    """Train the paper's two classifiers for a graph and write their folder `out`; `encoder`: see `encoder_source`.

    Questions without a path, or with an empty one, are left out. Without `valid` a tenth of the wordings is held out.
    The same inputs and seed give the same model on the same machine; a training that was killed goes on. Raises
    InvalidInputError for questions that cannot be trained on, NotFoundError for an encoder that is not there.
    """
    started = time.monotonic()
    torch.set_num_threads(options.fit.threads)
    material = await gather_told(store, train, valid, options.fit.seed)
    relations = await store.relations()
    used = {step for question in material.training for step in question.path}
    known = (*relations, *(INVERSE + relation for relation in relations))
    classes = _Classes(
        tuple(step for step in known if step in used), max(len(question.path) for question in material.training)
    )
    version = await store.version()
    source = _source(encoder, material, classes, options.fit)
    identity = (options, source.name, version, classes, material.training, material.validation)
    checkpoints = [Checkpoint(out, (file, *identity), file=file) for file in _CHECKPOINTS]
    hops, steps = _fitted(source, material, classes, options.fit, checkpoints, progress)
    trained = score_told(material.validation, classes.steps, classes.max_hops, hops.predict, steps.predict)
    passes = hops.passes + steps.passes
    learnt_from = f"{sum(record.path not in (None, ()) for record in train):,} questions with relation paths"
    manifest = Manifest(
        mode="paper",
        graph=graph,
        graph_version=version,
        data={options.train_name: len(train), options.valid_name: len(material.validation)},
        learnt_from=learnt_from,
        seed=options.fit.seed,
        walk_rule=material.walk_rule,
        steps=classes.steps,
        max_hops=classes.max_hops,
        question_words=material.question_words,
        training={"encoder": source.name, **figures(passes, trained, material.walk_rules)},
    )
    unfinished = out / UNFINISHED
    export_paper_model(hops.network, steps.network, source.tokenizer, manifest, unfinished)
    model = PaperModel.load(unfinished)
    calibration = await calibrated(store, model, material.held_out, {}, options.fit.seed)
    write_manifest(manifest.model_copy(update={"calibration": calibration}), unfinished)
    publish(unfinished, out)
    for checkpoint in checkpoints:
        checkpoint.remove()
    served = (model.hops.probabilities, model.steps.probabilities)
    return TrainingReport(
        questions=len(train),
        learnt_from=learnt_from,
        distinct_questions=material.distinct,
        validation_questions=len(material.validation),
        walk_rule=material.walk_rule,
        walk_rules=material.walk_rules,
        trained=trained,
        served=score_told(material.validation, classes.steps, classes.max_hops, *served),
        agreement=_agreement(material, classes, hops, steps, model),
        passes=passes,
        seconds=time.monotonic() - started,
        warnings=material.warnings,
    )


@dataclass(frozen=True, slots=True)
class _Classes:
    """What the classifiers tell apart: the steps that training questions take, and 1..`max_hops`."""

    steps: tuple[str, ...]
    max_hops: int


def _source(encoder: str | None, material: PaperMaterial, classes: _Classes, fit: FitOptions) -> EncoderSource:
    inputs = [example.text for example in step_examples(material.training, classes.steps)]
    return encoder_source(encoder, [question.text for question in material.training], inputs, fit.dropout)


def _fitted(
    source: EncoderSource,
    material: PaperMaterial,
    classes: _Classes,
    fit: FitOptions,
    checkpoints: Sequence[Checkpoint],
    progress: ProgressCallback,
) -> tuple[FittedClassifier, FittedClassifier]:
    """The hop classifier, then the relation path classifier, each with an encoder of its own."""
    hops = ClassifierFitting(
        source,
        classes.max_hops,
        hop_examples(material.training, classes.max_hops),
        hop_examples(material.validation, classes.max_hops),
        fit,
    )
    steps = ClassifierFitting(
        source,
        len(classes.steps),
        step_examples(material.training, classes.steps),
        step_examples(material.validation, classes.steps),
        fit,
    )
    total = hops.total + steps.total
    return (
        hops.run(checkpoints[0], lambda done, _, text: progress(done, total, f"hops: {text}")),
        steps.run(checkpoints[1], lambda done, _, text: progress(hops.total + done, total, f"relation paths: {text}")),
    )


def _agreement(
    material: PaperMaterial, classes: _Classes, hops: FittedClassifier, steps: FittedClassifier, model: PaperModel
) -> float:
    """The share of validation inputs that the networks and the exported int8 model classify alike."""
    hop_texts = [question.text for question in material.validation]
    step_texts = [example.text for example in step_examples(material.validation, classes.steps)]
    shares = (
        classifier_agreement(hop_texts, hops.predict, model.hops.probabilities),
        classifier_agreement(step_texts, steps.predict, model.steps.probabilities),
    )
    return float(np.average(shares, weights=[len(hop_texts), len(step_texts)]))
