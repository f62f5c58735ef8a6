"""Reply to a question with the reading that a plan gives."""

import time
from collections.abc import Hashable, Sequence
from typing import Any

from contracts.answers import TRUNCATED, Answer, AnswerType, ReplyWarning
from contracts.plans import ExecutedQuery, QueryPlan
from contracts.retrieve import Alternative, Hops, RetrieveRequest, RetrieveResponse, TopicEntity
from graph.plan.algebra import Plan, Property
from graph.plan.checks import write_plan
from graph.plan.result import PlanResult
from graph.plan.traversal import walk
from graph.plan.value_text import value_text
from graph.plan.values import MapValue, NodeRef, RelationshipRef, identity, to_json
from graph.store import Entity, GraphStore
from language.english.question_form import asks_whether
from language.values import QuestionValue
from services.retriever.execution.evidence import collect_evidence
from services.retriever.execution.left_out_values import left_out_warnings, share_of_values
from services.retriever.execution.plans import answer_type
from services.retriever.execution.readable import readable
from services.retriever.linking.long_question_throttle import LongQuestionThrottle, is_long
from services.retriever.linking.tell_apart import details_of, kinds_of, namesake_warnings
from services.retriever.plans.judging.plan_readings import PlanReading
from services.retriever.plans.judging.results import answers_of, is_empty
from services.retriever.plans.names.named_entities import named_entities
from services.retriever.plans.names.numbered_names import missing_numbers
from services.retriever.plans.names.undecided_names import undecided_entities
from services.retriever.plans.planner import Planner
from services.retriever.plans.rewriting.ties import MAX_TIES
from services.retriever.plans.running import MAX_ROWS
from services.retriever.plans.schema.graph_view import GraphView
from shared.errors import DeadlineExceededError
from shared.request_context import remaining_time
from shared.tracing.tracer import traced

MAX_ANSWERS = 1000
MAX_ALTERNATIVES = 3
MAX_PREVIEW = 3
MIN_SCORE = 0.01

TIED = "tied"

LATE = ReplyWarning(kind="late", text="Reading the question as a plan took too long.")
"""Warning of a reply that lacks a plan, or the result of the likeliest one."""


