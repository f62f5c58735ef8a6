"""What a training learns from: told paths, paths found by answers, or the graph alone; split into train and valid."""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

from question_sets.records import QuestionRecord
from services.retriever.linking.mentions import MASK
from shared.errors import InvalidInputError
from shared.graph.store import GraphStore, WalkRule
from training.retriever.examples import MaskedQuestion, Prepared, prepare
from training.retriever.synthetic_questions import invented_questions
from training.retriever.vocabulary import is_latin
from training.retriever.walk_rule import fit_walk_rule
from training.retriever.weak_supervision import fitting_rule, found_paths

_HELD_OUT = 0.1
_MIN_TO_SPLIT = 20
_FEW = 150
_ENOUGH_TO_CALIBRATE = 20
_MOST_BESIDE = 3000
_POOR_F1 = 0.5

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Material:
    """Questions to train and to validate with, the graph's walk rule, and what there is to say about them.

    `beside`: made-up questions to train with; `learnt_from`: in words; `held_out`: the validation questions as they
    were asked, or all questions where those are too few to say how sure the model may be; `walk_rules`: mean F1 of each
    rule's answers; `warnings`: sentences for people.
    """

    training: Sequence[MaskedQuestion]
    beside: Sequence[MaskedQuestion]
    validation: Sequence[MaskedQuestion]
    learnt_from: str
    held_out: Sequence[QuestionRecord]
    walk_rule: WalkRule
    walk_rules: dict[str, float]
    question_words: tuple[str, ...]
    warnings: tuple[str, ...]


async def gather(
    store: GraphStore, train: Sequence[QuestionRecord], valid: Sequence[QuestionRecord] | None, seed: int
) -> Material:
    """All that a training needs of the graph and of its questions, of which there may be none.

    Held-out questions are distinct as masked, so they measure new wordings. Raises InvalidInputError for questions
    that cannot be trained on.
    """
    if not train:
        return _from_graph(await invented_questions(store, seed), seed)
    prepared = await prepare(store, train)
    rule, rules = await fit_walk_rule(store, train, seed)
    if not rules and prepared.untold:
        rule, rules = await fitting_rule(store, prepared.untold)
    questions = [*prepared.questions, *await found_paths(store, prepared.untold, rule)]
    _check(questions, len(train))
    if valid is None:
        training, validation = split(questions, seed)
        unseen = {question.text for question in validation} - {question.text for question in training}
        asked = [record for text, record in zip(prepared.texts, train, strict=True) if text in unseen]
        if len(asked) < _ENOUGH_TO_CALIBRATE:
            asked = list(train)
    else:
        asked = list(valid)
        held_out = await prepare(store, valid)
        training, validation = (
            questions,
            [
                *held_out.questions,
                *await found_paths(store, held_out.untold, rule),
            ],
        )
        _check(validation, len(valid))
    return Material(
        training=training,
        beside=await _beside(store, training, seed),
        validation=validation,
        held_out=asked,
        learnt_from=_learnt_from(prepared),
        walk_rule=rule,
        walk_rules=rules,
        question_words=prepared.question_words,
        warnings=_warnings(prepared, rules, len(questions), valid is None),
    )


async def _beside(store: GraphStore, training: Sequence[MaskedQuestion], seed: int) -> list[MaskedQuestion]:
    """Made-up questions in English, no more than real ones: they tell of relations that those leave out."""
    if not is_latin(question.text.replace(MASK, "") for question in training):
        return []
    invented = await invented_questions(store, seed)
    return random.Random(seed).sample(invented, min(_MOST_BESIDE, len(training), len(invented)))


def _from_graph(questions: list[MaskedQuestion], seed: int) -> Material:
    training, validation = split(questions, seed)
    return Material(
        training=training,
        beside=(),
        validation=validation,
        held_out=(),
        learnt_from="the graph alone: questions made from its relations' names",
        walk_rule=WalkRule(),
        walk_rules={},
        question_words=(),
        warnings=(
            "the figures below are about made-up questions; some hundreds in people's own words would help most",
        ),
    )


def _check(questions: Sequence[MaskedQuestion], asked: int) -> None:
    if not questions:
        raise InvalidInputError(
            f"none of the {asked} questions can be learnt from: each needs its relation path (`path`), "
            "or a `topic` and `answers` that the graph connects"
        )
    if not any(question.path for question in questions):
        raise InvalidInputError("every question's path is empty; training needs questions that the graph can answer")


def split(questions: Sequence[T], seed: int) -> tuple[Sequence[T], Sequence[T]]:
    """What trains, and a tenth held out; too few do both."""
    if len(questions) < _MIN_TO_SPLIT:
        return questions, questions
    shuffled = random.Random(seed).sample(list(questions), len(questions))
    held_out = round(len(shuffled) * _HELD_OUT)
    return shuffled[held_out:], shuffled[:held_out]


def _learnt_from(prepared: Prepared) -> str:
    told = prepared.records - prepared.useless - len(prepared.untold)
    parts = [
        f"{count:,} questions with {what}"
        for count, what in ((told, "relation paths"), (len(prepared.untold), "answers alone"))
        if count
    ]
    return " and ".join(parts)


def _warnings(prepared: Prepared, rules: dict[str, float], distinct: int, split: bool) -> tuple[str, ...]:
    return warnings_of(
        rules,
        distinct,
        split,
        prepared.records,
        (
            (prepared.useless, "tell neither path nor a topic and answers that the graph knows, and were left out"),
            (prepared.unknown_topics, "have a topic entity that the graph does not know; they teach less"),
            (prepared.unmentioned_topics, "do not mention their topic entity; they were trained unmasked"),
        ),
    )


def warnings_of(
    rules: dict[str, float], distinct: int, split: bool, records: int, counts: Sequence[tuple[int, str]]
) -> tuple[str, ...]:
    """What people should know of their questions, as sentences.

    `distinct`: how many there are, before any is held out; `split`: they were to validate, too; `counts`: how many of
    the `records` are how.
    """
    found = []
    if rules and max(rules.values()) < _POOR_F1:
        found.append("the paths of the questions do not lead to their answers; compare some by hand")
    if split and distinct < _MIN_TO_SPLIT:
        found.append(
            f"only {distinct} distinct questions: none was held out, so the figures and the confidence mean little"
        )
    elif distinct < _FEW:
        found.append(
            f"only {distinct} distinct questions; some hundreds in people's own words make a good retriever and "
            "a confidence to trust"
        )
    return (*found, *(f"{count} of {records} questions {what}" for count, what in counts if count))
