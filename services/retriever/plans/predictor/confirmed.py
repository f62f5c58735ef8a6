"""Propose the plans of confirmed questions for questions that are read alike.

A nonparametric memory beside the model, as in nearest-neighbour language models (Khandelwal et al. 2020), but of whole
plans: single actions of neighbours mix with those of the model into plans that nobody asked for.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from language.marks import Mark
from language.question import Question
from language.values import QuestionValue
from services.retriever.plans.grammar.actions import Action, Op
from services.retriever.plans.predictor.model import Reading
from services.retriever.plans.schema.schema_elements import SchemaElements

_LEAST_SIMILARITY = 0.5
_NEIGHBOURS = 6
_VALUE = "#"

Vector = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class KnownPlan:
    """Hold a confirmed question with its values, and the actions of its plan."""

    question: Question
    values: tuple[QuestionValue, ...]
    actions: tuple[Action, ...]


class Proposal(NamedTuple):
    """Hold the actions of a confirmed plan with the values of another question, and how alike the two are read.

    `asks_whether` says that the confirmed question is answered by yes or no, and so may the other one be.
    """

    actions: tuple[Action, ...]
    similarity: float
    asks_whether: bool


def vector_of(reading: Reading) -> Vector:
    """Return the mean of what a model reads at the words of a question, [size]."""
    return np.asarray(reading.memory[: reading.tokens].mean(axis=0))


def vectors_of(
    known: Sequence[KnownPlan], read: Callable[[KnownPlan], Reading], seen: dict[str, Vector]
) -> list[Vector]:
    """Return the vectors of confirmed questions; those that were `seen`, by their texts, are not read again."""
    for one in known:
        if one.question.text not in seen:
            seen[one.question.text] = vector_of(read(one))
    return [seen[one.question.text] for one in known]


class ConfirmedPlans:
    """Find confirmed plans by the vectors of their questions: cosines, after the mean of all of them is taken off.

    A question in the words of a confirmed one, with the same values or others, means its plan and no other. Vectors
    hardly tell `who trained Ann` from `who was trained by Ann`, so a plan with a relationship between two nodes of one
    kind is proposed for the same words only.
    """

    def __init__(self, known: Sequence[KnownPlan], vectors: Sequence[Vector], elements: SchemaElements) -> None:
        """Compare with questions whose vectors come from `vector_of`, and whose plans name `elements`."""
        self._known = known
        self._words = [_words(one.question, one.values) for one in known]
        self._has_two_ways = [_has_two_ways(one.actions, elements) for one in known]
        stacked = np.stack(vectors)
        self._mean = stacked.mean(axis=0)
        self._vectors = _normalised(stacked - self._mean)

    def proposals(self, question: Question, reading: Reading, values: Sequence[QuestionValue]) -> list[Proposal]:
        """Return the plans of the most similar questions, each once, the most similar first.

        Args:
            question: The question.
            reading: What the model read of it.
            values: The values that it states, which take the places of those of a confirmed question.
        """
        similarities = self._vectors @ _normalised(vector_of(reading) - self._mean)
        words = _words(question, values)
        same = [number for number, one in enumerate(self._words) if one == words]
        similar = [number for number in np.argsort(-similarities)[:_NEIGHBOURS] if not self._has_two_ways[number]]
        found: dict[tuple[Action, ...], Proposal] = {}
        for number in same or similar:
            if not same and similarities[number] < _LEAST_SIMILARITY:
                break
            known = self._known[number]
            actions = _with_values(known, values)
            if actions is not None:
                asks_whether = known.question.says(Mark.WHETHER)
                similarity = 1.0 if same else float(similarities[number])
                found.setdefault(actions, Proposal(actions, similarity, asks_whether))
        return list(found.values())


def _normalised(vectors: Vector) -> Vector:
    return np.asarray(vectors / np.maximum(np.linalg.norm(vectors, axis=-1, keepdims=True), 1e-9))


def _words(question: Question, values: Sequence[QuestionValue]) -> tuple[str, ...]:
    """Return the stems of a question in their order, with one sign for each value."""
    found: list[str] = []
    spans = [(one.start, one.end) for one in values]
    for start, end, root in question.words:
        span = next((one for one in spans if one[0] < end and start < one[1]), None)
        found.append(root if span is None else f"#{span[0]}")
    return tuple(_VALUE if one.startswith("#") else one for one, _ in groupby(found))


def _has_two_ways(actions: Sequence[Action], elements: SchemaElements) -> bool:
    """Return whether a plan follows a relationship between two nodes of one kind, whose direction matters."""
    followed = (one.number for one in actions if one.op in (Op.OUT, Op.IN))
    return any(elements.connections[number].is_within_kind for number in followed)


def _with_values(known: KnownPlan, values: Sequence[QuestionValue]) -> tuple[Action, ...] | None:
    """Return the actions with the first values of the same forms that may stand in the same places; None without."""
    free = dict(enumerate(values))
    chosen: dict[int, int] = {}
    for number in dict.fromkeys(one.number for one in known.actions if one.op is Op.VALUE):
        fitting = [place for place, value in free.items() if _may_replace(value, known.values[number])]
        if not fitting:
            return None
        chosen[number] = fitting[0]
        del free[fitting[0]]
    return tuple(Action(Op.VALUE, chosen[one.number]) if one.op is Op.VALUE else one for one in known.actions)


def _may_replace(new: QuestionValue, old: QuestionValue) -> bool:
    """Return whether two values have one form, and are stored by a property in common, if by any."""
    if new.form is not old.form:
        return False
    return not new.stored.keys().isdisjoint(old.stored) if old.stored else True
