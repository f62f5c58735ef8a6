"""Reply to a question with the reading that a plan gives."""

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from contracts.answers import TRUNCATED, AnswerType, ReplyWarning
from contracts.plans import ExecutedQuery, QueryPlan
from contracts.retrieve import Alternative
from graph.plan.algebra import Aggregate, AggregateFunction, Constant, Plan, Property
from graph.plan.checks import write_plan
from graph.plan.result import PlanResult
from graph.plan.schema import GraphSchema
from graph.plan.traversal import walk
from graph.store import Entity, GraphStore
from language.marks import Mark
from language.question import Question
from language.values import QuestionValue
from services.retriever.execution.evidence import collect_evidence
from services.retriever.execution.left_out_values import left_out_warnings, share_of_values
from services.retriever.execution.plans import answer_type
from services.retriever.execution.readable import readable
from services.retriever.linking.long_question_throttle import LongQuestionThrottle, is_long
from services.retriever.linking.tell_apart import kinds_of, namesake_warnings
from services.retriever.plans.judging.plan_readings import PlanReading
from services.retriever.plans.judging.results import answers_of, is_empty
from services.retriever.plans.names.named_entities import named_entities
from services.retriever.plans.names.numbered_names import missing_numbers
from services.retriever.plans.names.undecided_names import undecided_entities
from services.retriever.plans.planner import Planner
from services.retriever.plans.rewriting.ties import MAX_TIES
from services.retriever.plans.running import MAX_ROWS
from services.retriever.plans.schema.graph_view import GraphView
from services.retriever.replies.asked import Asked
from services.retriever.replies.clarifications import clarification
from services.retriever.replies.plan_answers import MAX_ANSWERS, name_of, plan_answers, shown
from services.retriever.replies.reply import (
    FoundAnswer,
    PlanReply,
    respelled_warning,
    unread_warning,
    withheld_warning,
)
from services.retriever.replies.unknown_names import unknown_names
from shared.errors import DeadlineExceededError
from shared.request_context import remaining_time
from shared.tracing.tracer import traced

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

    async def reply(self, asked: Asked) -> PlanReply:
        """Read the question as a plan, and reply with its result; see `Retriever.reply`."""
        started = time.perf_counter()
        try:
            readings = await self.read(asked.question)
        except DeadlineExceededError:
            remaining_time(1.0)  # raises if it was the request's own deadline that passed
            late = await self._abstention([], asked, started)
            return late.warned(LATE, *_uncertain_dates(asked.question, None))
        best = readings[0] if readings else None
        reply = await self._reply(readings, best, asked, started)
        return reply.warned(*_uncertain_dates(asked.question, best if reply.answers else None))

    async def _reply(
        self, readings: Sequence[PlanReading], best: PlanReading | None, asked: Asked, started: float
    ) -> PlanReply:
        is_answered = best is not None and self._answers_by(best, asked)
        if is_answered and _reads_numbers(best):
            missing = []
        else:
            missing = await missing_numbers(self._store, asked.question)
        if not missing and (best is None or is_empty(best.result)):
            missing = await unknown_names(self._store, await self._planner.values(asked.question))
        if best is None or missing or not is_answered:
            withheld = () if missing else self._withheld(best, asked)
            return (await self._abstention(readings, asked, started, withheld)).warned(*missing)
        return await self._answered(readings, best, asked, started)

    async def reply_to(self, reading: PlanReading, asked: Asked, others: Sequence[PlanReading] = ()) -> PlanReply:
        """Reply with the result of a reading that was found elsewhere; `others` with another result are alternatives.

        There are no answers if the result is empty, or if the confidence is too low.
        """
        started, found = time.perf_counter(), answers_of(reading.result)
        readings = [reading, *(one for one in others if answers_of(one.result) != found)]
        if not self._answers_by(reading, asked):
            return await self._abstention(readings, asked, started, self._withheld(reading, asked))
        return await self._answered(readings, reading, asked, started)

    async def _abstention(
        self,
        readings: Sequence[PlanReading],
        asked: Asked,
        started: float,
        withheld: tuple[ReplyWarning, ...] = (),
    ) -> PlanReply:
        """Reply without answers; the readings are alternatives. `withheld` says if only the request bars one."""
        first = readings[0] if readings else None
        confidence = first.confidence if first else 0.0
        return PlanReply(
            confidence=confidence if withheld else min(confidence, self.floor(asked)),
            alternatives=_alternatives(readings),
            warnings=(*_warnings(first), *withheld),
            unread=first.unread if first else (),
            graph_version=await self._store.version(),
            retrieve_ms=(time.perf_counter() - started) * 1000,
        )

    async def _answered(
        self, readings: Sequence[PlanReading], best: PlanReading, asked: Asked, started: float
    ) -> PlanReply:
        """Reply with the result of the best reading, unless its names or values leave too much open."""
        topics, ambiguous = await named_entities(self._store, asked.question, best.mentions)
        schema = await self._store.schema()
        kinds = await kinds_of(self._store, [one.id for one in topics]) if len(topics) > 1 else {}
        undecided = undecided_entities(asked.question, best.plan, topics, kinds)
        to_ask = clarification(undecided, kinds)
        confidence = self._confidence(asked, best, len(undecided), schema)
        if confidence < self.threshold(asked):
            unsure = [replace(best, confidence=confidence), *readings[1:]]
            reply = await self._abstention(unsure, asked, started, self._withheld(unsure[0], asked))
            reply = reply.warned(*ambiguous, *left_out_warnings(best.plan, schema))
            return replace(reply, topics=tuple(topics), clarification=to_ask)
        with traced("collect evidence"):
            evidence = await collect_evidence(self._store, best.tied or best.plan, best.result, asked.max_paths * 4)
        type_ = _type(asked.question, best)
        answers = await plan_answers(self._store, best, evidence.of_rows, is_whether=type_ is AnswerType.BOOLEAN)
        is_cut = len(answers) >= MAX_ANSWERS or len(best.result.rows) >= MAX_ROWS
        columns, rows = _table(best.result)
        return PlanReply(
            answers=answers,
            topics=tuple(topics),
            plan=query_plan(best, asked.explain),
            answer_type=type_,
            confidence=confidence,
            alternatives=_alternatives(readings[1:]),
            unread=readings[0].unread,
            truncated=is_cut,
            warnings=(
                *(*_warnings(readings[0]), *([TRUNCATED] if is_cut else []), *ambiguous, *_namesakes(answers)),
                *(*left_out_warnings(best.plan, schema), *_ties(best), *evidence.warnings),
            ),
            graph_version=await self._store.version(),
            retrieve_ms=(time.perf_counter() - started) * 1000,
            columns=columns,
            rows=rows,
            evidence=tuple(evidence.items),
            durations=tuple(sorted(_keys(best.plan) & schema.duration_keys)),
            clarification=to_ask,
        )

    def _confidence(self, asked: Asked, reading: PlanReading, namesakes: int, schema: GraphSchema) -> float:
        """Return the confidence in a reading, lowered by namesakes that nothing tells apart, and by values that the
        graph could not hold.

        The least is the floor, because the model itself gives the answers, and the reply lists those of all namesakes.
        """
        confidence = min(reading.confidence, max(self.floor(asked), 1 / max(1, namesakes)))
        return max(min(confidence, self.floor(asked)), confidence * share_of_values(reading.plan, schema))

    async def ready(self) -> bool:
        """Return whether questions can be read; raise DependencyError while the graph is being read."""
        return await self._planner.ready()

    def threshold(self, asked: Asked) -> float:
        """Return the confidence below which a question gets no answer."""
        return asked.least_confidence(self._threshold)

    def floor(self, asked: Asked) -> float:
        """Return the least confidence in what the graph says unmistakably: that from which on the model answers.

        A request that asks for more confidence gets no answer then, rather than one that claims it.
        """
        return min(self._threshold, self.threshold(asked))

    def _withheld(self, reading: PlanReading | None, asked: Asked) -> tuple[ReplyWarning, ...]:
        """Warn of a reading that is no answer only because the request asks for more confidence."""
        if reading is None or reading.is_overtaken or is_empty(reading.result):
            return ()
        return withheld_warning(reading.confidence, self._threshold, self.threshold(asked))

    def _answers_by(self, reading: PlanReading, asked: Asked) -> bool:
        """Return whether a reading is certain enough to answer, and no likelier one may say something else."""
        is_certain = reading.confidence >= self.threshold(asked) and not reading.is_overtaken
        return is_certain and not is_empty(reading.result)

    async def view(self) -> GraphView:
        """Return the graph as plans see it."""
        return await self._planner.view()

    async def values(self, question: Question) -> list[QuestionValue]:
        """Return the names, numbers, and dates that a question states."""
        return await self._planner.values(question)

    async def asked_kinds(self, question: Question) -> frozenset[str]:
        """Return the kinds of node that a question asks for; none if it names no kind."""
        return await self._planner.asked_kinds(question)

    async def read(self, question: Question) -> list[PlanReading]:
        """Return the readings of a question, best first; long questions are read one at a time.

        Raises DeadlineExceededError if reading takes too long.
        """
        if not is_long(question):
            return await self._planner.read(question)
        async with self._throttle.slot():
            return await self._planner.read(question)


