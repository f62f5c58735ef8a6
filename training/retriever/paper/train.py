"""Train the paper-mode retriever: build the data set, train two classifiers (RRA eq. 5-7), and publish the model."""

import math
from collections.abc import Callable, Sequence

import numpy as np
import torch
from torch import Tensor, nn

from graph.store import INVERSE, GraphStore
from question_sets.records import QuestionRecord
from services.retriever.encoder.encoder import Vectors
from services.retriever.paths.paper.hop_and_path_prediction import step_input
from services.retriever.paths.paper.model import HEADS_FILE, HOP_ENCODER_FILE, STEP_ENCODER_FILE, PaperModel
from shared.errors import InvalidInputError
from training.checkpoint import Checkpoint
from training.retriever.dataset import Dataset, describe_problems, split
from training.retriever.examples import UNKNOWN, ClassifierExample, GoldQuestion, check_relations, mask_topics
from training.retriever.export import TrainedFiles
from training.retriever.paper.network import EncoderSource, TextClassifier, encoder_source, heads_of
from training.retriever.scoring import MIN_PROBABILITY, ClassifierScores, Mask, PathScores
from training.retriever.train import TrainingJob, TrainingReport, publish
from training.retriever.training_loop import Hyperparameters, ProgressCallback, TrainingLoop
from training.retriever.walk_rule import fit_walk_rule

_CHECKPOINTS = ("unfinished-hops.pt", "unfinished-relation-paths.pt")

# Maps texts to the probabilities of all classes, [n, classes].
Predictor = Callable[[Sequence[str]], Vectors]
Examples = Sequence[ClassifierExample]


