"""Reply with the best of some relation paths that a strategy ranked by similarity."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from contracts.answers import TRUNCATED, AnswerType
from contracts.plans import ExecutedQuery, QueryPlan
from contracts.retrieve import Hops, RetrieveRequest, RetrieveResponse, ScoredPath, TopicEntity
from graph.plan.checks import write_plan
from graph.store import GraphStore, WalkRule
from services.retriever.encoder.encoder import Vectors
from services.retriever.execution.readable import readable
from services.retriever.linking.linker import EntityLinker
from services.retriever.linking.selection import LinkedTopic
from services.retriever.paths.path_plans import path_plan
from services.retriever.paths.sampling import WalkedPath, sample
from services.retriever.replies.path_alternatives import path_alternatives

RULE = WalkRule()
_TEMPERATURE = 0.05
_MAX_ROWS = 10_000


@dataclass(frozen=True, slots=True)
class FoundPaths:
    """Hold the topic entities of a question, the relation paths from them, best first, and the milliseconds taken."""

    topics: Sequence[LinkedTopic]
    ranked: Sequence[WalkedPath]
    link_ms: float
    retrieve_ms: float


async def linked_topics(linker: EntityLinker, request: RetrieveRequest) -> list[LinkedTopic]:
    """Link the question, or resolve the topic entity that the request gives."""
    if request.topic_entity is None:
        return await linker.link(request.question)
    return await linker.resolve(request.question, request.topic_entity)


def softmax(similarities: Vectors) -> Vectors:
    """Return the shares of similarities, at least one, in a sharp softmax."""
    shares = np.exp((similarities - similarities.max()) / _TEMPERATURE)
    return np.asarray(shares / shares.sum(), dtype=np.float32)


async def path_response(
    store: GraphStore, request: RetrieveRequest, found: FoundPaths, threshold: float
) -> RetrieveResponse:
    """Answer by the best path if its score reaches the threshold, which the request may replace; else abstain."""
    ranked = found.ranked
    confidence = ranked[0].candidate.score if ranked else 0.0
    least = threshold if request.min_confidence is None else request.min_confidence
    chosen = ranked[0] if ranked and confidence >= least else None
    sampled = sample(ranked[:1] if chosen else [], request.max_paths)
    hops = len(ranked[0].candidate.path.relations) if ranked else 1
    return RetrieveResponse(
        topic_entities=[_topic_entity(request.question, topic) for topic in _first(found.topics, chosen)],
        hops=Hops(predicted=hops, probabilities=[0.0] * hops + [1.0]),
        relation_paths=[_scored(chosen)] if chosen else [],
        answers=sampled.answers,
        other_answers=[],
        evidence=sampled.evidence,
        plan=await _plan(store, chosen, request.explain) if chosen else None,
        confidence=confidence,
        alternatives=path_alternatives(ranked[1:] if chosen else ranked, RULE),
        truncated=sampled.truncated,
        warnings=[TRUNCATED] if sampled.truncated else [],
        graph_version=await store.version(),
        link_ms=found.link_ms,
        retrieve_ms=found.retrieve_ms,
        answer_type=AnswerType.ENTITIES if sampled.answers else None,
    )


async def _plan(store: GraphStore, path: WalkedPath, explain: bool) -> QueryPlan:
    """Describe a relation path as a plan; with `explain`, run the plan to report its query."""
    plan = path_plan(path.candidate.topic.entity, path.candidate.path.relations, RULE)
    result = await store.run(plan, _MAX_ROWS) if explain else None
    query = ExecutedQuery.of(result.query, result.parameters) if result else None
    return QueryPlan(text=readable(plan), steps=write_plan(plan)["steps"], query=query)


def _first(topics: Sequence[LinkedTopic], chosen: WalkedPath | None) -> list[LinkedTopic]:
    return sorted(topics, key=lambda topic: chosen is None or topic is not chosen.candidate.topic)


def _topic_entity(question: str, topic: LinkedTopic) -> TopicEntity:
    mention = question[topic.mention.start : topic.mention.end] if topic.mention else None
    return TopicEntity(entity=topic.entity.name, id=topic.entity.id, mention=mention, score=topic.score)


def _scored(path: WalkedPath) -> ScoredPath:
    return ScoredPath(relations=list(path.candidate.path.relations), score=path.candidate.score)
