"""Training of hop prediction and relation path prediction: the steps in order."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import torch

from question_sets.records import QuestionRecord
from services.retriever.prediction.model import RetrieverModel
from services.retriever.prediction.model_folder import Manifest
from shared.graph.store import INVERSE, GraphStore, WalkRule
from training.checkpoint import Checkpoint
from training.retriever.calibration import calibrated
from training.retriever.dataset import gather
from training.retriever.export import UNFINISHED, export_model, publish, write_manifest
from training.retriever.network import pretrained_folder, step_network
from training.retriever.options import FitOptions
from training.retriever.scoring import PathScores, PathTable, agreement, score_paths, served_predictor
from training.retriever.synonyms import synonyms_in
from training.retriever.trainer import Fitting, ProgressCallback
from training.retriever.weak_supervision import estimated

# Of made-up questions the model soon learns what no person would say.
_MADE_UP_WORTH = 3


@dataclass(frozen=True, slots=True)
class TrainOptions:
    """How to train. `train_name` and `valid_name` say in the manifest where the questions came from."""

    train_name: str = "train"
    valid_name: str = "valid"
    fit: FitOptions = field(default_factory=FitOptions)


@dataclass(frozen=True, slots=True)
class TrainingReport:
    """What was trained on and what came of it; `learnt_from` says it in words.

    `trained`, `served`: shares of validation questions predicted right, by the network and by the exported int8
    model; `agreement`: the share of validation inputs on which both predict the same hop and relation. `walk_rules`:
    mean F1 of each rule's answers. `warnings`: sentences for people, empty if all went well.
    """

    questions: int
    learnt_from: str
    distinct_questions: int
    validation_questions: int
    walk_rule: WalkRule
    walk_rules: dict[str, float]
    trained: PathScores
    served: PathScores
    agreement: float
    passes: int
    seconds: float
    warnings: tuple[str, ...]


async def train_retriever(
    store: GraphStore,
    graph: str,
    train: Sequence[QuestionRecord],
    valid: Sequence[QuestionRecord] | None,
    out: Path,
    options: TrainOptions,
    progress: ProgressCallback,
) -> TrainingReport:
    """Train a retriever for a graph and write its folder `out`.

    Questions that do not tell their path learn from their answers; without any questions, the graph's schema is asked
    about. Without `valid` a tenth of the distinct questions is held out. The same inputs and seed give the same model
    on the same machine; a training that was killed goes on. Raises InvalidInputError for questions that cannot be
    trained on, NotFoundError if the pretrained encoder is not installed.
    """
    started = time.monotonic()
    torch.manual_seed(options.fit.seed)
    torch.set_num_threads(options.fit.threads)
    pretrained = pretrained_folder()
    material = await gather(store, train, valid, options.fit.seed)
    relations = await store.relations()
    steps = (*relations, *(INVERSE + relation for relation in relations))
    training = [*material.training, *material.beside]
    table = PathTable(steps, max(len(question.path) for question in training))
    network, tokenizer = step_network(pretrained, relations, training, table, options.fit.dropout)
    version = await store.version()
    checkpoint = Checkpoint(out, (options, version, steps, training, material.validation))
    fit = options.fit if train else replace(options.fit, passes=options.fit.passes // _MADE_UP_WORTH)
    texts = (question.text for question in training) if network.meanings.is_pretrained else ()
    synonyms = synonyms_in(tokenizer, network.encoder.words.weight.detach(), texts)
    fitting = Fitting(network, tokenizer, training, material.validation, table, synonyms, fit)
    fitted = fitting.run(estimated, checkpoint, progress)
    manifest = Manifest(
        graph=graph,
        graph_version=version,
        data={options.train_name: len(train), options.valid_name: sum(q.count for q in material.validation)},
        learnt_from=material.learnt_from,
        seed=options.fit.seed,
        walk_rule=material.walk_rule,
        steps=steps,
        max_hops=table.max_hops,
        question_words=material.question_words,
        training=figures(fitted.passes, fitted.scores, material.walk_rules),
    )
    unfinished = out / UNFINISHED
    export_model(fitted.network, tokenizer, manifest, unfinished)
    model = RetrieverModel.load(unfinished)
    calibration = await calibrated(store, model, material.held_out, synonyms, options.fit.seed)
    write_manifest(manifest.model_copy(update={"calibration": calibration}), unfinished)
    publish(unfinished, out)
    checkpoint.remove()
    served = served_predictor(model, table)
    return TrainingReport(
        questions=len(train),
        learnt_from=material.learnt_from,
        distinct_questions=len(material.training),
        validation_questions=sum(question.count for question in material.validation),
        walk_rule=material.walk_rule,
        walk_rules=material.walk_rules,
        trained=fitted.scores,
        served=score_paths(material.validation, table, served),
        agreement=agreement(material.validation, table, fitted.predict, served),
        passes=fitted.passes,
        seconds=time.monotonic() - started,
        warnings=material.warnings,
    )


def figures(passes: int, scores: PathScores, rules: dict[str, float]) -> dict[str, float | int | str]:
    """What a manifest tells people of a training."""
    return {
        "examples_shown": passes,
        "validation_hop_accuracy": round(scores.hops, 4),
        "validation_path_accuracy": round(scores.paths, 4),
        **{f"answer_f1_{name}": round(f1, 4) for name, f1 in rules.items()},
    }