async def train_paper_retriever(job: TrainingJob, encoder: str | None, progress: ProgressCallback) -> TrainingReport:
    """Train the paper's two classifiers, each with its own encoder, or resume an interrupted run.

    Questions without a path, or with an empty one, are left out. The same job gives the same model on the same machine.

    Args:
        job: What to train on, how, and where to write the model.
        encoder: The name or folder of a Hugging Face encoder; see `encoder_source`.
        progress: Called after every batch.

    Returns:
        A report on the training data and the validation scores.

    Raises:
        InvalidInputError: The questions are unusable for training, or the encoder is unsuitable.
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
    settings = (job.train_name, job.valid_name, options)
    identity = (settings, source.name, version, (steps, max_hops), training, validation)
    checkpoints = [Checkpoint(job.checkpoints, (file, *identity), file=file) for file in _CHECKPOINTS]
    hops = ClassifierTrainer(source, max_hops, *hop_data, options)
    paths = ClassifierTrainer(source, len(steps), *step_data, options)
    total = hops.total + paths.total
    hops.run(checkpoints[0], lambda done, _, text: progress(done, total, f"hops: {text}"))
    paths.run(checkpoints[1], lambda done, _, text: progress(hops.total + done, total, f"relation paths: {text}"))
    trained = score_classifiers(validation, steps, max_hops, hops.probabilities, paths.probabilities)
    encoders = {HOP_ENCODER_FILE: hops.network.encoder, STEP_ENCODER_FILE: paths.network.encoder}
    files = TrainedFiles(encoders, {HEADS_FILE: heads_of(hops.network, paths.network)}, source.tokenizer)
    described = {"mode": "paper", "graph_version": version, "steps": steps, "max_hops": max_hops}
    shown = hops.examples_shown + paths.examples_shown
    figures: dict[str, int | str] = {"encoder": source.name, "examples_shown": shown}
    model = await publish(job, dataset, PaperModel, files, {}, described, trained, figures)
    served = score_classifiers(validation, steps, max_hops, model.hops.probabilities, model.steps.probabilities)
    agreed = agreement(
        (hop_data[1], hops.probabilities, model.hops.probabilities),
        (step_data[1], paths.probabilities, model.steps.probabilities),
    )
    return TrainingReport(dataset, trained, served, agreed)


async def build_paper_dataset(
    store: GraphStore, train: Sequence[QuestionRecord], valid: Sequence[QuestionRecord] | None, seed: int
) -> Dataset[GoldQuestion]:
    """Build the data set from the questions that have a path; raise InvalidInputError if they are unusable.

    Without `valid`, a tenth of the masked questions is held out, each with all its topics. As in served mode,
    validation therefore uses new wordings.
    """
    for records in (train, valid):
        if records is not None and not _with_path(records):
            raise InvalidInputError(
                f"none of the questions ({len(records)} in all) has a relation path (`path`), but paper mode requires "
                "one; add the paths, or train without --mode paper to learn from answers too"
            )
    check_relations([*train, *(valid or ())], await store.relations())
    texts, question_words, _ = await mask_topics(store, train)
    pairs = list(zip(texts, train, strict=True))
    wordings = list(dict.fromkeys(text for text, record in pairs if record.path))
    if valid is None:
        to_train, to_hold_out = map(set, split(wordings, seed))
        training = [record for text, record in pairs if text in to_train]
        validation = [record for text, record in pairs if text in to_hold_out]
        # Training questions do not show how reliable the model is.
        held_out = [] if to_train == to_hold_out else validation
    else:
        training, validation, held_out = list(train), list(valid), list(valid)
    rule, rules = await fit_walk_rule(store, train, seed)
    counts = {
        "questions with an empty path were left out, since paper mode cannot learn from them": sum(
            record.path == () for record in train
        ),
        "questions without a path were left out": sum(record.path is None for record in train),
    }
    return Dataset(
        training=_with_path(training),
        validation=_with_path(validation),
        held_out=held_out,
        learnt_from=f"{len(_with_path(train)):,} questions with relation paths",
        distinct_questions=len(wordings),
        walk_rule=rule,
        walk_rules=rules,
        question_words=question_words,
        warnings=describe_problems(rules, len(wordings), valid is None, len(train), counts),
    )


def hop_examples(questions: Sequence[GoldQuestion], max_hops: int) -> list[ClassifierExample]:
    """Return one example per question; a path of h hops has the class h - 1 (RRA eq. 5 and 6)."""
    return [
        ClassifierExample(question.text, len(question.path) - 1 if len(question.path) <= max_hops else UNKNOWN)
        for question in questions
    ]


def step_examples(questions: Sequence[GoldQuestion], steps: Sequence[str]) -> list[ClassifierExample]:
    """Return one example per relation of each gold path; its text includes the gold path so far (teacher forcing)."""
    columns = {step: column for column, step in enumerate(steps)}
    return [
        ClassifierExample(step_input(question.text, question.path[:place]), columns.get(step, UNKNOWN))
        for question in questions
        for place, step in enumerate(question.path)
    ]


def _with_path(records: Sequence[QuestionRecord]) -> list[GoldQuestion]:
    return [GoldQuestion(record.question, record.path) for record in records if record.path]


class ClassifierTrainer(TrainingLoop[ClassifierExample, ClassifierScores]):
    """Train one classifier on one-hot targets."""

    def __init__(
        self, source: EncoderSource, classes: int, training: Examples, validation: Examples, options: Hyperparameters
    ) -> None:
        torch.manual_seed(options.seed)
        network = TextClassifier(source, classes, options.dropout)
        rates = [
            (list(network.encoder.parameters()), options.encoder_rate(source.is_pretrained)),
            (list(network.head.parameters()), options.head_rate),
        ]
        worst = ClassifierScores(right=-1.0, loss=math.inf)
        super().__init__(network, source.tokenizer, rates, training, worst, options)
        self._validation = validation

    def probabilities(self, texts: Sequence[str]) -> Vectors:
        """Return the probabilities of all classes, [n, classes]."""
        logits = self.logits([ClassifierExample(text, UNKNOWN) for text in texts])
        return np.asarray(torch.from_numpy(logits).softmax(dim=1).numpy())

    def _loss(self, logits: Tensor, examples: Examples) -> Tensor:
        return nn.functional.cross_entropy(logits, torch.tensor([example.target for example in examples]))

    def _validate(self) -> str:
        right, losses = _score_each(self._validation, self.probabilities)
        scores = self.best.check(ClassifierScores(float(right.mean()), float(losses.mean())))
        return f"validation: {scores.right:.1%}"


def score_classifiers(
    questions: Sequence[GoldQuestion], steps: Sequence[str], max_hops: int, hop: Predictor, step: Predictor
) -> PathScores:
    """Score both classifiers; a path is right if its number of hops and all its relations are the most probable ones.

    Unlike in served mode, a relation competes with all relations, whether or not the graph has them at that point.
    """
    hops_right, hop_losses = _score_each(hop_examples(questions, max_hops), hop)
    right, losses = _score_each(step_examples(questions, steps), step)
    starts = np.cumsum([0, *(len(question.path) for question in questions[:-1])])
    paths_right = hops_right & np.logical_and.reduceat(right, starts)
    path_losses = hop_losses + np.add.reduceat(losses, starts)
    return PathScores(float(hops_right.mean()), float(paths_right.mean()), float(path_losses.mean()))


def agreement(*compared: tuple[Examples, Predictor, Predictor]) -> float:
    """Return the share of examples to which both predictors assign the same class."""
    alike = []
    for examples, one, other in compared:
        texts = [example.text for example in examples]
        alike.append(one(texts).argmax(axis=1) == other(texts).argmax(axis=1))
    return float(np.concatenate(alike).mean())


def _score_each(examples: Examples, predict: Predictor) -> tuple[Mask, Vectors]:
    """Return whether each example is classified correctly, and its negative log-likelihood."""
    probabilities = predict([example.text for example in examples])
    targets = np.array([example.target for example in examples])
    chances = np.where(targets == UNKNOWN, 0.0, probabilities[np.arange(len(targets)), targets])
    return probabilities.argmax(axis=1) == targets, -np.log(np.maximum(chances, MIN_PROBABILITY)).astype(np.float32)