class PlanReplies:
    """Answer retrieval requests by plans; an instance is safe for concurrent use in one event loop."""

    def __init__(self, store: GraphStore, planner: Planner, threshold: float) -> None:
        self._store = store
        self._planner = planner
        self._threshold = threshold
        self._throttle = LongQuestionThrottle()

    async def retrieve(self, request: RetrieveRequest) -> RetrieveResponse:
        """Read the question as a plan, and reply with its result; see `Retriever.retrieve`."""
        started = time.perf_counter()
        try:
            readings = await self.read(request.question)
        except DeadlineExceededError:
            remaining_time(1.0)  # raises if it was the request's own deadline that passed
            late = await self._reply([], None, [], started, time.perf_counter(), request)
            return late.model_copy(update={"warnings": [LATE]})
        linked = time.perf_counter()
        best = readings[0] if readings else None
        is_answered = best is not None and self._answers_by(best, request)
        missing = [] if is_answered and _reads_numbers(best) else await missing_numbers(self._store, request.question)
        if best is None or missing or not is_answered:
            response = await self._reply(readings, None, [], started, linked, request)
            return response.model_copy(update={"warnings": [*response.warnings, *missing]})
        return await self._answered(readings, best, started, linked, request)

    async def reply_to(
        self, reading: PlanReading, request: RetrieveRequest, others: Sequence[PlanReading] = ()
    ) -> RetrieveResponse:
        """Reply with the result of a reading that was found elsewhere; `others` with another result are alternatives.

        There are no answers if the result is empty, or if the confidence is too low.
        """
        now, found = time.perf_counter(), answers_of(reading.result)
        readings = [reading, *(one for one in others if answers_of(one.result) != found)]
        if not self._answers_by(reading, request):
            return await self._reply(readings, None, [], now, now, request)
        return await self._answered(readings, reading, now, now, request)

    async def _answered(
        self,
        readings: Sequence[PlanReading],
        best: PlanReading,
        started: float,
        linked: float,
        request: RetrieveRequest,
    ) -> RetrieveResponse:
        topics, ambiguous = await named_entities(self._store, best.mentions)
        with traced("collect evidence"):
            evidence = await collect_evidence(self._store, best.tied or best.plan, best.result, request.max_paths * 4)
        answers = await self._answers(best, evidence.of_rows)
        schema = await self._store.schema()
        left_out = left_out_warnings(best.plan, schema)
        confidence = await self._without_namesakes(request, best, topics)
        least = min(confidence, self.threshold(request))
        response = await self._reply(readings, best, answers, started, linked, request)
        if response.answer_type is AnswerType.BOOLEAN:
            yes = [one.model_copy(update={"value": bool(one.value)}) for one in answers]
            response = response.model_copy(update={"answers": yes})
        return response.model_copy(
            update={
                "confidence": max(least, confidence * share_of_values(best.plan, schema)),
                "topic_entities": topics,
                "plan_evidence": evidence.items,
                "warnings": [
                    *response.warnings,
                    *ambiguous,
                    *_namesakes(answers),
                    *left_out,
                    *_ties(best),
                    *evidence.warnings,
                ],
            }
        )

    async def _without_namesakes(
        self, request: RetrieveRequest, reading: PlanReading, topics: Sequence[TopicEntity]
    ) -> float:
        """Return the confidence in a reading, lowered if its name has namesakes that nothing tells apart.

        The threshold stays the least, because the reply lists all of them.
        """
        if len(topics) < 2:
            return reading.confidence
        kinds = await kinds_of(self._store, [topic.id for topic in topics if topic.id is not None])
        several = undecided_entities(request.question, reading.plan, topics, kinds)
        return min(reading.confidence, max(self.threshold(request), 1 / several))

    async def ready(self) -> bool:
        """Return whether questions can be read; raise DependencyError while the graph is being read."""
        return await self._planner.ready()

    def threshold(self, request: RetrieveRequest) -> float:
        """Return the confidence below which a request gets no answer."""
        return self._threshold if request.min_confidence is None else request.min_confidence

    def _answers_by(self, reading: PlanReading, request: RetrieveRequest) -> bool:
        """Return whether a reading is certain enough to answer, and no likelier one may say something else."""
        is_certain = reading.confidence >= self.threshold(request) and not reading.is_overtaken
        return is_certain and not is_empty(reading.result)

    async def view(self) -> GraphView:
        """Return the graph as plans see it."""
        return await self._planner.view()

    async def values(self, question: str) -> list[QuestionValue]:
        """Return the names, numbers, and dates that a question states."""
        return await self._planner.values(question)

    async def asked_kinds(self, question: str) -> frozenset[str]:
        """Return the kinds of node that a question asks for; none if it names no kind."""
        return await self._planner.asked_kinds(question)

    async def read(self, question: str) -> list[PlanReading]:
        """Return the readings of a question, best first; long questions are read one at a time.

        Raises DeadlineExceededError if reading takes too long.
        """
        if not is_long(question):
            return await self._planner.read(question)
        async with self._throttle.slot():
            return await self._planner.read(question)

    async def _answers(self, reading: PlanReading, of_rows: Sequence[Sequence[int]]) -> list[Answer]:
        """List the distinct values of the first column, with the evidence of their rows."""
        found: dict[Hashable, Answer] = {}
        for place, row in enumerate(reading.result.rows[: 4 * MAX_ANSWERS]):
            supporting = list(of_rows[place]) if place < len(of_rows) else []
            for cell in row[0] if isinstance(row[0], tuple) else (row[0],):
                if cell is None:
                    continue
                key = identity(cell)
                if key in found:
                    found[key].evidence.extend(one for one in supporting if one not in found[key].evidence)
                elif len(found) < MAX_ANSWERS:
                    found[key] = self._answer(cell, reading.confidence, supporting)
        answers = list(found.values())
        entities = [Entity(one.id, str(one.value)) for one in answers if one.id is not None]
        kinds = await kinds_of(self._store, [one.id for one in entities])
        details = await details_of(self._store, entities)
        return [
            one.model_copy(update={"kind": kinds.get(one.id or "") or one.kind, "detail": details.get(one.id or "")})
            for one in answers
        ]

    @staticmethod
    def _answer(cell: Any, score: float, evidence: list[int]) -> Answer:
        if isinstance(cell, NodeRef):
            kind = cell.kinds[0] if cell.kinds else None
            return Answer(value=cell.name, id=cell.id, kind=kind, score=score, evidence=evidence)
        return Answer(value=to_json(cell), score=score, evidence=evidence)

    async def _reply(
        self,
        readings: Sequence[PlanReading],
        best: PlanReading | None,
        answers: list[Answer],
        started: float,
        linked: float,
        request: RetrieveRequest,
    ) -> RetrieveResponse:
        first = readings[0] if readings else None
        confidence = first.confidence if first else 0.0
        several = best is not None and len(best.result.columns) > 1
        return RetrieveResponse(
            topic_entities=[],
            hops=Hops(predicted=0, probabilities=[1.0]),
            relation_paths=[],
            answers=answers,
            other_answers=[],
            evidence=[],
            plan=_plan(best, request.explain) if best else None,
            confidence=confidence if best else min(confidence, self.threshold(request)),
            alternatives=_alternatives(readings[1:] if best else readings),
            truncated=_is_cut(best, answers),
            warnings=[*_warnings(first), *([TRUNCATED] if _is_cut(best, answers) else [])],
            graph_version=await self._store.version(),
            link_ms=0.0,
            retrieve_ms=(time.perf_counter() - started) * 1000,
            answer_type=_type(request.question, best.result) if best else None,
            columns=list(best.result.columns) if best and several else [],
            rows=[list(map(_shown, row)) for row in best.result.rows] if best and several else [],
            unread=list(first.unread) if first else [],
            durations=sorted(_keys(best.plan) & (await self._store.schema()).duration_keys) if best else [],
        )


