"""Answer a question by relation paths: link, predict, walk, and list answers with evidence (RRA, section 4.1.1)."""

import time
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

from contracts.answers import AMBIGUOUS_NAME, TRUNCATED, AnswerType, ReplyWarning
from contracts.plans import ExecutedQuery, QueryPlan
from contracts.retrieve import ScoredPath, TopicEntity
from graph.plan.checks import write_plan
from graph.store import Entity, GraphStore
from language.question import Question
from services.retriever.linking.linker import EntityLinker
from services.retriever.linking.long_question_throttle import LongQuestionThrottle, is_long
from services.retriever.linking.masking import masked_question
from services.retriever.linking.selection import LinkedTopic
from services.retriever.linking.tell_apart import details_of, kinds_of
from services.retriever.paths.beam import BeamPathPredictor
from services.retriever.paths.confidence import ConfidenceFeatures
from services.retriever.paths.microbatching import BatchingPredictor
from services.retriever.paths.model import RetrieverModel
from services.retriever.paths.paper.hop_and_path_prediction import PaperPathPredictor
from services.retriever.paths.paper.model import PaperModel
from services.retriever.paths.path_plans import path_plan, path_text
from services.retriever.paths.path_predictor import PathPrediction, PathPredictor, PathQuery
from services.retriever.paths.sampling import CandidatePath, SampledAnswer, WalkedPath, sample, walk_candidates
from services.retriever.paths.scoring import confidence_features, rescale, score_candidates
from services.retriever.replies.asked import Asked
from services.retriever.replies.clarifications import clarification
from services.retriever.replies.path_alternatives import path_alternatives
from services.retriever.replies.path_words import PathWords
from services.retriever.replies.plan_replies import MIN_SCORE
from services.retriever.replies.reply import FoundAnswer, PathReply, withheld_warning
from services.retriever.replies.topics import topic_entity
from shared.tracing.tracer import traced

_MAX_PATHS = 20
_AS_LIKELY = 0.5
_MAX_ROWS = 10_000


@dataclass(frozen=True, slots=True)
class _Timer:
    """Hold when a request started, and when its topics were linked, in seconds of the performance counter."""

    started: float
    linked: float

    @property
    def link_ms(self) -> float:
        """Return the milliseconds until the topics were linked."""
        return (self.linked - self.started) * 1000

    def retrieve_ms(self) -> float:
        """Return the milliseconds since then."""
        return (time.perf_counter() - self.linked) * 1000