def _keys(plan: Plan) -> set[str]:
    """Return the keys of the properties in a plan."""
    return {part.key for part in walk(plan) if isinstance(part, Property)}


def _reads_numbers(reading: PlanReading | None) -> bool:
    return reading is not None and not any(character.isdigit() for word in reading.unread for character in word)


def _table(result: PlanResult) -> tuple[tuple[str, ...], tuple[tuple[Any, ...], ...]]:
    """Return the columns and rows as JSON if there are several columns; nothing otherwise."""
    if len(result.columns) < 2:
        return (), ()
    return tuple(result.columns), tuple(tuple(map(shown, row)) for row in result.rows)


def _type(question: Question, reading: PlanReading) -> AnswerType:
    """Return what an answer is; a count says yes or no if the question asks whether, other numbers do not."""
    found = answer_type(reading.result)
    functions = {one.function for one in walk(reading.read) if isinstance(one, Aggregate)}
    is_count = functions == {AggregateFunction.COUNT}
    if found is AnswerType.NUMBER and is_count and (reading.asks_whether or question.says(Mark.WHETHER)):
        return AnswerType.BOOLEAN
    return found


def query_plan(reading: PlanReading, explain: bool) -> QueryPlan:
    """Describe the plan of a reading, with the query that ran if the request asks for an explanation."""
    query = ExecutedQuery.of(reading.result.query, reading.result.parameters) if explain else None
    return QueryPlan(text=readable(reading.plan), steps=write_plan(reading.plan)["steps"], query=query)


