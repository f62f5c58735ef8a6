"""Reply with the best of some relation paths that a strategy ranked by similarity."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from contracts.answers import TRUNCATED, AnswerType
from contracts.plans import ExecutedQuery, QueryPlan
from contracts.retrieve import ScoredPath
from graph.plan.checks import write_plan
from graph.store import GraphStore, WalkRule
from services.retriever.encoder.encoder import Vectors
from services.retriever.execution.readable import readable
from services.retriever.linking.selection import LinkedTopic
from services.retriever.paths.path_plans import path_plan
from services.retriever.paths.sampling import WalkedPath, sample
from services.retriever.replies.asked import Asked
from services.retriever.replies.path_alternatives import path_alternatives
from services.retriever.replies.path_replies import found_answer
from services.retriever.replies.reply import PathReply, withheld_warning
from services.retriever.replies.topics import topic_entity

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


def softmax(similarities: Vectors) -> Vectors:
    """Return the shares of similarities, at least one, in a sharp softmax."""
    shares = np.exp((similarities - similarities.max()) / _TEMPERATURE)
    return np.asarray(shares / shares.sum(), dtype=np.float32)


async def path_reply(store: GraphStore, asked: Asked, found: FoundPaths, threshold: float) -> PathReply:
    """Answer by the best path if its score reaches the threshold, which the request may replace; else abstain."""
    ranked = found.ranked
    confidence = ranked[0].candidate.score if ranked else 0.0
    least = asked.least_confidence(threshold)
    chosen = ranked[0] if ranked and confidence >= least else None
    sampled = sample(ranked[:1] if chosen else [], asked.max_paths)
    withheld = withheld_warning(confidence, threshold, least) if ranked else ()
    hops = len(ranked[0].candidate.path.relations) if ranked else 1
    return PathReply(
        topics=tuple(topic_entity(asked.question, topic) for topic in _first(found.topics, chosen)),
        hop_probabilities=(*[0.0] * hops, 1.0),
        paths=(_scored(chosen),) if chosen else (),
        answers=tuple(found_answer(one) for one in sampled.answers),
        evidence=tuple(sampled.evidence),
        plan=await _plan(store, chosen, asked.explain) if chosen else None,
        confidence=confidence,
        alternatives=tuple(path_alternatives(ranked[1:] if chosen else ranked, RULE)),
        truncated=sampled.truncated,
        warnings=(TRUNCATED,) if sampled.truncated else withheld,
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


def _scored(path: WalkedPath) -> ScoredPath:
    return ScoredPath(relations=list(path.candidate.path.relations), score=path.candidate.score)