class PathReplies:
    """Answer questions by relation paths; an instance is safe for concurrent use in one event loop."""

    def __init__(self, store: GraphStore, linker: EntityLinker, model: RetrieverModel | PaperModel) -> None:
        """Answer with relation paths that `model` predicts."""
        self._store = store
        self._linker = linker
        self._predictor: PathPredictor = (
            PaperPathPredictor(model) if isinstance(model, PaperModel) else BeamPathPredictor(store, model)
        )
        self._batching_predictor = BatchingPredictor(self._predictor)
        self._throttle = LongQuestionThrottle()
        self._manifest = model.manifest
        self._known_words = frozenset(model.manifest.question_words)
        self.words = PathWords(model.manifest)

    async def reply(self, asked: Asked) -> PathReply:
        """Link topic entities, predict relation paths, walk them, and list answers with evidence.

        The answer set consists of the entities reached by the best pair of topic entity and relation path.

        Args:
            asked: The question, optionally with its topic entity, the beam width K, and the sample size M.

        Returns:
            Answers, evidence, and the calibrated probability that the answer set is right. There are no answers if
            this probability is below the model's threshold.

        Raises:
            UnknownEntityError: The graph does not have the given topic entity.
            TooManyPathsError: The best relation path fans out too far.
            BusyError: The question is long, and too many long questions are already waiting.
            DeadlineExceededError: The request's deadline passed.
            DependencyError: The graph store does not respond.
        """
        reply, _ = await self.reply_with_features(asked)
        return reply

    @property
    def is_better_than_plans(self) -> bool:
        """Return whether the paths were shown to answer better than plans, on questions kept aside from training."""
        return self.words.are_known and self._manifest.evidence is not None

    @property
    def are_of_paper(self) -> bool:
        """Return whether a model of paper mode predicts the paths, whose replies no default of a service changes."""
        return self._manifest.mode == "paper"

    async def reply_with_features(self, asked: Asked) -> tuple[PathReply, ConfidenceFeatures | None]:
        """Answer as `reply` does, and also return the confidence features (None if no path reaches an entity)."""
        started = time.perf_counter()
        async with self._admitted(asked) as predictor:
            topics = await self._link(asked)
            linked = time.perf_counter()
            with traced("predict paths"):
                predictions = await predictor.predict(path_queries(asked.question, topics), asked.beam)
        candidates = score_candidates(topics, predictions)
        with traced("execute") as span:
            walked = await walk_candidates(self._store, candidates, self._manifest.walk_rule)
            span.set(paths=len(walked))
        features = confidence_features(asked.question, topics, predictions, walked, self._known_words)
        confidence = self._manifest.calibration.probability(features) if features else 0.0
        ranked = rescale(walked, confidence)
        own = self._manifest.calibration.threshold
        least = asked.least_confidence(own)
        found = _Found(topics, predictions, ranked, confidence, features is not None and confidence >= least)
        reply = await self._reply(asked, found, _Timer(started, linked))
        return reply.warned(*(withheld_warning(confidence, own, least) if ranked else ())), features

    @asynccontextmanager
    async def _admitted(self, asked: Asked) -> AsyncIterator[PathPredictor]:
        """Admit ordinary questions immediately, for prediction in batches, and long questions one at a time."""
        if _is_long(asked):
            async with self._throttle.slot():
                yield self._predictor
        else:
            yield self._batching_predictor

    async def _link(self, asked: Asked) -> list[LinkedTopic]:
        with traced("link") as span:
            span.set_contents(question=asked.question.text)
            topics = await self._linker.topics(asked.question, asked.topic_entity)
            span.set(topics=len(topics))
            span.set_contents(topic_names=", ".join(topic.entity.name for topic in topics))
            return topics

    async def _reply(self, asked: Asked, found: "_Found", timer: _Timer) -> PathReply:
        sampled = sample(found.ranked if found.is_answered else [], asked.max_paths)
        best = found.ranked[0] if sampled.answers else None
        chosen = best.candidate.topic if best else None
        floor = min(MIN_SCORE, sampled.answers[0].score) if sampled.answers else 0.0
        details = await details_of(self._store, _named_entities(found.topics, best))
        topics = sorted(found.topics, key=lambda topic: topic is not chosen)
        described = [topic_entity(asked.question, topic, details.get(topic.entity.id)) for topic in topics]
        likeliest = [one for one in described if found.ranked and one.id == found.ranked[0].candidate.topic.entity.id]
        is_asked = bool(likeliest) and found.confidence >= MIN_SCORE
        namesakes = _namesakes(likeliest[0], described) if is_asked else []
        return PathReply(
            topics=tuple(described),
            hop_probabilities=found.predictions[found.topics.index(chosen) if chosen else 0].hop_probabilities,
            paths=found.paths_from(chosen)[:_MAX_PATHS],
            answers=await self._described(sampled.answers, details),
            other_answers=tuple(found_answer(one) for one in sampled.other_answers if one.score >= floor),
            evidence=tuple(sampled.evidence),
            plan=await self._plan(best.candidate, asked.explain) if best else None,
            confidence=found.confidence,
            alternatives=tuple(path_alternatives(found.ranked[1:] if best else found.ranked, self._manifest.walk_rule)),
            truncated=sampled.truncated,
            warnings=tuple(_warnings(sampled.truncated, topics, chosen, details)),
            graph_version=await self._store.version(),
            link_ms=timer.link_ms,
            retrieve_ms=timer.retrieve_ms(),
            answer_type=AnswerType.ENTITIES if sampled.answers else None,
            clarification=clarification(namesakes, await kinds_of(self._store, [one.id for one in namesakes])),
        )

    async def _described(self, answers: Sequence[SampledAnswer], details: Mapping[str, str]) -> tuple[FoundAnswer, ...]:
        kinds = await kinds_of(self._store, [answer.entity.id for answer in answers])
        return tuple(found_answer(one, kinds.get(one.entity.id), details.get(one.entity.id)) for one in answers)

    async def _plan(self, candidate: CandidatePath, explain: bool) -> QueryPlan:
        """Describe the path of a candidate as a plan; with `explain`, run the plan to report its query."""
        topic, path = candidate.topic.entity, candidate.path.relations
        plan, query = path_plan(topic, path, self._manifest.walk_rule), None
        if explain:
            result = await self._store.run(plan, _MAX_ROWS)
            query = ExecutedQuery.of(result.query, result.parameters)
        return QueryPlan(text=path_text(topic, path), steps=write_plan(plan)["steps"], query=query)


