"""Run the retrieval steps, from a question to its answers and evidence (RRA, section 4.1.1)."""

import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from services.retriever.confidence import ConfidenceFeatures
from services.retriever.execution.sampling import WalkedPath, sample, walk_candidates
from services.retriever.linking.linker import EntityLinker
from services.retriever.linking.mentions import masked_question
from services.retriever.linking.selection import LinkedTopic
from services.retriever.long_question_throttle import LongQuestionThrottle, is_long
from services.retriever.prediction.beam import BeamPathPredictor
from services.retriever.prediction.microbatching import BatchingPredictor
from services.retriever.prediction.model import RetrieverModel
from services.retriever.prediction.paper.hop_and_path_prediction import PaperPathPredictor
from services.retriever.prediction.paper.model import PaperModel
from services.retriever.prediction.path_predictor import PathPredictor, PathQuery
from services.retriever.scoring import confidence_features, rescale, score_candidates
from shared.contracts import Hops, Interpretation, RetrieveRequest, RetrieveResponse, ScoredPath, TopicEntity
from shared.graph.store import GraphStore

_MAX_PATHS = 20
_MAX_NEXT_BEST = 3
# Answers and alternative interpretations that score below this are not listed.
_MIN_SCORE = 0.01


class Retriever:
    """Answer retrieval requests; an instance is safe for concurrent use in one event loop.

    Example:
        >>> retriever = Retriever(store, EntityLinker(store, model.word_surprisal), model)
        >>> response = await retriever.retrieve(RetrieveRequest(question="Which countries border France?"))
        >>> response.relation_paths[0].relations
        ['borders']
    """

    def __init__(self, store: GraphStore, linker: EntityLinker, model: RetrieverModel | PaperModel) -> None:
        self._store = store
        self._linker = linker
        self._predictor: PathPredictor = (
            PaperPathPredictor(model) if isinstance(model, PaperModel) else BeamPathPredictor(store, model)
        )
        self._batching_predictor = BatchingPredictor(self._predictor)
        self._throttle = LongQuestionThrottle()
        self._manifest = model.manifest
        self._known_words = frozenset(model.manifest.question_words)

    async def retrieve(self, request: RetrieveRequest) -> RetrieveResponse:
        """Link topic entities, predict relation paths, walk them, and list answers with evidence.

        The answer set consists of the entities reached by the best pair of topic entity and relation path.

        Args:
            request: The question, optionally with its topic entity, the beam width K, and the sample size M.

        Returns:
            Answers, evidence, and the calibrated probability that the answer set is right. There are no answers if
            this probability is below the model's threshold, or if it is more likely that the graph lacks the answer.

        Raises:
            UnknownEntityError: The graph does not have the given topic entity.
            TooManyPathsError: The best relation path fans out too far.
            BusyError: The question is long, and too many long questions are already waiting.
            DeadlineExceededError: The request's deadline passed.
            DependencyError: The graph store does not respond.
        """
        response, _ = await self.retrieve_with_features(request)
        return response

    async def retrieve_with_features(
        self, request: RetrieveRequest
    ) -> tuple[RetrieveResponse, ConfidenceFeatures | None]:
        """Retrieve as `retrieve` does, and also return the confidence features (None if no path reaches an entity)."""
        started = time.perf_counter()
        async with self._admitted(request) as predictor:
            topics = await self._link(request)
            linked = time.perf_counter()
            predictions = await predictor.predict(_path_queries(request.question, topics), request.beam)
        candidates = score_candidates(topics, predictions)
        walked = await walk_candidates(self._store, candidates, self._manifest.walk_rule)
        features = confidence_features(request.question, topics, predictions, walked, self._known_words)
        confidence = self._manifest.calibration.probability(features) if features else 0.0
        ranked = rescale(walked, confidence)
        sampled = sample(ranked if self._is_answerable(features, confidence) else [], request.max_paths)
        chosen = ranked[0].candidate.topic if sampled.answers else None
        hops = predictions[topics.index(chosen) if chosen else 0].hop_probabilities
        floor = min(_MIN_SCORE, sampled.answers[0].score) if sampled.answers else 0.0
        response = RetrieveResponse(
            topic_entities=[
                _topic_entity(request.question, topic)
                for topic in sorted(topics, key=lambda topic: topic is not chosen)
            ],
            hops=Hops(predicted=hops.index(max(hops)), probabilities=list(hops)),
            relation_paths=[
                ScoredPath(relations=list(candidate.path.relations), score=candidate.score)
                for candidate, _ in ranked
                if candidate.topic is chosen
            ][:_MAX_PATHS],
            answers=[answer for answer in sampled.answers if answer.score >= floor],
            evidence=sampled.evidence,
            confidence=confidence,
            next_best=_next_best(ranked[1:] if chosen else ranked),
            truncated=sampled.truncated,
            graph_version=await self._store.version(),
            link_ms=(linked - started) * 1000,
            retrieve_ms=(time.perf_counter() - linked) * 1000,
        )
        return response, features

    @asynccontextmanager
    async def _admitted(self, request: RetrieveRequest) -> AsyncIterator[PathPredictor]:
        """Admit ordinary questions immediately, for prediction in batches, and long questions one at a time."""
        if is_long(request.question + (request.topic_entity or "")):
            async with self._throttle.slot():
                yield self._predictor
        else:
            yield self._batching_predictor

    async def _link(self, request: RetrieveRequest) -> list[LinkedTopic]:
        if request.topic_entity is None:
            return await self._linker.link(request.question)
        return await self._linker.resolve(request.question, request.topic_entity)

    def _is_answerable(self, features: ConfidenceFeatures | None, confidence: float) -> bool:
        threshold = self._manifest.calibration.threshold
        return features is not None and features.unanswerable_ratio < 1.0 and confidence >= threshold


def _path_queries(question: str, topics: Sequence[LinkedTopic]) -> list[PathQuery]:
    """Return one query per topic, or a single query without a topic if none was linked."""
    if not topics:
        return [PathQuery(masked_question(question, None), None, question)]
    is_ambiguous = len(topics) > 1
    return [
        PathQuery(masked_question(question, topic.mention), topic.entity, question, is_ambiguous) for topic in topics
    ]


def _topic_entity(question: str, topic: LinkedTopic) -> TopicEntity:
    mention = question[topic.mention.start : topic.mention.end] if topic.mention else None
    return TopicEntity(entity=topic.entity.name, mention=mention, score=topic.score)


def _next_best(ranked: Sequence[WalkedPath]) -> list[Interpretation]:
    return [
        Interpretation(topic_entity=c.topic.entity.name, relations=list(c.path.relations), score=c.score)
        for c, _ in ranked[:_MAX_NEXT_BEST]
        if c.score >= _MIN_SCORE
    ]
