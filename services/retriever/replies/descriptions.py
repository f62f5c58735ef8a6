"""Describe entities that a question asks about as a whole: `Who is Ann Lee?`, `Tell me about the Cliff Stage.`

No relation path and no plan says what such a question asks for. The answer is the entity, and the facts around it are
the evidence.
"""

import asyncio
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from contracts.answers import Answer, Evidence
from contracts.graphs import NeighboursRequest, NeighboursResponse
from contracts.retrieve import RetrieveRequest, RetrieveResponse
from graph.plan.algebra import Column, Match, NodePattern, Plan, Project, Variable
from graph.plan.value_text import value_text
from graph.store import Entity, GraphStore
from language.english.morphology import with_article
from language.english.relation_words import in_words
from services.retriever.execution.neighbours import neighbours
from services.retriever.plans.judging.plan_readings import PlanReading
from services.retriever.plans.names.name_links import is_close
from services.retriever.plans.predictor.plan_confidence import PlanFeatures
from services.retriever.replies.plan_replies import PlanReplies
from shared.triple import Triple
from texts.verbalise.paragraph import as_paragraph
from texts.verbalise.spoken import said_text

CONFIDENCE = 0.95
"""The confidence in a description; the name is the whole of what the question asks about."""
_MISSPELT = 0.6
_MAX_NAMESAKES = 3
_MAX_PROPERTIES, _MAX_NEIGHBOURS = 12, 12
_MAX_WORDS = 6  # of a question that is nothing but a name
_NODE = "entity"
# Questions are matched with single spaces, and without the marks at their end, so that each form takes linear time.
_ASKED = tuple(
    re.compile(rf"(?:please |can you |could you )?{form} (?P<name>.+)", re.IGNORECASE)
    for form in (
        r"(?P<who>who)(?:'s|’s| is| are| was| were)",
        r"what(?:'s|’s| is| are| was| were)",
        r"(?:tell|show|give) (?:me|us) (?:more |something |everything |all )?(?:about|on)",
        r"what (?:do|can) you (?:know|tell (?:me|us)) (?:about|of)",
        r"what (?:is|do we) known? (?:about|of)",
        r"(?:give me |show me )?(?:some |more |all )?(?:information|info|details|facts) (?:about|on|of)",
        r"describe",
    )
)
_ARTICLE = re.compile(r"^(?:the|an?) ", re.IGNORECASE)
_QUOTES = "\"'“”‘’`"


class Descriptions:
    """Describe entities; an instance is safe for concurrent use."""

    def __init__(self, store: GraphStore, plans: PlanReplies) -> None:
        self._store = store
        self._plans = plans

    async def retrieve(self, request: RetrieveRequest) -> RetrieveResponse | None:
        """Describe the entities with the name that a question consists of; None if it asks for something else.

        Raises:
            DependencyError: The graph store does not respond.
        """
        asked = _asked(request.question)
        if asked is None:
            return None
        entities, certainty = await self._named(asked), CONFIDENCE
        if not entities:
            entities, certainty = await self._misspelt(asked), _MISSPELT
        if not entities:
            return None
        nodes = Match((NodePattern(_NODE, ids=tuple(one.id for one in entities)),))
        plan = Plan((nodes, Project((Column(_NODE, Variable(_NODE)),))))
        result = await self._store.run(plan)
        confidence = max(self._plans.threshold(request), certainty / len(entities))
        features = PlanFeatures.of_only_reading(len(result.rows), not result.rows)
        reading = PlanReading(plan, plan, result, confidence, 1.0, (), (entities[0].name,), features)
        found, described = await asyncio.gather(
            self._plans.reply_to(reading, request), asyncio.gather(*map(self._described, entities))
        )
        kinds = {answer.id: answer.kind for answer in found.answers}
        evidence = [_evidence(one, kinds.get(one.entity.id)) for one in described]
        places = {one.entity.id: place for place, one in enumerate(described)}
        answers = [_supported(answer, places, confidence) for answer in found.answers]
        return found.model_copy(update={"answers": answers, "plan_evidence": evidence, "confidence": confidence})

    async def _named(self, asked: "_Asked") -> list[Entity]:
        """Return the entities with the name that a question asks about; those spelt exactly as given, if there are."""
        every = await self._store.entities_named(asked.names)
        for name, matches in zip(asked.names, every, strict=True):
            exact = [one.entity for one in matches if one.entity.name == name]
            is_strict = asked.is_person and name != asked.names[0]
            if chosen := exact or ([] if is_strict else [one.entity for one in matches]):
                return _first(chosen)
        if not asked.has_form:
            return []
        [short] = await self._store.entities_by_short_name(asked.names[:1])
        return _first([one.entity for one in short])

    async def _misspelt(self, asked: "_Asked") -> list[Entity]:
        """Return the entities whose name is most like the one that a question asks about, unless it has an article."""
        if not asked.has_form or len(asked.names) > 1:
            return []
        [similar] = await self._store.entities_like(asked.names)
        close = [one for one in similar if is_close(asked.names[0], one)]
        return _first([one.entity for one in close if one.distance == close[0].distance])

    async def _described(self, entity: Entity) -> NeighboursResponse:
        return await neighbours(self._store, NeighboursRequest(id=entity.id, max_neighbours=_MAX_NEIGHBOURS))


@dataclass(frozen=True, slots=True)
class _Asked:
    """Hold the names of what a question asks about, with and without an article.

    `Who is the president?` asks for somebody, even if the graph has an entity `President`, so that a name after `who`
    needs its article, or the spelling of the graph. A question without a form is nothing but a name.
    """

    names: tuple[str, ...]
    has_form: bool
    is_person: bool


def _asked(question: str) -> _Asked | None:
    """Return what a question asks about as a whole; None if its form is another one.

    Example:
        >>> _asked("Who is the Duke?")
        _Asked(names=('the Duke', 'Duke'), has_form=True, is_person=True)
    """
    said = " ".join(question.split()).rstrip("?.! ")
    match = next((match for form in _ASKED if (match := form.fullmatch(said)) is not None), None)
    found = match["name"] if match else said
    if not found or (match is None and len(found.split()) > _MAX_WORDS):
        return None
    names = dict.fromkeys(one.strip(_QUOTES) for one in (found, _ARTICLE.sub("", found, count=1)))
    is_person = match is not None and match.groupdict().get("who") is not None
    return _Asked(tuple(one for one in names if one), match is not None, is_person)


def _first(entities: Iterable[Entity]) -> list[Entity]:
    return list({one.id: one for one in entities}.values())[:_MAX_NAMESAKES]


def _supported(answer: Answer, places: dict[str, int], score: float) -> Answer:
    place = places.get(answer.id or "")
    return answer.model_copy(update={"score": score, "evidence": [] if place is None else [place]})


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
