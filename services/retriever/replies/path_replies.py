"""Answer a question by relation paths: link, predict, walk, and list answers with evidence (RRA, section 4.1.1)."""

import re
import time
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

from contracts.answers import TRUNCATED, Answer, AnswerType, ReplyWarning
from contracts.plans import ExecutedQuery, QueryPlan
from contracts.retrieve import Hops, RetrieveRequest, RetrieveResponse, ScoredPath, TopicEntity
from graph.plan.algebra import Plan
from graph.plan.checks import write_plan
from graph.store import Entity, GraphStore
from language.english.operators import aggregate_words, operator_words
from language.english.stems import spelt_out
from language.values import QuestionValue, ValueForm
from services.retriever.linking.linker import EntityLinker
from services.retriever.linking.long_question_throttle import LongQuestionThrottle, is_long
from services.retriever.linking.longer_names import names_beside
from services.retriever.linking.mentions import masked_question
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
from services.retriever.paths.sampling import CandidatePath, WalkedPath, sample, walk_candidates
from services.retriever.paths.scoring import confidence_features, rescale, score_candidates
from services.retriever.replies.path_alternatives import path_alternatives
from services.retriever.replies.plan_replies import MIN_SCORE
from shared.text import normalise
from shared.tracing.tracer import traced

_MAX_PATHS = 20
# A question is about several entities if another one scores at least this share of the best score.
_ARTICLES = ("the", "a", "an")
_ANOTHER_ENTITY = 0.6
_MAX_ROWS = 10_000


def _stands_alone(text: str, question: str, masked: str) -> bool:
    """Return whether a question without its topic has a text as words of its own: `运动` in `运动员` is none."""
    return text in masked and re.search(rf"(?<!\w){re.escape(text)}(?!\w)", question) is not None


def _is_ordinary(text: str) -> bool:
    """Return whether a text is a single word in lower case, apart from articles."""
    words = [word for word in text.split() if word not in _ARTICLES]
    return len(words) == 1 and words[0].isalpha() and words[0].islower()


def _is_misspelt_word(text: str, names: Iterable[object]) -> bool:
    """Return whether a text is an ordinary word that is only similar to the names: `moveis`, and a film `Moves`."""
    return _is_ordinary(text) and normalise(text) not in {normalise(str(name)) for name in names}


def _is_name(value: QuestionValue, has_capitals: bool) -> bool:
    """Return whether a text that the graph stores is a name, in a question that may write names with capitals."""
    is_word = has_capitals and _is_ordinary(value.text)
    return bool(value.stored) and not is_word and not _is_misspelt_word(value.text, value.stored.values())