def _keys(plan: Plan) -> set[str]:
    """Return the keys of the properties in a plan."""
    return {part.key for part in walk(plan) if isinstance(part, Property)}


def _reads_numbers(reading: PlanReading | None) -> bool:
    return reading is not None and not any(character.isdigit() for word in reading.unread for character in word)


def _is_cut(best: PlanReading | None, answers: Sequence[Answer]) -> bool:
    """Return whether the graph may have more answers than these."""
    return len(answers) >= MAX_ANSWERS or (best is not None and len(best.result.rows) >= MAX_ROWS)


def _type(question: str, result: PlanResult) -> AnswerType:
    found = answer_type(result)
    if found is AnswerType.NUMBER and asks_whether(question):
        return AnswerType.BOOLEAN
    return found


def _plan(reading: PlanReading, explain: bool) -> QueryPlan:
    query = ExecutedQuery.of(reading.result.query, reading.result.parameters) if explain else None
    return QueryPlan(text=readable(reading.plan), steps=write_plan(reading.plan)["steps"], query=query)


def _alternatives(readings: Sequence[PlanReading]) -> list[Alternative]:
    found = []
    for reading in readings[:MAX_ALTERNATIVES]:
        if reading.confidence < MIN_SCORE:
            continue
        names = [_text(row[0]) for row in reading.result.rows]
        found.append(
            Alternative(
                plan=readable(reading.plan),
                topic_entity="",
                relations=[],
                score=reading.confidence,
                answers=names[:MAX_PREVIEW],
                more=max(0, len(names) - MAX_PREVIEW),
                steps=write_plan(reading.plan)["steps"],
            )
        )
    return found


def _shown(cell: Any) -> Any:
    """Write a cell as JSON; a node is its name, and a relationship its type."""
    match cell:
        case NodeRef():
            return cell.name
        case RelationshipRef():
            return cell.type
        case tuple():
            return list(map(_shown, cell))
        case MapValue():
            return {name: _shown(one) for name, one in cell.fields}
    return to_json(cell)


def _text(cell: Any) -> str:
    return cell.name if isinstance(cell, NodeRef) else value_text(cell)


def _namesakes(answers: Sequence[Answer]) -> list[ReplyWarning]:
    entities = [Entity(one.id, str(one.value)) for one in answers if one.id is not None]
    return namesake_warnings(entities, {one.id for one in answers if one.id is not None and one.detail})


def _ties(reading: PlanReading) -> list[ReplyWarning]:
    """Say that a reply has more rows than its plan takes, and whether these are all that tie."""
    if reading.tied is None:
        return []
    number = len(reading.result.rows)
    is_all = number < MAX_TIES
    text = "so all of them are given" if is_all else "and perhaps more; these are given"
    return [ReplyWarning(kind=TIED, text=f"{number} results tie for the first place, {text}.")]


def _warnings(reading: PlanReading | None) -> list[ReplyWarning]:
    found = []
    if reading is not None and reading.is_overtaken:
        found.append(LATE)
    if reading is not None and reading.unread:
        words = ", ".join(f"“{word}”" for word in reading.unread)
        text = f"I did not understand these words of the question: {words}."
        found.append(ReplyWarning(kind="unread", text=text))
    return found