@dataclass(frozen=True, slots=True)
class _Found:
    """Hold the topics of a question, the prediction for each, and the paths from all of them, best first."""

    topics: Sequence[LinkedTopic]
    predictions: Sequence[PathPrediction]
    ranked: Sequence[WalkedPath]
    confidence: float
    is_answered: bool

    def paths_from(self, topic: LinkedTopic | None) -> tuple[ScoredPath, ...]:
        """Return the paths from a topic, best first."""
        return tuple(
            ScoredPath(relations=list(candidate.path.relations), score=candidate.score)
            for candidate, _ in self.ranked
            if candidate.topic is topic
        )


def path_queries(question: Question, topics: Sequence[LinkedTopic]) -> list[PathQuery]:
    """Return one query per topic, or a single query without a topic if none was linked."""
    if not topics:
        return [PathQuery(masked_question(question.text, None), None, question.text)]
    is_ambiguous = len(topics) > 1
    return [
        PathQuery(masked_question(question.text, topic.mention), topic.entity, question.text, is_ambiguous)
        for topic in topics
    ]


def _is_long(asked: Asked) -> bool:
    """Return whether a question, with the name of its topic, may take several times as long as an ordinary one."""
    return is_long(asked.question.reworded(asked.question.text + (asked.topic_entity or "")))


def found_answer(sampled: SampledAnswer, kind: str | None = None, detail: str | None = None) -> FoundAnswer:
    """Describe a sampled answer."""
    entity, evidence = sampled.entity, (sampled.evidence,)
    return FoundAnswer(
        value=entity.name, id=entity.id, score=sampled.score, evidence=evidence, kind=kind, detail=detail
    )


def _named_entities(topics: Sequence[LinkedTopic], best: WalkedPath | None) -> list[Entity]:
    """Return the entities whose names must differ, or that need a description: the topics and the answers."""
    return [topic.entity for topic in topics] + ([end.entity for end in best.walk.reached] if best else [])


def _namesakes(topic: TopicEntity, topics: Sequence[TopicEntity]) -> list[TopicEntity]:
    """Return a topic with the others that its mention may mean not much less likely."""
    return [one for one in topics if one.mention == topic.mention and one.score >= _AS_LIKELY * topic.score]


def _warnings(
    truncated: bool, topics: Sequence[LinkedTopic], chosen: LinkedTopic | None, details: Mapping[str, str]
) -> list[ReplyWarning]:
    warnings = []
    if truncated:
        warnings.append(TRUNCATED)
    if chosen is not None:
        name, id_ = chosen.entity.name, chosen.entity.id
        namesakes = sum(topic.entity.name == name for topic in topics)
        if namesakes > 1:
            which = f": {details[id_]}" if id_ in details else ""
            text = f"{namesakes} entities are named {name}; the answers are about one of them{which}."
            warnings.append(ReplyWarning(kind=AMBIGUOUS_NAME, text=text))
    return warnings