def without_topic(question: str, response: RetrieveResponse) -> str:
    """Return a question without the mention of the best topic entity."""
    mention = next((topic.mention for topic in response.topic_entities if topic.mention), None)
    return question.replace(mention, " ", 1) if mention else question


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
    """Answer retrieval requests; an instance is safe for concurrent use in one event loop.

    Example:
        >>> paths = PathReplies(store, EntityLinker(store, model.word_surprisal), model)
        >>> response = await paths.retrieve(RetrieveRequest(question="Which countries border France?"))
        >>> response.relation_paths[0].relations
        ['borders']
    """

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

    async def retrieve(self, request: RetrieveRequest) -> RetrieveResponse:
        """Link topic entities, predict relation paths, walk them, and list answers with evidence.

        The answer set consists of the entities reached by the best pair of topic entity and relation path.

        Args:
            request: The question, optionally with its topic entity, the beam width K, and the sample size M.

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
        response, _ = await self.retrieve_with_features(request)
        return response

    @property
    def has_seen_questions(self) -> bool:
        """Return whether the model learnt from people's questions, not only from those made from relations' names."""
        return bool(self._known_words)

    @property
    def is_better_than_plans(self) -> bool:
        """Return whether the paths were shown to answer better than plans, on questions kept aside from training."""
        return self.has_seen_questions and self._manifest.evidence is not None

    def unread(self, question: str, response: RetrieveResponse) -> frozenset[str]:
        """Return the operators of a question that the best path of its reply does not express, and further entities.

        An operator such as "how many" is expressed if training questions with such a path use it. A path begins at one
        entity, so that it leaves others unread, and a word that makes the entity's name a longer one.
        """
        masked = without_topic(question, response)
        last = set(response.relation_paths[0].relations[-1:]) if response.relation_paths else set()
        operators = {
            word for word in operator_words(masked) if last.isdisjoint(self._manifest.operator_words.get(word, ()))
        }
        if len(response.answers) > 1:
            operators |= aggregate_words(masked)  # one number is asked for
        topics = [topic for topic in response.topic_entities if topic.mention]
        others = {
            topic.mention or ""
            for topic in topics[1:]
            if topic.score >= _ANOTHER_ENTITY * topics[0].score
            and _stands_alone(topic.mention or "", question, masked)
            and not _is_misspelt_word(topic.mention or "", [topic.entity])
        }
        beside = names_beside(question, topics[0].mention or "") if topics and self.has_seen_questions else []
        return frozenset(operators | others | {word for word in beside if self.has_new_words(word)})

    def unread_values(
        self, question: str, response: RetrieveResponse, values: Sequence[QuestionValue]
    ) -> frozenset[str]:
        """Return the numbers and names of a question, in words that training questions lack, apart from the topic.

        Who writes names with capitals means an ordinary word by one without, even if the graph has a tag `screenplay`,
        and a misspelt word is none. The words of the path's relations are read, even if an entity is named like them.
        """
        masked = without_topic(question, response)
        relations = [one for path in response.relation_paths[:1] for one in path.relations]
        read = frozenset(word for one in relations for word in spelt_out(one))
        has_capitals = any(topic.mention != (topic.mention or "").lower() for topic in response.topic_entities[:1])
        known = [one for one in values if one.form is not ValueForm.TEXT or _is_name(one, has_capitals)]
        return frozenset(
            one.text
            for one in known
            if _stands_alone(one.text, question, masked) and self.has_new_words(one.text, besides=read)
        )

    def has_new_words(self, text: str, besides: frozenset[str] = frozenset()) -> bool:
        """Return whether a text has words that neither training questions use nor `besides` has."""
        return not self._known_words.union(besides).issuperset(normalise(text).split())

    async def retrieve_with_features(
        self, request: RetrieveRequest
    ) -> tuple[RetrieveResponse, ConfidenceFeatures | None]:
        """Retrieve as `retrieve` does, and also return the confidence features (None if no path reaches an entity)."""
        started = time.perf_counter()
        async with self._admitted(request) as predictor:
            topics = await self._link(request)
            linked = time.perf_counter()
            with traced("predict paths"):
                predictions = await predictor.predict(path_queries(request.question, topics), request.beam)
        candidates = score_candidates(topics, predictions)
        with traced("execute") as span:
            walked = await walk_candidates(self._store, candidates, self._manifest.walk_rule)
            span.set(paths=len(walked))
        features = confidence_features(request.question, topics, predictions, walked, self._known_words)
        confidence = self._manifest.calibration.probability(features) if features else 0.0
        ranked = rescale(walked, confidence)
        timer = _Timer(started, linked)
        is_answered = self._is_answerable(request, features, confidence)
        response = await self._response(request, topics, predictions, ranked, confidence, is_answered, timer)
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
        with traced("link") as span:
            span.set_contents(question=request.question)
            if request.topic_entity is None:
                topics = await self._linker.link(request.question)
            else:
                topics = await self._linker.resolve(request.question, request.topic_entity)
            span.set(topics=len(topics))
            span.set_contents(topic_names=", ".join(topic.entity.name for topic in topics))
            return topics

    async def _response(
        self,
        request: RetrieveRequest,
        topics: Sequence[LinkedTopic],
        predictions: Sequence[PathPrediction],
        ranked: Sequence[WalkedPath],
        confidence: float,
        is_answered: bool,
        timer: "_Timer",
    ) -> RetrieveResponse:
        sampled = sample(ranked if is_answered else [], request.max_paths)
        chosen = ranked[0].candidate.topic if sampled.answers else None
        hops = predictions[topics.index(chosen) if chosen else 0].hop_probabilities
        floor = min(MIN_SCORE, sampled.answers[0].score) if sampled.answers else 0.0
        details = await details_of(self._store, _named_entities(topics, ranked[0] if chosen else None))
        return RetrieveResponse(
            topic_entities=[
                _topic_entity(request.question, topic, details)
                for topic in sorted(topics, key=lambda topic: topic is not chosen)
            ],
            hops=Hops(predicted=hops.index(max(hops)), probabilities=list(hops)),
            relation_paths=[
                ScoredPath(relations=list(candidate.path.relations), score=candidate.score)
                for candidate, _ in ranked
                if candidate.topic is chosen
            ][:_MAX_PATHS],
            answers=await self._described(sampled.answers, details),
            other_answers=[answer for answer in sampled.other_answers if answer.score >= floor],
            evidence=sampled.evidence,
            plan=await self._plan(ranked[0].candidate, request.explain) if chosen else None,
            confidence=confidence,
            alternatives=path_alternatives(ranked[1:] if chosen else ranked, self._manifest.walk_rule),
            truncated=sampled.truncated,
            warnings=_warnings(sampled.truncated, topics, chosen, details),
            graph_version=await self._store.version(),
            link_ms=timer.link_ms,
            retrieve_ms=timer.retrieve_ms(),
            answer_type=AnswerType.ENTITIES if sampled.answers else None,
        )

    async def _described(self, answers: Sequence[Answer], details: Mapping[str, str]) -> list[Answer]:
        kinds = await kinds_of(self._store, [answer.id for answer in answers if answer.id is not None])
        if not kinds and not details:
            return list(answers)  # copying a thousand answers would take milliseconds
        return [
            answer.model_copy(update={"kind": kinds.get(answer.id or ""), "detail": details.get(answer.id or "")})
            for answer in answers
        ]

    def _path_plan(self, candidate: CandidatePath) -> Plan:
        return path_plan(candidate.topic.entity, candidate.path.relations, self._manifest.walk_rule)

    async def _plan(self, candidate: CandidatePath, explain: bool) -> QueryPlan:
        """Describe the path of a candidate as a plan; with `explain`, run the plan to report its query."""
        topic, path = candidate.topic.entity, candidate.path.relations
        plan, query = self._path_plan(candidate), None
        if explain:
            result = await self._store.run(plan, _MAX_ROWS)
            query = ExecutedQuery.of(result.query, result.parameters)
        return QueryPlan(text=path_text(topic, path), steps=write_plan(plan)["steps"], query=query)

    def _is_answerable(self, request: RetrieveRequest, features: ConfidenceFeatures | None, confidence: float) -> bool:
        threshold = self._manifest.calibration.threshold
        if request.min_confidence is not None:
            threshold = request.min_confidence
        return features is not None and confidence >= threshold


def path_queries(question: str, topics: Sequence[LinkedTopic]) -> list[PathQuery]:
    """Return one query per topic, or a single query without a topic if none was linked."""
    if not topics:
        return [PathQuery(masked_question(question, None), None, question)]
    is_ambiguous = len(topics) > 1
    return [
        PathQuery(masked_question(question, topic.mention), topic.entity, question, is_ambiguous) for topic in topics
    ]


def _topic_entity(question: str, topic: LinkedTopic, details: Mapping[str, str]) -> TopicEntity:
    mention = question[topic.mention.start : topic.mention.end] if topic.mention else None
    id_ = topic.entity.id
    return TopicEntity(entity=topic.entity.name, id=id_, detail=details.get(id_), mention=mention, score=topic.score)


def _named_entities(topics: Sequence[LinkedTopic], best: WalkedPath | None) -> list[Entity]:
    """Return the entities whose names must differ, or that need a description: the topics and the answers."""
    return [topic.entity for topic in topics] + ([end.entity for end in best.walk.reached] if best else [])


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
            warnings.append(ReplyWarning(kind="ambiguous_name", text=text))
    return warnings
