"""Build the training data set: examples from questions or from the graph, split into training and validation."""

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from graph.store import GraphStore, WalkRule
from question_sets.records import QuestionRecord
from services.retriever.linking.masking import MASK
from shared.errors import InvalidInputError
from training.retriever.examples import GoldQuestion, MaskedQuestion, PreparedQuestions, is_latin, prepare_questions
from training.retriever.synthetic_questions import MAX_QUESTIONS, generate_questions
from training.retriever.walk_rule import RULES, fit_walk_rule
from training.retriever.weak_supervision import find_paths, fit_walk_rule_to_answers

_HELD_OUT_SHARE = 0.1
_MIN_TO_SPLIT = 20
_MIN_TO_CALIBRATE = 20
_RECOMMENDED_QUESTIONS = 150
_MAX_SYNTHETIC = 3000
_LOW_F1 = 0.5

T = TypeVar("T")
Q = TypeVar("Q", MaskedQuestion, GoldQuestion)


class TooFewQuestionsError(InvalidInputError):
    """Raised if paths can be learnt from too few of the questions."""


@dataclass(frozen=True, slots=True)
class Dataset(Generic[Q]):
    """Hold the examples for one training run, and what the model folder and the report say about them.

    `synthetic` holds generated questions that are added to the real ones for training. `held_out` holds the questions
    for calibrating the confidence, worded as users asked them. `learnt_from` describes the examples in words.
    `distinct_questions` counts the training questions that differ in more than their topic. `walk_rules` maps each
    rule's name to the mean F1 of its answers.
    """

    training: Sequence[Q]
    validation: Sequence[Q]
    learnt_from: str
    distinct_questions: int
    warnings: tuple[str, ...]
    held_out: Sequence[QuestionRecord] = ()
    walk_rule: WalkRule = RULES[0]
    walk_rules: dict[str, float] = field(default_factory=dict)
    question_words: tuple[str, ...] = ()
    synthetic: Sequence[Q] = ()

    @property
    def validation_questions(self) -> int:
        """Return how many lines of a question file the validation examples represent."""
        return sum(question.count for question in self.validation)


async def build_dataset(
    store: GraphStore,
    train: Sequence[QuestionRecord],
    valid: Sequence[QuestionRecord] | None,
    seed: int,
    most: int = MAX_QUESTIONS,
    least: int = 0,
) -> Dataset[MaskedQuestion]:
    """Build the served-mode data set from questions with paths or answers or, without questions, from the graph.

    Without questions, it holds about `most` made-up ones, or fewer.

    Without `valid`, a tenth of the distinct masked questions is held out, so validation uses new wordings.
    Raise TooFewQuestionsError if paths can be learnt from fewer than `least` of the questions, and InvalidInputError if
    they are unusable for training.
    """
    if not train:
        training, validation = split(await generate_questions(store, seed, min(most, MAX_QUESTIONS)), seed)
        origin = "the graph alone: questions made from its relations' names"
        advice = "the scores below are for synthetic questions; a few hundred questions from users would help most"
        return Dataset(training, validation, origin, len(training), (advice,))
    prepared = await prepare_questions(store, train)
    _require(prepared, least, len(train))
    rule, rules = await fit_walk_rule(store, train, seed)
    if not rules and prepared.answer_only:
        rule, rules = await fit_walk_rule_to_answers(store, prepared.answer_only)
    questions = await _examples(store, prepared, rule, len(train))
    if valid is None:
        training, validation = split(questions, seed)
        unseen = {question.text for question in validation} - {question.text for question in training}
        held_out = [record for text, record in zip(prepared.texts, train, strict=True) if text in unseen]
        if len(held_out) < _MIN_TO_CALIBRATE:
            held_out = list(train)
    else:
        training, held_out = questions, list(valid)
        validation = await _examples(store, await prepare_questions(store, valid), rule, len(valid))
    with_path = sum(question.count for question in prepared.with_path)
    sources = ((with_path, "relation paths"), (len(prepared.answer_only), "answers alone"))
    return Dataset(
        training=training,
        validation=validation,
        held_out=held_out,
        learnt_from=" and ".join(f"{count:,} questions with {what}" for count, what in sources if count),
        distinct_questions=len(training),
        walk_rule=rule,
        walk_rules=rules,
        question_words=prepared.question_words,
        warnings=describe_problems(rules, len(questions), valid is None, len(train), prepared.problems),
        synthetic=await _synthetic(store, training, seed),
    )


def _require(prepared: PreparedQuestions, least: int, records: int) -> None:
    """Raise TooFewQuestionsError if too few questions have a path, or a topic and answers that the graph knows."""
    usable = sum(bool(one.path) * one.count for one in prepared.with_path) + len(prepared.answer_only)
    if usable < least:
        counted = f"{usable} of {records} questions" if usable else f"none of the questions ({records} in all)"
        raise TooFewQuestionsError(
            f"relation paths can be learnt from {counted}, and at least {least} are needed: each needs a relation path "
            "(`path`), or a `topic` and `answers` that are nodes of the graph, not values"
        )


async def _examples(
    store: GraphStore, prepared: PreparedQuestions, rule: WalkRule, records: int
) -> list[MaskedQuestion]:
    questions = [*prepared.with_path, *await find_paths(store, prepared.answer_only, rule)]
    if not questions:
        raise InvalidInputError(
            f"cannot learn from any of the questions ({records} in all): each needs a relation path (`path`), "
            "or a `topic` and `answers` that the graph connects"
        )
    if not any(question.path for question in questions):
        raise InvalidInputError("every question's path is empty; add questions that the graph can answer")
    return questions


async def _synthetic(store: GraphStore, training: Sequence[MaskedQuestion], seed: int) -> list[MaskedQuestion]:
    """Generate at most as many English questions as there are real ones, unless these are in a non-Latin script."""
    if not is_latin(question.text.replace(MASK, "") for question in training):
        return []
    questions = await generate_questions(store, seed)
    return random.Random(seed).sample(questions, min(_MAX_SYNTHETIC, len(training), len(questions)))


def split(questions: Sequence[T], seed: int) -> tuple[Sequence[T], Sequence[T]]:
    """Hold out a tenth of the questions for validation; if there are too few, use all for training and validation."""
    if len(questions) < _MIN_TO_SPLIT:
        return questions, questions
    shuffled = random.Random(seed).sample(list(questions), len(questions))
    held_out = round(len(shuffled) * _HELD_OUT_SHARE)
    return shuffled[held_out:], shuffled[:held_out]


def describe_problems(
    rules: dict[str, float], distinct: int, is_split: bool, records: int, counts: dict[str, int]
) -> tuple[str, ...]:
    """Return warnings about a question file of `records` lines, with `distinct` questions before any are held out.

    `is_split` states whether any are held out. `counts` maps each problem to the number of records that have it.
    """
    warnings = []
    if rules and max(rules.values()) < _LOW_F1:
        warnings.append("the questions' paths do not lead to their answers; check some of the paths by hand")
    only = f"only {distinct} distinct question{'' if distinct == 1 else 's'}"
    if is_split and distinct < _MIN_TO_SPLIT:
        warnings.append(f"{only}, so none was held out: the scores and the confidence are unreliable")
    elif distinct < _RECOMMENDED_QUESTIONS:
        warnings.append(f"{only}; a good retriever and a reliable confidence need a few hundred questions from users")
    return (*warnings, *(f"{problem} ({count} of {records})" for problem, count in counts.items() if count))
