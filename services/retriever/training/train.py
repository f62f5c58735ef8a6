"""Training of hop prediction and relation path prediction: the steps in order."""

import random
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import torch

from services.retriever.manifest import Manifest
from services.retriever.model import RetrieverModel
from services.retriever.training.examples import MaskedQuestion, Prepared, prepare
from services.retriever.training.export import export_model
from services.retriever.training.fitting import FitOptions, Fitted, ProgressCallback, fit
from services.retriever.training.network import pretrained_folder, step_network
from services.retriever.training.scoring import PathScores, PathTable, agreement, score_paths, served_predictor
from services.retriever.training.walk_rule import fit_walk_rule
from shared.errors import InvalidInputError
from shared.graph.store import INVERSE, GraphStore, WalkRule
from shared.questions import QuestionRecord

_HELD_OUT = 0.1
_MIN_TO_SPLIT = 20
_FEW = 150
_POOR_F1 = 0.5


@dataclass(frozen=True, slots=True)
class TrainOptions:
    """How to train. `train_name` and `valid_name` say in the manifest where the questions came from."""

    train_name: str = "train"
    valid_name: str = "valid"
    fit: FitOptions = field(default_factory=FitOptions)


@dataclass(frozen=True, slots=True)
class TrainingReport:
    """What was trained on and what came of it.

    `trained`, `served`: shares of validation questions predicted right, by the network and by the exported int8
    model; `agreement`: the share of validation inputs on which both predict the same hop and relation. `walk_rules`:
    mean F1 of each rule's answers. `warnings`: sentences for people, empty if all went well.
    """

    questions: int
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

    Without `valid` a tenth of the distinct questions is held out. The same inputs and seed give the same model on
    the same machine. Raises InvalidInputError for questions that cannot be trained on, NotFoundError if the
    pretrained encoder is not installed.
    """
    started = time.monotonic()
    torch.manual_seed(options.fit.seed)
    torch.set_num_threads(options.fit.threads)
    pretrained = pretrained_folder()
    prepared = await prepare(store, train)
    training, validation = await _split(store, prepared, valid, options.fit.seed)
    rule, rules = await fit_walk_rule(store, train, options.fit.seed)
    relations = await store.relations()
    steps = (*relations, *(INVERSE + relation for relation in relations))
    table = PathTable(steps, max(len(question.path) for question in training))
    network, tokenizer = step_network(pretrained, relations, training, table, options.fit.dropout)
    fitted = fit(network, tokenizer, training, validation, table, options.fit, progress)
    manifest = Manifest(
        graph=graph,
        graph_version=await store.version(),
        data={options.train_name: len(train), options.valid_name: sum(question.count for question in validation)},
        seed=options.fit.seed,
        walk_rule=rule,
        steps=steps,
        max_hops=table.max_hops,
        question_words=prepared.question_words,
        training=_figures(fitted, rules),
    )
    export_model(fitted.network, tokenizer, manifest, out)
    served = served_predictor(RetrieverModel.load(out), table)
    return TrainingReport(
        questions=len(train),
        distinct_questions=len(training),
        validation_questions=sum(question.count for question in validation),
        walk_rule=rule,
        walk_rules=rules,
        trained=fitted.scores,
        served=score_paths(validation, table, served),
        agreement=agreement(validation, table, fitted.predict, served),
        passes=fitted.passes,
        seconds=time.monotonic() - started,
        warnings=_warnings(prepared, rules, len(training), valid is None),
    )


async def _split(
    store: GraphStore, prepared: Prepared, valid: Sequence[QuestionRecord] | None, seed: int
) -> tuple[Sequence[MaskedQuestion], Sequence[MaskedQuestion]]:
    """Training and validation questions; held-out ones are distinct as masked, so they measure new wordings."""
    if not any(question.path for question in prepared.questions):
        raise InvalidInputError("every question's path is empty; training needs questions that the graph can answer")
    if valid is not None:
        return prepared.questions, (await prepare(store, valid)).questions
    if len(prepared.questions) < _MIN_TO_SPLIT:
        return prepared.questions, prepared.questions
    shuffled = random.Random(seed).sample(prepared.questions, len(prepared.questions))
    held_out = round(len(shuffled) * _HELD_OUT)
    return shuffled[held_out:], shuffled[:held_out]


def _figures(fitted: Fitted, rules: dict[str, float]) -> dict[str, float | int | str]:
    return {
        "examples_shown": fitted.passes,
        "validation_hop_accuracy": round(fitted.scores.hops, 4),
        "validation_path_accuracy": round(fitted.scores.paths, 4),
        **{f"answer_f1_{name}": round(f1, 4) for name, f1 in rules.items()},
    }


def _warnings(prepared: Prepared, rules: dict[str, float], distinct: int, split: bool) -> tuple[str, ...]:
    found = []
    if rules and max(rules.values()) < _POOR_F1:
        found.append("the paths of the questions do not lead to their answers; compare some by hand")
    if split and distinct < _MIN_TO_SPLIT:
        found.append(f"only {distinct} distinct questions: none was held out, so the figures are on these very ones")
    elif distinct < _FEW:
        found.append(f"only {distinct} distinct questions; some hundreds in people's own words make a good retriever")
    counts = (
        (prepared.without_path, "do not tell their relation path and were left out"),
        (prepared.unknown_topics, "have a topic entity that the graph does not know; they were trained unmasked"),
        (prepared.unmentioned_topics, "do not mention their topic entity; they were trained unmasked"),
    )
    return (*found, *(f"{count} of {prepared.records} questions {what}" for count, what in counts if count))