def _alternatives(readings: Sequence[PlanReading]) -> tuple[Alternative, ...]:
    found = []
    for reading in readings[:MAX_ALTERNATIVES]:
        if reading.confidence < MIN_SCORE:
            continue
        names = [name_of(row[0]) for row in reading.result.rows]
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
    return tuple(found)


def _uncertain_dates(question: Question, reading: PlanReading | None) -> list[ReplyWarning]:
    """Say which dates of a question the reading that answers does not read, since they may be several days."""
    parts = walk(reading.plan) if reading is not None else ()
    read = {part.value for part in parts if isinstance(part, Constant)}
    found = []
    for one in question.uncertain_dates:
        if not read.isdisjoint(one.days):
            continue
        said, days = question.text[one.start : one.end], [day.isoformat() for day in one.days]
        text = f"{said} may be {' or '.join(days)}." if days else f"{said} does not say which day is meant."
        found.append(ReplyWarning(kind="uncertain_date", text=f"{text} Write days as in 2024-05-31."))
    return found


def _namesakes(answers: Sequence[FoundAnswer]) -> list[ReplyWarning]:
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


def _warnings(reading: PlanReading | None) -> tuple[ReplyWarning, ...]:
    found = []
    if reading is not None and reading.is_overtaken:
        found.append(LATE)
    if reading is not None and reading.respelled:
        found.append(respelled_warning(reading.respelled))
    if reading is not None and reading.unread:
        found.append(unread_warning(reading.unread))
    return tuple(found)
