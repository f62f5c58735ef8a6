"""Retrieval: the steps in order, from a question to answers with evidence (RRA, section 4.1.1)."""

import time
from collections.abc import Sequence

from services.retriever.linking import EntityLinker, LinkedTopic
from services.retriever.mentions import masked_question
from services.retriever.model import RetrieverModel
from services.retriever.relation_paths import Asked, PathFinder, Reading
from services.retriever.sampling import Candidate, existing_paths, sample
from shared.contracts import Hops, RetrieveRequest, RetrieveResponse, ScoredPath, TopicEntity
from shared.graph.store import GraphStore, PathWalk

# A pair this far below the best one that was predicted is not walked.
_MIN_SHARE = 1e-4
_MAX_PATHS_LISTED = 20


class Retriever:
    """Answers retrieval requests; safe for concurrent use."""

    def __init__(self, store: GraphStore, linker: EntityLinker, model: RetrieverModel) -> None:
        self._store = store
        self._linker = linker
        self._finder = PathFinder(store, model)
        self._rule = model.manifest.walk_rule

    async def retrieve(self, request: RetrieveRequest) -> RetrieveResponse:
        """Link, predict hops and relation paths, walk them, and list answers with evidence.

        The answer set belongs to the best pair of topic entity and relation path that the graph has, by link score x
        path score; that product is its score and the `confidence`, which is not calibrated. Answering competes
        with not answering: if link score x P(0) is above every such pair, there are no answers, and `confidence` is
        what remains for answering. Raises UnknownEntityError for a given topic that the graph does not have, and
        DependencyError if the graph store does not answer.
        """
        started = time.perf_counter()
        question = request.question
        topics = await self._link(request)
        linked = time.perf_counter()
        readings = await self._finder.read(_asked(question, topics), request.beam)
        candidates = _candidates(topics, readings)
        existing = await existing_paths(self._store, candidates, self._rule)
        kept = _likelier_than_none(existing, topics, readings)
        sampled = sample(kept, request.max_paths)
        chosen = kept[0][0].topic if kept else None
        hops = readings[topics.index(chosen) if chosen else 0].hops
        return RetrieveResponse(
            topic_entities=[_topic_entity(question, topic) for topic in _first(topics, chosen)],
            hops=Hops(predicted=hops.index(max(hops)), probabilities=list(hops)),
            relation_paths=_scored_paths(kept, chosen),
            answers=sampled.answers,
            evidence=sampled.evidence,
            confidence=_confidence(kept, topics, hops),
            truncated=sampled.truncated,
            graph_version=await self._store.version(),
            link_ms=(linked - started) * 1000,
            retrieve_ms=(time.perf_counter() - linked) * 1000,
        )

    async def _link(self, request: RetrieveRequest) -> list[LinkedTopic]:
        if request.topic_entity is None:
            return await self._linker.link(request.question)
        return await self._linker.resolve(request.question, request.topic_entity)


def _asked(question: str, topics: Sequence[LinkedTopic]) -> list[Asked]:
    """The model's input for each topic; without topics, the bare question."""
    if not topics:
        return [Asked(masked_question(question, None), None)]
    return [Asked(masked_question(question, topic.mention), topic.entity) for topic in topics]


def _candidates(topics: Sequence[LinkedTopic], readings: Sequence[Reading]) -> list[Candidate]:
    """All pairs of topic entity and relation path that are not hopelessly far below the best one."""
    candidates = [
        Candidate(topic, path, topic.score * path.score)
        for topic, reading in zip(topics, readings, strict=False)
        for path in reading.paths
    ]
    best = max((candidate.score for candidate in candidates), default=0.0)
    return [candidate for candidate in candidates if candidate.score >= best * _MIN_SHARE]


def _likelier_than_none(
    existing: list[tuple[Candidate, PathWalk]], topics: Sequence[LinkedTopic], readings: Sequence[Reading]
) -> list[tuple[Candidate, PathWalk]]:
    """The existing pairs, or none if it is likelier that the graph cannot answer the question."""
    none = max(
        (topic.score * reading.none for topic, reading in zip(topics, readings, strict=False)),
        default=1.0,
    )
    return existing if existing and existing[0][0].score >= none else []


def _confidence(
    kept: Sequence[tuple[Candidate, PathWalk]], topics: Sequence[LinkedTopic], hops: Sequence[float]
) -> float:
    """The best pair's score; without one, what link and hop prediction leave for answering, at most a half."""
    if kept:
        return min(1.0, kept[0][0].score)
    return min(0.5, topics[0].score * (1.0 - hops[0])) if topics else 0.0


def _scored_paths(kept: Sequence[tuple[Candidate, PathWalk]], chosen: LinkedTopic | None) -> list[ScoredPath]:
    return [
        ScoredPath(relations=list(candidate.path.relations), score=min(1.0, candidate.score))
        for candidate, _ in kept
        if candidate.topic is chosen
    ][:_MAX_PATHS_LISTED]


def _first(topics: Sequence[LinkedTopic], chosen: LinkedTopic | None) -> list[LinkedTopic]:
    """The topics with the one that the answers are about in front."""
    return sorted(topics, key=lambda topic: topic is not chosen)


def _topic_entity(question: str, topic: LinkedTopic) -> TopicEntity:
    mention = question[topic.mention.start : topic.mention.end] if topic.mention else None
    return TopicEntity(entity=topic.entity.name, mention=mention, score=topic.score)
