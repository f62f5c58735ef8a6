"""Restrict a question to earlier answers: `Which of them have arthritis?` asks about the pets that were the answers.

One question for each entity would be nonsense here: `How many of Duke have arthritis?`
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import NamedTuple

from contracts.answers import Answer, AnswerType, answer_names
from contracts.retrieve import RetrieveResponse
from graph.plan.value_text import value_text
from language.conversation import Reference
from language.english.morphology import plural
from language.marks import Mark
from language.question import Question
from services.answerer.chat.ellipsis import without_lead
from services.answerer.pipeline import Found
from shared.text import readable, words

_MAX_NAMES = 5


class AskedAbout(NamedTuple):
    """Hold what is asked: a text, what names in it mean, and the only nodes that it asks about; none if all."""

    text: str
    means: Mapping[str, str] = MappingProxyType({})
    among: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Restricted:
    """A question about entities of a kind, of which only earlier answers are of interest.

    Attributes:
        question: The question.
        said: The words that refer to the earlier answers.
        entities: The earlier answers.
        is_count: Whether they are to be counted.
    """

    question: str
    said: str
    entities: tuple[Answer, ...]
    is_count: bool

    @property
    def ids(self) -> tuple[str, ...]:
        """Return the ids of the earlier answers."""
        return tuple(one.id for one in self.entities if one.id is not None)

    @property
    def note(self) -> str:
        """Say what was asked, and about whom."""
        return f"Read as “{self.question}”, for {_listed(self.entities)}."

    def keep(self, found: Found) -> Found | None:
        """Return what was found with the answers among the earlier ones; None if that cannot be said for sure."""
        kinds = {one.kind for one in self.entities}
        answers = found.retrieved.answers
        if found.retrieved.truncated or any(one.kind not in kinds for one in answers):
            return None
        ids = {one.id for one in self.entities}
        return replace(found, retrieved=with_answers(found.retrieved, [one for one in answers if one.id in ids]))


def is_about_some(question: Question) -> bool:
    """Return whether a question asks about a part of several entities, or sums them up: `the oldest of them`."""
    return question.says(Mark.SOME_OF_THEM) or (_their(question) is not None and bool(question.aggregate_words))


def _their(question: Question) -> Reference | None:
    """Return `their`, unless it may refer to something in the question itself."""
    every = (one for one in question.references if one.is_possessive and one.is_plural)
    return next((one for one in every if not one.may_be_bound), None)


def restricted(question: Question, turn: Sequence[Found]) -> Restricted | None:
    """Return what a question such as `How many of them ...?` asks about all entities; None if it cannot be restricted.

    The entities are those of the previous turn, which must be of one kind, and must all be listed.
    """
    core = without_lead(question)
    entities = tuple({one.id: one for found in turn for one in found.retrieved.answers if one.id}.values())
    kinds = {one.kind for one in entities}
    if len(kinds) != 1 or None in kinds or any(found.retrieved.truncated for found in turn):
        return None
    noun = readable(entities[0].kind or "")
    said = core.first(Mark.WHICH_OF_THEM)
    if said is None:
        return _of_noun(core, noun, entities)
    counted, them, said_noun = said.parts
    has_noun = said_noun is not None and _is_noun(said_noun, noun, turn)
    rest = core.reworded(core.text[said.end if has_noun or not said_noun else said.places[-1] :].strip())
    is_count = counted is not None
    subject = noun if not is_count and rest.says(Mark.SINGULAR_VERB) else plural(noun)
    referring = (them or "") if has_noun else (them or "").split()[0]
    return Restricted(f"Which {subject} {rest.text}", referring, entities, is_count)


def _of_noun(question: Question, noun: str, entities: tuple[Answer, ...]) -> Restricted | None:
    """Return `the oldest of the people` for `the oldest of them`, and so for `their average pay`; else None."""
    said = question.first(Mark.OF_THEM)
    if said is not None and not question.says(Mark.QUANTIFIED_OF_THEM):
        text = f"{question.text[: said.start]}of the {plural(noun)}{question.text[said.end :]}"
        return Restricted(text, said.parts[0] or "", entities, is_count=False)
    their = _their(question)
    if their is None or not question.aggregate_words:
        return None
    end = question.text[their.end :].rstrip(" ?.!")
    return Restricted(f"{question.text[: their.start]}the{end} of the {plural(noun)}?", their.text, entities, False)


def said_other(question: Question) -> str | None:
    """Return `other` or `else` if a question such as `What other pets does he own?` says it."""
    said = question.first(Mark.OTHER)
    return said.parts[0] if said else None


def without_other(question: Question) -> Question:
    """Return a question without `other` and `else`, which are no words about the graph."""
    text = question.text
    for said in reversed(question.all(Mark.OTHER)):
        text = text[: said.start] + text[said.end :]
    return question.reworded(text)


def others(found: Found, names: Collection[str]) -> Found | None:
    """Return what was found without the entities of these names; None if the answers are no entities."""
    if found.retrieved.answer_type is not AnswerType.ENTITIES:
        return None
    answers = [one for one in found.retrieved.answers if value_text(one.value) not in names]
    return replace(found, retrieved=with_answers(found.retrieved, answers))


def with_answers(retrieved: RetrieveResponse, answers: Sequence[Answer]) -> RetrieveResponse:
    """Return what was found with some of its answers only, and with their evidence."""
    kept = sorted({index for one in answers for index in one.evidence})
    moved = {index: place for place, index in enumerate(kept)}
    return retrieved.model_copy(
        update={
            "answers": [one.supported_by([moved[i] for i in one.evidence]) for one in answers],
            "answer_type": AnswerType.ENTITIES if answers else None,
            "other_answers": [],
            "columns": [],
            "rows": [],
            "evidence": [item for index, item in enumerate(retrieved.evidence) if index in moved],
            "plan_evidence": [item for index, item in enumerate(retrieved.plan_evidence) if index in moved],
        }
    )


def refusal(names: Collection[str]) -> str:
    """Say that a question cannot be restricted to some entities."""
    return (
        f"I can't restrict this question to {_shortened(names)}. "
        "Please ask about one of them, or put all conditions in one question."
    )


def _is_noun(word: str, noun: str, turn: Sequence[Found]) -> bool:
    said = {one.removesuffix("s") for found in turn for one in words(found.request.question)}
    return word.lower() == plural(noun) or word.lower().removesuffix("s") in said


def _listed(entities: Sequence[Answer]) -> str:
    return _shortened(answer_names(entities))


def _shortened(names: Collection[str]) -> str:
    more = f" and {len(names) - _MAX_NAMES} more" if len(names) > _MAX_NAMES else ""
    return ", ".join(list(names)[:_MAX_NAMES]) + more
