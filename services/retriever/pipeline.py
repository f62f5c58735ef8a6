"""Retrieval: the steps in order, from a question to answers with evidence (RRA, section 4.1.1)."""

import math
import time
from collections.abc import Sequence
from dataclasses import replace

from services.retriever.confidence import Signs, strangeness
from services.retriever.execution.sampling import Candidate, existing_paths, sample
from services.retriever.linking.linker import EntityLinker
from services.retriever.linking.mentions import MASK, masked_question
from services.retriever.linking.selection import LinkedTopic
from services.retriever.prediction.beam import BeamPathPredictor
from services.retriever.prediction.microbatching import BatchingPredictor
from services.retriever.prediction.model import RetrieverModel
from services.retriever.prediction.paper.hop_and_path_prediction import PaperPathPredictor
from services.retriever.prediction.paper.model import PaperModel
from services.retriever.prediction.path_predictor import PathPrediction, PathPredictor, PathQuery
from services.retriever.turns import Turns, is_long
from shared import contracts
from shared.contracts import Answer, Hops, RetrieveRequest, RetrieveResponse, ScoredPath, TopicEntity
from shared.graph.store import GraphStore, PathWalk
from shared.text import words

# A pair this far below the best one that was predicted is not walked.
_MIN_SHARE = 1e-6
_MAX_PATHS_LISTED = 20
_NEXT_BEST = 3
# What is less likely than this nobody meant.
_WORTH_OFFERING = 0.01


class Retriever:
    """Answers retrieval requests; safe for concurrent use."""

    def __init__(self, store: GraphStore, linker: EntityLinker, model: RetrieverModel | PaperModel) -> None:
        self._store = store
        self._linker = linker
        self._alone = path_predictor(store, model)
        self._together = BatchingPredictor(self._alone)
        self._long_questions = Turns()
        self._rule = model.manifest.walk_rule
        self._calibration = model.manifest.calibration
        self._known_words = frozenset(model.manifest.question_words)

    async def retrieve(self, request: RetrieveRequest) -> RetrieveResponse:
        """Link, predict hops and relation paths, walk them, and list answers with evidence.

        The answer set belongs to the best pair of topic entity and relation path, by link score x path score. The
        calibrated probability that this reading is right is the `confidence`; below the model's threshold, and where
        it is likelier that the graph cannot answer, there are no answers. Raises UnknownEntityError for a given topic
        that the graph does not have, TooManyPathsError if the best reading fans out too far, and DependencyError if the
        graph store does not answer.
        """
        response, _ = await self.judged(request)
        return response

    async def judged(self, request: RetrieveRequest) -> tuple[RetrieveResponse, Signs | None]:
        """As `retrieve`, with the signs that the confidence comes from; none where nothing was found."""
        started = time.perf_counter()
        question = request.question
        if is_long(question + (request.topic_entity or "")):
            async with self._long_questions.turn():
                topics, linked, readings = await self._understood(request, self._alone)
        else:
            topics, linked, readings = await self._understood(request, self._together)
        candidates = _candidates(topics, readings)
        existing = await existing_paths(self._store, candidates, self._rule)
        signs = self._signs(question, topics, readings, existing)
        confidence = self._calibration.probability(signs) if signs else 0.0
        answering = signs is not None and signs.none < 1.0 and confidence >= self._calibration.threshold
        scored = _rescaled(existing, confidence)
        kept = scored if answering else []
        sampled = sample(kept, request.max_paths)
        chosen = kept[0][0].topic if kept else None
        hops = readings[topics.index(chosen) if chosen else 0].hop_probabilities
        response = RetrieveResponse(
            topic_entities=[_topic_entity(question, topic) for topic in _first(topics, chosen)],
            hops=Hops(predicted=hops.index(max(hops)), probabilities=list(hops)),
            relation_paths=_scored_paths(kept, chosen),
            answers=_worth_listing(sampled.answers),
            evidence=sampled.evidence,
            confidence=confidence,
            next_best=_next_best(scored[1:] if answering else scored),
            truncated=sampled.truncated,
            graph_version=await self._store.version(),
            link_ms=(linked - started) * 1000,
            retrieve_ms=(time.perf_counter() - linked) * 1000,
        )
        return response, signs

    async def _understood(
        self, request: RetrieveRequest, predictor: PathPredictor
    ) -> tuple[list[LinkedTopic], float, list[PathPrediction]]:
        """Topics and what the question asks about each; between them the time at which the topics were known."""
        topics = await self._link(request)
        linked = time.perf_counter()
        return topics, linked, await predictor.predict(_asked(request.question, topics), request.beam)

    def _signs(
        self,
        question: str,
        topics: Sequence[LinkedTopic],
        readings: Sequence[PathPrediction],
        existing: Sequence[tuple[Candidate, PathWalk]],
    ) -> Signs | None:
        """What speaks for and against the best pair; None without any."""
        if not existing:
            return None
        best = existing[0][0]
        found = readings[topics.index(best.topic)].coverage
        none = max(topic.score * reading.unanswerable for topic, reading in zip(topics, readings, strict=True))
        beside = masked_question(question, best.topic.mention).replace(MASK, " ")
        return Signs(
            path=best.path.score / found,
            found=found,
            link=best.topic.score,
            corrected=best.topic.correction,
            next_best=_rival(existing) / best.score,
            none=none / best.score,
            strange=strangeness(words(beside), self._known_words),
        )

    async def _link(self, request: RetrieveRequest) -> list[LinkedTopic]:
        if request.topic_entity is None:
            return await self._linker.link(request.question)
        return await self._linker.resolve(request.question, request.topic_entity)


