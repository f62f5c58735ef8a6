"""Describe entities that a question asks about as a whole: `Who is Ann Lee?`, `Tell me about the Cliff Stage.`

No relation path and no plan says what such a question asks for. The answer is the entity, and the facts around it are
the evidence.
"""

import asyncio
from collections.abc import Iterable
from dataclasses import replace

from contracts.answers import Evidence
from contracts.graphs import NeighboursRequest, NeighboursResponse
from graph.plan.algebra import Column, Match, NodePattern, Plan, Project, Variable
from graph.plan.value_text import value_text
from graph.store import Entity, GraphStore
from language.described import Described
from language.english.morphology import with_article
from language.english.relation_words import in_words
from language.question import Question
from services.retriever.execution.neighbours import neighbours
from services.retriever.plans.judging.plan_readings import PlanReading
from services.retriever.plans.names.name_links import is_close
from services.retriever.plans.predictor.plan_confidence import PlanFeatures
from services.retriever.replies.asked import Asked
from services.retriever.replies.plan_replies import PlanReplies
from services.retriever.replies.reply import FoundAnswer, PlanReply
from shared.triple import Triple
from texts.verbalise.paragraph import as_paragraph
from texts.verbalise.spoken import said_text

CONFIDENCE = 0.95
"""The confidence in a description; the name is the whole of what the question asks about."""
_MISSPELT = 0.6
_MAX_NAMESAKES = 3
_MAX_PROPERTIES, _MAX_NEIGHBOURS = 12, 12
_NODE = "entity"


class Descriptions:
    """Describe entities; an instance is safe for concurrent use."""

    def __init__(self, store: GraphStore, plans: PlanReplies) -> None:
        self._store = store
        self._plans = plans

    async def reply(self, asked: Asked) -> PlanReply | None:
        """Describe the entities with the name that a question consists of; None if it asks for something else.

        Raises:
            DependencyError: The graph store does not respond.
        """
        sought = asked.question.described
        entities, certainty = await self._entities(asked.question, sought) if sought is not None else ([], 0.0)
        if not entities:
            return None
        nodes = Match((NodePattern(_NODE, ids=tuple(one.id for one in entities)),))
        plan = Plan((nodes, Project((Column(_NODE, Variable(_NODE)),))))
        result = await self._store.run(plan)
        confidence = max(self._plans.floor(asked), certainty)
        features = PlanFeatures.of_only_reading(len(result.rows), not result.rows)
        reading = PlanReading(plan, plan, result, confidence, 1.0, (), (entities[0].name,), features)
        found, described = await asyncio.gather(
            self._plans.reply_to(reading, asked), asyncio.gather(*map(self._described, entities))
        )
        if not found.answers:
            return found
        kinds = {answer.id: answer.kind for answer in found.answers}
        evidence = tuple(_evidence(one, kinds.get(one.entity.id)) for one in described)
        places = {one.entity.id: place for place, one in enumerate(described)}
        answers = tuple(_supported(answer, places, confidence) for answer in found.answers)
        return replace(found, answers=answers, evidence=evidence, confidence=confidence)

    async def _entities(self, question: Question, sought: Described) -> tuple[list[Entity], float]:
        """Return the entities that are described, and how certain it is that they are meant."""
        meant = next((one for name in sought.names if (one := question.meant_by(name)) is not None), None)
        if meant is not None:
            return [Entity(meant.id, meant.name)], CONFIDENCE
        if named := await self._named(sought):
            return named, min(CONFIDENCE, 1 / len(named))
        misspelt = await self._misspelt(sought)
        return misspelt, _MISSPELT / max(1, len(misspelt))

    async def _named(self, sought: Described) -> list[Entity]:
        """Return the entities with the name that a question asks about; those spelt exactly as given, if there are."""
        every = await self._store.entities_named(sought.names)
        for name, matches in zip(sought.names, every, strict=True):
            exact = [one.entity for one in matches if one.entity.name == name]
            is_strict = sought.is_person and name != sought.names[0]
            if chosen := exact or ([] if is_strict else [one.entity for one in matches]):
                return _first(chosen)
        if not sought.has_form:
            return []
        [short] = await self._store.entities_by_short_name(sought.names[:1])
        return _first([one.entity for one in short])

    async def _misspelt(self, sought: Described) -> list[Entity]:
        """Return the entities whose name is most like the one that a question asks about, unless it has an article."""
        if not sought.has_form or len(sought.names) > 1:
            return []
        [similar] = await self._store.entities_like(sought.names)
        close = [one for one in similar if is_close(sought.names[0], one)]
        return _first([one.entity for one in close if one.distance == close[0].distance])

    async def _described(self, entity: Entity) -> NeighboursResponse:
        return await neighbours(self._store, NeighboursRequest(id=entity.id, max_neighbours=_MAX_NEIGHBOURS))


def _first(entities: Iterable[Entity]) -> list[Entity]:
    return list({one.id: one for one in entities}.values())[:_MAX_NAMESAKES]


def _supported(answer: FoundAnswer, places: dict[str, int], score: float) -> FoundAnswer:
    place = places.get(answer.id or "")
    return replace(answer, score=score, evidence=() if place is None else (place,))


def _evidence(found: NeighboursResponse, kind: str | None) -> Evidence:
    """State what an entity is, its properties, and its neighbours."""
    name = found.entity.name
    shown = ("", name, found.entity.id, found.entity.id.rpartition(":")[2], *found.entity.kinds)
    texts = {key: text for key, value in found.properties.items() if (text := value_text(value)) not in shown}
    properties = [Triple(name, key, text) for key, text in texts.items()][:_MAX_PROPERTIES]
    related = [
        Triple(one.node.name, one.relation, name) if one.is_incoming else Triple(name, one.relation, one.node.name)
        for one in found.neighbours
        if one.is_incoming or (texts.get(one.relation) != one.node.name and one.node.name not in found.entity.kinds)
    ]
    said = [replace(fact, object=said_text(fact.object, fact.relation)) for fact in properties]
    first = f"{name} is {with_article(in_words(kind))}." if kind else ""
    more = "More facts are not listed." if found.truncated else ""
    text = " ".join(part for part in (first, as_paragraph(said), as_paragraph(related), more) if part)
    text = text or f"The graph states no facts about {name}."
    return Evidence(triples=[*properties, *related], text=text, summary=text)
