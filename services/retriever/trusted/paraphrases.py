"""Find the trusted question that another question means."""

import asyncio
import itertools
from collections.abc import Callable, Mapping, Sequence
from functools import cache

from services.retriever.planning.plan_manifest import BASE_MODEL
from services.retriever.prediction.encoder import Encoder, OnnxEncoder
from services.retriever.prediction.word_vectors import WordVectors
from services.retriever.trusted.meaning import KnownQuestion
from services.retriever.trusted.near_words import NearWords
from services.retriever.trusted.shape import is_slot, shape
from services.retriever.trusted.slot_spans import SlotSpans, slot_spans
from services.retriever.trusted.slots import FilledSlots, filled_slots
from shared.graph.store import GraphStore
from shared.plan.algebra import Column, Filter, Match, NodePattern, Plan, Project, Slice, Variable
from shared.plan.current_time import with_current_time
from shared.plan.schema import GraphSchema
from shared.plan.traversal import walk
from shared.trusted_questions import ENTITY, TrustedQuestion, comparable

_MAX_WORDS = 40


@cache
def packaged_encoder() -> Encoder:
    """Return the encoder of the packaged base model, for which likeness of words was measured."""
    return OnnxEncoder(BASE_MODEL)


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

    async def find(self, question: str) -> tuple[TrustedQuestion, FilledSlots] | None:
        """Return the only trusted question that has the meaning of a question, and what fills its slots.

        Returns None if there is none, or if several questions or fillings are possible. Raises DependencyError if the
        graph does not respond.
        """
        text = comparable(question)
        if not self._known or len(text.split()) > _MAX_WORDS:
            return None
        spans = await slot_spans(self._store, text)
        candidates = [(known, filling) for known in self._known for filling in spans.fillings(known.slots)]
        if not candidates:
            return None
        meant = await asyncio.to_thread(self._meant, candidates, spans)
        found = [
            (known.question, slots)
            for known, filling in meant
            if (slots := await self._filled(known, filling, text)) is not None
        ]
        return found[0] if len(found) == 1 else None

    def _meant(
        self, candidates: Sequence[tuple[KnownQuestion, Mapping[str, tuple[int, int]]]], spans: SlotSpans
    ) -> list[tuple[KnownQuestion, Mapping[str, tuple[int, int]]]]:
        near = self._near = self._near or NearWords(self._schema, WordVectors(self._encoder()))
        found = []
        for known, filling in candidates:
            asked = shape(spans.masked(filling))
            near.learn(word for word in (*asked.words, *known.words, *known.plan.all) if not is_slot(word))
            if known.is_meant(asked, near):
                found.append((known, filling))
        return found

    async def _filled(
        self, known: KnownQuestion, filling: Mapping[str, tuple[int, int]], text: str
    ) -> FilledSlots | None:
        texts = {name: text[start:end] for name, (start, end) in filling.items()}
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
