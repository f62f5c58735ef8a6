"""Answer how two things are connected: `How are Ann Lee and the Cliff Stage related?`

The answers are the shortest paths between them, and that there is none within some steps is an answer, too.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from contracts.answers import AnswerType, Evidence, ReplyWarning
from graph.plan.algebra import (
    Call,
    Column,
    Function,
    Match,
    NodePattern,
    Order,
    Plan,
    Project,
    ShortestPaths,
    Slice,
    SortKey,
    Variable,
)
from graph.plan.value_text import value_text
from graph.store import Entity, GraphStore
from language.connected import Connected
from language.english.connections import is_own_word, without_article
from language.question import Question
from services.retriever.execution.path_evidence import no_path
from services.retriever.plans.judging.plan_readings import PlanReading
from services.retriever.plans.names.name_links import is_close
from services.retriever.plans.names.named_entities import named_entities
from services.retriever.plans.predictor.plan_confidence import PlanFeatures
from services.retriever.replies.asked import Asked
from services.retriever.replies.path_texts import described_path
from services.retriever.replies.plan_replies import PlanReplies, query_plan
from services.retriever.replies.reply import FoundAnswer, PlanReply, withheld_warning
from services.retriever.replies.unknown_names import UNKNOWN_NAME, unknown_name
from texts.verbalise.paths import path_text

CONFIDENCE = 0.95
"""The confidence in a path; the two names are all that the question asks about."""
NO_CONNECTION_CONFIDENCE = 0.92
"""The confidence that there is no connection: a fact that the graph lacks may still hold."""
_MISSPELT = 0.6
_MAX_NAMESAKES = 3
_STEP = ShortestPaths("source", "target")
_BY_LENGTH = Order((SortKey(Call(Function.SIZE, (Variable(_STEP.nodes),))), SortKey(Variable(_STEP.rank))))
_COLUMNS = tuple(Column(name, Variable(name)) for name in _STEP.columns[1:])


@dataclass(frozen=True, slots=True)
class _Found:
    """Hold the entities with a name of the question; there are none if the graph lacks it."""

    name: str
    entities: tuple[Entity, ...]
    is_misspelt: bool = False

    @property
    def ids(self) -> tuple[str, ...]:
        return tuple(one.id for one in self.entities)


class Connections:
    """Answer how two things are connected; an instance is safe for concurrent use."""

    def __init__(self, store: GraphStore, plans: PlanReplies) -> None:
        self._store = store
        self._plans = plans

    async def reply(self, asked: Asked) -> PlanReply | None:
        """Connect the two things that a question names; None if it asks for something else.

        Raises:
            DependencyError: The graph store does not respond.
        """
        started, sought = time.perf_counter(), asked.question.connected
        if sought is None or await self._has_own(sought):
            return None
        ends = await self._ends(asked.question, sought)
        if sought.own_words and not any(one.entities for one in ends):
            return None  # `Is a damage linked to a rental?` names no things
        if missing := [one.name for one in ends if not one.entities]:
            return replace(await self._unknown(missing), retrieve_ms=(time.perf_counter() - started) * 1000)
        if ends[0].ids == ends[1].ids:
            if sought.own_words:
                return None  # `Is Bob related to Bob?` may ask about anything
            return replace(await self._same(ends[0]), retrieve_ms=(time.perf_counter() - started) * 1000)
        return await self._connected(asked, ends)

    async def _has_own(self, sought: Connected) -> bool:
        """Return whether the graph has a relationship of its own that the question may ask for."""
        return any(is_own_word(relation, sought) for relation in await self._store.relations())

    async def _connected(self, asked: Asked, ends: Sequence[_Found]) -> PlanReply:
        matches = tuple(
            Match((NodePattern(variable, ids=one.ids),))
            for variable, one in zip((_STEP.source, _STEP.target), ends, strict=True)
        )
        plan = Plan((*matches, _STEP, _BY_LENGTH, Slice(_STEP.limit), Project(_COLUMNS)))
        result = await self._store.run(plan)
        certainty = CONFIDENCE if result.rows else NO_CONNECTION_CONFIDENCE
        confidence = min(certainty, *(_MISSPELT if one.is_misspelt else 1.0 for one in ends))
        features = PlanFeatures.of_only_reading(len(result.rows), not result.rows)
        reading = PlanReading(plan, plan, result, confidence, 1.0, (), tuple(one.name for one in ends), features)
        if not result.rows:
            return await self._unconnected(asked, reading, ends)
        return _in_words(await self._plans.reply_to(reading, asked), result.rows)

    async def _unconnected(self, asked: Asked, reading: PlanReading, ends: Sequence[_Found]) -> PlanReply:
        """Answer that there is no connection, unless the request asks for more confidence."""
        topics, warnings = await named_entities(self._store, asked.question, reading.mentions)
        reply = PlanReply(
            topics=tuple(topics),
            confidence=reading.confidence,
            warnings=tuple(warnings),
            graph_version=await self._store.version(),
        )
        least = self._plans.threshold(asked)
        if reading.confidence < least:
            return reply.warned(*withheld_warning(reading.confidence, self._plans.floor(asked), least))
        text = no_path(_STEP, [one.entities[0].name for one in ends])
        answer = FoundAnswer(
            value=f"no connection within {_STEP.max_length} steps", score=reading.confidence, evidence=(0,)
        )
        return replace(
            reply,
            answers=(answer,),
            answer_type=AnswerType.PATHS,
            plan=query_plan(reading, asked.explain),
            evidence=(Evidence(triples=[], text=text, summary=text),),
        )

    async def _same(self, end: _Found) -> PlanReply:
        """Abstain, and say that the two names are those of one thing."""
        text = f"Both names are those of {end.entities[0].name}; ask about two different things."
        return PlanReply(
            warnings=(ReplyWarning(kind="same_thing", text=text),), graph_version=await self._store.version()
        )

    async def _unknown(self, names: Sequence[str]) -> PlanReply:
        """Abstain, say which names the graph lacks, and suggest others."""
        warnings = tuple([await self._missing(one) for one in names])
        return PlanReply(warnings=warnings, graph_version=await self._store.version())

    async def _missing(self, name: str) -> ReplyWarning:
        parts = [part.strip() for part in name.split(",")]
        if len(parts) > 1 and all(await self._store.entities_named(parts)):
            return ReplyWarning(
                kind=UNKNOWN_NAME, text=f"{name} are several things; ask how two of them are connected."
            )
        return await unknown_name(self._store, name)

    async def _ends(self, question: Question, sought: Connected) -> tuple[_Found, _Found]:
        """Return the entities of the two names, of the first pair of which the graph has both, or else most."""
        names = list(dict.fromkeys(name for pair in sought.pairs for name in pair))
        found = {name: await self._named(question, name) for name in names}
        pairs = [(found[first], found[second]) for first, second in sought.pairs]
        return max(pairs, key=lambda pair: sum(bool(one.entities) - one.is_misspelt / 4 for one in pair))

    async def _named(self, question: Question, name: str) -> _Found:
        """Return the entities with a name, else with its short form, else with the most similar name."""
        if (meant := question.meant_by(name) or question.meant_by(without_article(name))) is not None:
            return _Found(name, (Entity(meant.id, meant.name),))
        variants = list(dict.fromkeys((name, without_article(name))))
        for matches in await self._store.entities_named(variants):
            exact = [one.entity for one in matches if one.entity.name in variants]
            if chosen := exact or [one.entity for one in matches]:
                return _Found(name, _distinct(chosen))
        for matches in await self._store.entities_by_short_name(variants):
            if matches:
                return _Found(name, _distinct([one.entity for one in matches]))
        [similar] = await self._store.entities_like(variants[-1:])
        close = [one for one in similar if is_close(variants[-1], one)]
        nearest = [one.entity for one in close if one.distance == close[0].distance]
        return _Found(name, _distinct(nearest), is_misspelt=bool(nearest))


def _distinct(entities: Sequence[Entity]) -> tuple[Entity, ...]:
    return tuple({one.id: one for one in entities}.values())[:_MAX_NAMESAKES]


def _in_words(reply: PlanReply, rows: Sequence[Sequence[Any]]) -> PlanReply:
    """Let the paths be the answers of a reply with the evidence of each, and name the hubs on them."""
    if not reply.answers:
        return reply
    evidence, answers = [], []
    for place, (item, (nodes, _, degrees)) in enumerate(zip(reply.evidence, rows, strict=False)):
        evidence.append(described_path(item, nodes, degrees))
        text = path_text(list(map(value_text, nodes)), item.triples)
        answers.append(FoundAnswer(value=text, score=reply.confidence, evidence=(place,)))
    return replace(
        reply,
        answers=tuple(answers),
        evidence=tuple(evidence),
        answer_type=AnswerType.PATHS,
        columns=(),
        rows=(),
        truncated=False,
    )
