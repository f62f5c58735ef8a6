"""Answer by the facts around the linked entities that are most similar to the question (UniOQA's searcher).

UniOQA gives all facts to a language model. Here, the relation whose sentences are most similar to the question gives
the answers, so that they come from the graph and have evidence.
"""

import asyncio
import time
from collections.abc import Sequence

import numpy as np

from services.retriever.execution.path_plans import path_plan, path_text
from services.retriever.execution.readable import readable
from services.retriever.execution.sampling import CandidatePath, WalkedPath, sample, walk_candidates
from services.retriever.linking.linker import EntityLinker
from services.retriever.linking.selection import LinkedTopic
from services.retriever.prediction.encoder import Encoder, Vectors
from services.retriever.prediction.path_predictor import PredictedPath
from shared.contracts import (
    TRUNCATED,
    Alternative,
    AnswerType,
    ExecutedQuery,
    Hops,
    QueryPlan,
    RetrieveRequest,
    RetrieveResponse,
    ScoredPath,
    TopicEntity,
)
from shared.graph.store import GraphStore, WalkRule
from shared.plan.checks import write_plan
from shared.verbalise.template import as_sentences

MAX_SENTENCES = 60
"""The number of sentences to encode for a question; each takes about a millisecond."""
THRESHOLD = 0.5
_SENTENCES_PER_RELATION = 2
_TEMPERATURE = 0.05
_MAX_ALTERNATIVES, _MAX_PREVIEW, _MIN_SCORE = 3, 3, 0.01
_MAX_ROWS = 10_000
_RULE = WalkRule()


class NeighbourhoodStrategy:
    """Rank the relations of the linked entities by similarity to the question. Safe for concurrent use.

    The confidence is the share of the best relation in a softmax over all of them, times the score of its entity. It is
    not calibrated.
    """

    def __init__(self, store: GraphStore, linker: EntityLinker, encoder: Encoder, threshold: float = THRESHOLD) -> None:
        self._store = store
        self._linker = linker
        self._encoder = encoder
        self._threshold = threshold

    async def retrieve(self, request: RetrieveRequest) -> RetrieveResponse:
        """Answer a request; see `RetrievalStrategy.retrieve`."""
        started = time.perf_counter()
        topics = await self._link(request)
        linked = time.perf_counter()
        ranked = await self._ranked(request.question, topics)
        confidence = ranked[0].candidate.score if ranked else 0.0
        threshold = self._threshold if request.min_confidence is None else request.min_confidence
        chosen = ranked[0] if ranked and confidence >= threshold else None
        sampled = sample(ranked[:1] if chosen else [], request.max_paths)
        return RetrieveResponse(
            topic_entities=[_topic_entity(request.question, topic) for topic in _first(topics, chosen)],
            hops=Hops(predicted=1, probabilities=[0.0, 1.0]),
            relation_paths=[_scored(chosen)] if chosen else [],
            answers=sampled.answers,
            other_answers=[],
            evidence=sampled.evidence,
            plan=await self._plan(chosen, request.explain) if chosen else None,
            confidence=confidence,
            alternatives=_alternatives(ranked[1:] if chosen else ranked),
            truncated=sampled.truncated,
            warnings=[TRUNCATED] if sampled.truncated else [],
            graph_version=await self._store.version(),
            link_ms=(linked - started) * 1000,
            retrieve_ms=(time.perf_counter() - linked) * 1000,
            answer_type=AnswerType.ENTITIES if sampled.answers else None,
        )

    async def _link(self, request: RetrieveRequest) -> list[LinkedTopic]:
        if request.topic_entity is None:
            return await self._linker.link(request.question)
        return await self._linker.resolve(request.question, request.topic_entity)

    async def _ranked(self, question: str, topics: Sequence[LinkedTopic]) -> list[WalkedPath]:
        """Return the relations around the topics with their ends, most similar first."""
        steps = await self._store.steps_after([(topic.entity, ()) for topic in topics]) if topics else []
        around = [
            CandidatePath(topic, PredictedPath((step,), 1.0), topic.score)
            for topic, found in zip(topics, steps, strict=True)
            for step in sorted(found)
        ]
        walked = (await walk_candidates(self._store, around, _RULE))[: MAX_SENTENCES // _SENTENCES_PER_RELATION]
        if not walked:
            return []
        texts = [
            [as_sentences(end.reasoning_path) for end in path.walk.reached[:_SENTENCES_PER_RELATION]] for path in walked
        ]
        vectors = await asyncio.to_thread(self._vectors, [question, *(text for group in texts for text in group)])
        similar = iter(vectors[1:] @ vectors[0])
        best = np.array([max(next(similar) for _ in group) for group in texts])
        shares = np.exp((best - best.max()) / _TEMPERATURE)
        shares /= shares.sum()
        scored = [
            WalkedPath(CandidatePath(one.topic, one.path, float(share) * one.topic.score), walk)
            for (one, walk), share in zip(walked, shares, strict=True)
        ]
        return sorted(scored, key=lambda path: -path.candidate.score)

    async def _plan(self, path: WalkedPath, explain: bool) -> QueryPlan:
        """Describe a relation as a plan; with `explain`, run the plan to report its query."""
        plan = path_plan(path.candidate.topic.entity, path.candidate.path.relations, _RULE)
        result = await self._store.run(plan, _MAX_ROWS) if explain else None
        query = ExecutedQuery.of(result.query, result.parameters) if result else None
        return QueryPlan(text=readable(plan), steps=write_plan(plan)["steps"], query=query)

    def _vectors(self, texts: Sequence[str]) -> Vectors:
        """Return one vector of length 1 per text, the mean of its tokens."""
        means = np.stack([vectors.mean(axis=0) for vectors in self._encoder.encode(texts)])
        return np.asarray(means / np.maximum(np.linalg.norm(means, axis=1, keepdims=True), 1e-9), dtype=np.float32)


def _first(topics: Sequence[LinkedTopic], chosen: WalkedPath | None) -> list[LinkedTopic]:
    return sorted(topics, key=lambda topic: chosen is None or topic is not chosen.candidate.topic)


def _topic_entity(question: str, topic: LinkedTopic) -> TopicEntity:
    mention = question[topic.mention.start : topic.mention.end] if topic.mention else None
    return TopicEntity(entity=topic.entity.name, id=topic.entity.id, mention=mention, score=topic.score)


def _scored(path: WalkedPath) -> ScoredPath:
    return ScoredPath(relations=list(path.candidate.path.relations), score=path.candidate.score)


def _alternatives(ranked: Sequence[WalkedPath]) -> list[Alternative]:
    return [
        Alternative(
            plan=path_text(candidate.topic.entity, candidate.path.relations),
            topic_entity=candidate.topic.entity.name,
            relations=list(candidate.path.relations),
            score=candidate.score,
            answers=[end.entity.name for end in walk.reached[:_MAX_PREVIEW]],
            more=max(0, len(walk.reached) - _MAX_PREVIEW),
            steps=write_plan(path_plan(candidate.topic.entity, candidate.path.relations, _RULE))["steps"],
        )
        for candidate, walk in ranked[:_MAX_ALTERNATIVES]
        if candidate.score >= _MIN_SCORE
    ]