def path_predictor(store: GraphStore, model: RetrieverModel | PaperModel) -> PathPredictor:
    """What predicts relation paths in the model's mode."""
    return PaperPathPredictor(model) if isinstance(model, PaperModel) else BeamPathPredictor(store, model)


def _rival(existing: Sequence[tuple[Candidate, PathWalk]]) -> float:
    """The score of the best other pair that reaches something else; 0 without any."""
    best = _ends(existing[0][1])
    return next((candidate.score for candidate, walk in existing[1:] if _ends(walk) != best), 0.0)


def _ends(walk: PathWalk) -> set[str]:
    return {reached.entity.id for reached in walk.reached}


def _asked(question: str, topics: Sequence[LinkedTopic]) -> list[PathQuery]:
    """The model's input for each topic; without topics, the bare question."""
    if not topics:
        return [PathQuery(masked_question(question, None), None, question)]
    is_ambiguous = len(topics) > 1
    return [
        PathQuery(masked_question(question, topic.mention), topic.entity, question, is_ambiguous) for topic in topics
    ]


def _candidates(topics: Sequence[LinkedTopic], readings: Sequence[PathPrediction]) -> list[Candidate]:
    """All pairs of topic entity and relation path that are not hopelessly far below the best one.

    Every topic finds some path of its own likely: which of several is meant, the question's words decide, too.
    """
    pairs = [
        (topic, path, reading.first_step_probabilities.get(path.relations[0], 1.0))
        for topic, reading in zip(topics, readings, strict=False)
        for path in reading.paths
    ]
    likeliest = max((by_words for _, _, by_words in pairs), default=1.0)
    candidates = [
        Candidate(topic, path, topic.score * path.score * math.sqrt(by_words / likeliest))
        for topic, path, by_words in pairs
    ]
    best = max((candidate.score for candidate in candidates), default=0.0)
    return [candidate for candidate in candidates if candidate.score >= best * _MIN_SHARE]


def _rescaled(existing: Sequence[tuple[Candidate, PathWalk]], confidence: float) -> list[tuple[Candidate, PathWalk]]:
    """The pairs with the confidence for the best one, and for the others their shares of what is left."""
    others = sum(candidate.score for candidate, _ in existing[1:])
    best = existing[0][0].score if existing else 1.0
    rescaled = []
    for place, (candidate, walk) in enumerate(existing):
        left = (1.0 - confidence) * candidate.score / others if place else confidence
        rescaled.append((replace(candidate, score=min(left, confidence * candidate.score / best)), walk))
    return rescaled


def _next_best(pairs: Sequence[tuple[Candidate, PathWalk]]) -> list[contracts.Interpretation]:
    return [
        contracts.Interpretation(topic_entity=c.topic.entity.name, relations=list(c.path.relations), score=c.score)
        for c, _ in pairs[:_NEXT_BEST]
        if c.score >= _WORTH_OFFERING
    ]


def _worth_listing(answers: list[Answer]) -> list[Answer]:
    """The answer set, and what lower readings add unless they are hopeless."""
    floor = min(_WORTH_OFFERING, answers[0].score) if answers else 0.0
    return [answer for answer in answers if answer.score >= floor]


def _scored_paths(kept: Sequence[tuple[Candidate, PathWalk]], chosen: LinkedTopic | None) -> list[ScoredPath]:
    return [
        ScoredPath(relations=list(candidate.path.relations), score=candidate.score)
        for candidate, _ in kept
        if candidate.topic is chosen
    ][:_MAX_PATHS_LISTED]


def _first(topics: Sequence[LinkedTopic], chosen: LinkedTopic | None) -> list[LinkedTopic]:
    """The topics with the one that the answers are about in front."""
    return sorted(topics, key=lambda topic: topic is not chosen)


def _topic_entity(question: str, topic: LinkedTopic) -> TopicEntity:
    mention = question[topic.mention.start : topic.mention.end] if topic.mention else None
    return TopicEntity(entity=topic.entity.name, mention=mention, score=topic.score)
