"""Find the trusted question that another question means."""

import asyncio
import itertools
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache

from contracts.trusted_questions import ENTITY, TrustedQuestion
from graph.plan.algebra import Column, Filter, Match, NodePattern, Plan, Project, Slice, Variable
from graph.plan.current_time import with_current_time
from graph.plan.schema import GraphSchema
from graph.plan.traversal import walk
from graph.store import GraphStore
from language.comparable import comparable
from language.english.morphology import without_s
from language.english.shape import Shape, is_slot, shape
from language.question import Question
from services.retriever.encoder.encoder import Encoder, OnnxEncoder
from services.retriever.encoder.word_vectors import WordVectors
from services.retriever.plans.judging.plan_readings import PlanReading
from services.retriever.plans.predictor.plan_manifest import BASE_MODEL
from services.retriever.plans.running import MAX_ROWS, AnswerPlan, with_all_ties
from services.retriever.trusted.agreement import agrees, may_be_meant
from services.retriever.trusted.meaning import KnownQuestion
from services.retriever.trusted.near_words import NearWords
from services.retriever.trusted.slot_spans import slot_spans
from services.retriever.trusted.slots import FilledSlots, filled_plan, filled_slots
from shared.errors import DeadlineExceededError, PlanLimitError

_MAX_WORDS = 40
_SURE = 0.95
"""The confidence in what the plan model tells; one question in twenty that other authors wrote meant something else."""


ReadAsPlans = Callable[[Question], Awaitable[Sequence[PlanReading]]]
"""Return the readings of a question as plans, best first."""


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A trusted question, the places of what may fill its slots, and the question with slots there."""

    known: KnownQuestion
    filling: Mapping[str, tuple[int, int]]
    asked: Shape


@cache
def packaged_encoder() -> Encoder:
    """Return the encoder of the packaged base model, for which likeness of words was measured."""
    return OnnxEncoder(BASE_MODEL)


async def run_now(store: GraphStore, plan: Plan) -> AnswerPlan:
    """Run a trusted plan at the current time; return it with that time, and its result.

    Raises PlanLimitError if it takes too long, and DependencyError if the graph does not respond.
    """
    timed = with_current_time(plan)
    result = await store.run(Plan((*timed.steps, Slice(MAX_ROWS))), MAX_ROWS)
    return await with_all_ties(store, timed, result)


class Paraphrases:
    """Compare questions with trusted ones by meaning. Safe for concurrent use in one event loop."""

    def __init__(
        self,
        store: GraphStore,
        questions: Sequence[TrustedQuestion],
        schema: GraphSchema,
        encoder: Callable[[], Encoder] = packaged_encoder,
    ) -> None:
        """Prepare trusted questions that fit the schema; the `encoder` is loaded when it is first needed."""
        self._store = store
        self._schema = schema
        self._encoder = encoder
        self._near: NearWords | None = None
        self._known = [known for one in questions if (known := KnownQuestion.of(one, schema)) is not None]

    async def find(
        self, question: Question, read: ReadAsPlans | None = None
    ) -> tuple[TrustedQuestion, FilledSlots] | None:
        """Return the only trusted question that has the meaning of a question, and what fills its slots.

        Where words do not tell it, a trusted question is meant if the best reading that `read` returns is its plan.
        Returns None if there is none, or if several questions or fillings are possible. Raises DependencyError if the
        graph does not respond.
        """
        said = question.reworded(comparable(question.text))
        if not self._known or len(said.text.split()) > _MAX_WORDS:
            return None
        spans = await slot_spans(self._store, said)
        candidates = [
            _Candidate(known, filling, shape(spans.masked(filling)))
            for known in self._known
            for filling in spans.fillings(known.slots)
        ]
        if not candidates:
            return None
        named = await self._naming(word for one in candidates for word in one.asked.content)
        meant, possible = await asyncio.to_thread(self._compared, candidates, named)
        found = [(one.known.question, slots) for one, slots in await self._all_filled(meant, said)]
        if not found and possible and read is not None:
            with suppress(DeadlineExceededError):
                filled = await self._all_filled(possible, said)
                found = await self._agreed(question, filled, await read(question))
        return found[0] if len(found) == 1 else None

    async def _naming(self, words: Iterable[str]) -> list[str]:
        """Return the words that name nodes, as they are or in the singular."""
        forms = {form: word for word in words for form in (word, without_s(word))}
        found = await self._store.entities_named(list(forms))
        return [word for word, matches in zip(forms.values(), found, strict=True) if matches]

    def _compared(
        self, candidates: Sequence[_Candidate], named: Sequence[str]
    ) -> tuple[list[_Candidate], list[_Candidate]]:
        """Return the candidates that are meant, and those that may be; `named` are words that name nodes."""
        near = self._near = self._near or NearWords(self._schema, WordVectors(self._encoder()))
        near.learn_names(named)
        meant, possible = [], []
        for one in candidates:
            near.learn(word for word in (*one.asked.words, *one.known.words, *one.known.plan.all) if not is_slot(word))
            if one.known.is_meant(one.asked, near):
                meant.append(one)
            elif may_be_meant(one.known, one.asked, near):
                possible.append(one)
        return meant, possible

    async def _agreed(
        self,
        question: Question,
        possible: Sequence[tuple[_Candidate, FilledSlots]],
        readings: Sequence[PlanReading],
    ) -> list[tuple[TrustedQuestion, FilledSlots]]:
        """Return those whose plan is the best reading of the question."""
        found: list[tuple[TrustedQuestion, FilledSlots]] = []
        near = self._near
        if not readings or near is None:
            return found
        for one, slots in possible:
            try:
                ran = await run_now(self._store, filled_plan(one.known.question, slots, question, self._schema))
            except PlanLimitError:
                continue
            if agrees(readings[0], one.known, one.asked, near, ran.plan, ran.result):
                found.append((one.known.question, replace(slots, confidence=_SURE * slots.confidence)))
        return found

    async def _all_filled(
        self, candidates: Sequence[_Candidate], question: Question
    ) -> list[tuple[_Candidate, FilledSlots]]:
        filled = [(one, await self._filled(one.known, one.filling, question)) for one in candidates]
        return [(one, slots) for one, slots in filled if slots is not None]

    async def _filled(
        self, known: KnownQuestion, filling: Mapping[str, tuple[int, int]], question: Question
    ) -> FilledSlots | None:
        texts = {name: question.reworded(question.text[start:end]) for name, (start, end) in filling.items()}
        slots = await filled_slots(self._store, known.slots, texts)
        if slots is None or (ENTITY in known.slots.values() and not await self._has_matches(known.question, slots)):
            return None
        return slots

    async def _has_matches(self, question: TrustedQuestion, slots: FilledSlots) -> bool:
        """Return whether the patterns of a plan match: nothing else tells that a node without a kind fits its slot."""
        steps = question.filled(slots.values).steps
        first = list(itertools.takewhile(lambda step: isinstance(step, Match | Filter), steps))
        variable = next((part.variable for part in walk(tuple(first)) if isinstance(part, NodePattern)), None)
        if variable is None:
            return True
        plan = Plan((*first, Project((Column(variable, Variable(variable)),)), Slice(1)))
        return bool((await self._store.run(with_current_time(plan), 1)).rows)
