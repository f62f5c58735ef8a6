"""Answer by a query that a language model writes for the question (UniOQA's translator).

The model sees the part of the schema that the question needs. What it writes passes the guard and runs as a plan.
"""

import asyncio
import logging
import re
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

from contracts.answers import NO_QUERY, ReplyWarning
from contracts.retrieve import TopicEntity
from graph.plan.current_time import with_current_time
from graph.plan.result import PlanResult
from graph.store import GraphStore
from language.question import Question
from services.retriever.linking.linker import EntityLinker
from services.retriever.linking.selection import LinkedTopic
from services.retriever.plans.judging.plan_readings import PlanReading
from services.retriever.plans.judging.results import is_empty
from services.retriever.plans.predictor.plan_confidence import PlanFeatures
from services.retriever.plans.running import AnswerPlan, run_for_answers
from services.retriever.plans.schema.graph_view import GraphView
from services.retriever.replies.asked import Asked
from services.retriever.replies.plan_replies import PlanReplies
from services.retriever.replies.reply import PlanReply
from services.retriever.strategies.graph_prompt import GraphPrompt, graph_prompt
from services.retriever.strategies.guard import checked_plan, read_query
from services.retriever.strategies.name_replacement import AlignedPlan, align
from services.retriever.strategies.query_confidence import in_view_of_plans, query_confidence, unread_parts
from services.retriever.strategies.query_prompt import MAX_TOKENS, query_in, repair_prompt
from shared.errors import DeadlineExceededError, DependencyError, InvalidInputError, KGQAError, RefusedError
from shared.llm.client import LanguageModel
from shared.llm.prompt_escaping import unescape_completion
from shared.request_context import remaining_time, time_limit
from shared.text import with_full_stop

log = logging.getLogger(__name__)

MAX_REPAIRS = 2
_SECONDS = 60.0
_SHARE = 0.85
"""The share of the remaining time that a reply may take; the rest is for another reply in its place."""
_MAX_PROBLEM = 300
_PLACE = re.compile(r"^steps(?:\.\w+)*: ")
_SLOW = "the language model and its queries took too long; raise the timeout, or choose a faster model"


@dataclass(frozen=True, slots=True)
class _Task:
    """Hold what a request asks of the model."""

    asked: Asked
    view: GraphView
    topics: Sequence[LinkedTopic]
    prompt: GraphPrompt


@dataclass(frozen=True, slots=True)
class _Ran:
    aligned: AlignedPlan
    ran: AnswerPlan

    @property
    def result(self) -> PlanResult:
        return self.ran.result


class CypherStrategy:
    """Let a language model write the query. Safe for concurrent use in one event loop."""

    def __init__(self, store: GraphStore, linker: EntityLinker, replies: PlanReplies, model: LanguageModel) -> None:
        self._store = store
        self._linker = linker
        self._replies = replies
        self._model = model

    async def reply(self, asked: Asked) -> PlanReply:
        """Answer a question; see `RetrievalStrategy.reply`.

        A query that does not run goes back to the model with the reason, at most `MAX_REPAIRS` times; after that, the
        reply abstains and says why.
        """
        try:
            with time_limit(remaining_time(_SECONDS) * _SHARE):
                return await self._reply_to(asked)
        except DeadlineExceededError as error:
            remaining_time(1.0)  # raises if it was the request's own deadline that passed
            raise DependencyError(f"{_SLOW} ({error.detail})", _SLOW) from error

    async def _reply_to(self, asked: Asked) -> PlanReply:
        started = time.perf_counter()
        task = await self._task(asked)
        linked = time.perf_counter()
        reply = await self._answer(task)
        return replace(reply, link_ms=(linked - started) * 1000, retrieve_ms=(time.perf_counter() - linked) * 1000)

    async def _task(self, asked: Asked) -> _Task:
        view = await self._replies.view()
        topics = await self._linker.topics(asked.question, asked.topic_entity)
        return _Task(asked, view, topics, await graph_prompt(asked.question, topics, view))

    async def _answer(self, task: _Task) -> PlanReply:
        """Ask for a query until one runs."""
        prompt, problems, seen = task.prompt.text, list[str](), set[str]()
        while len(problems) <= MAX_REPAIRS:
            remaining_time(_SECONDS)  # raises if there is no time left
            completion = await self._model.complete(prompt, max_tokens=MAX_TOKENS, grammar=task.prompt.grammar)
            query = query_in(unescape_completion(completion, *task.prompt.sources))
            if query is None:
                return await self._abstained("The language model says that the graph cannot answer the question.")
            try:
                ran = await self._run(query, task)
            except (InvalidInputError, RefusedError) as error:
                log.info("a query of the language model does not run")  # the reason quotes the question
                problems.append(_problem(error))
            else:
                return await self._reply(task, ran, problems)
            if query in seen:
                break  # the completions are greedy, so it would come again
            seen.add(query)
            prompt = repair_prompt(task.prompt.text, query, problems[-1])
        return await self._abstained(with_full_stop(f"The language model wrote no query that runs: {problems[-1]}"))

    async def _run(self, query: str, task: _Task) -> _Ran:
        plan = await asyncio.to_thread(read_query, query)
        try:
            aligned = await align(plan, task.view, task.topics)
        except RecursionError:
            raise InvalidInputError("the query is nested too deeply; write a simpler one") from None
        checked = await asyncio.to_thread(checked_plan, aligned.plan, task.view.schema)
        ran = await run_for_answers(self._store, with_current_time(task.view.runnable(checked)))
        return _Ran(AlignedPlan(ran.plan, aligned.replacements, aligned.names), ran)

    async def _reply(self, task: _Task, ran: _Ran, problems: Sequence[str]) -> PlanReply:
        """Reply with a result; an empty one gives no answers."""
        question, aligned = task.asked.question, ran.aligned
        unread = unread_parts(question, aligned.plan, task.topics)
        alone = query_confidence(question, ran.result, len(problems), len(aligned.replacements), unread)
        others = await self._readings(question)
        confidence = in_view_of_plans(alone, ran.result, others, self._replies.threshold(task.asked))
        reading = _reading(ran, 0.0 if is_empty(ran.result) else confidence, unread)
        reply = await self._replies.reply_to(reading, task.asked, others)
        warnings = [
            ReplyWarning(
                kind="replaced_name",
                text=f"The graph lacks “{one.written}”, which the language model wrote; “{one.used}” replaces it.",
            )
            for one in aligned.replacements
        ]
        warnings += [
            ReplyWarning(
                kind="repaired_query", text=with_full_stop(f"The language model corrected its query: {problem}")
            )
            for problem in problems
        ]
        topics = tuple(_with_mention(topic, task) for topic in reply.topics)
        return replace(reply.warned(*warnings), topics=topics)

    async def _readings(self, question: Question) -> list[PlanReading]:
        """Return how plans read the question; nothing if that takes too long."""
        try:
            return await self._replies.read(question)
        except DeadlineExceededError:
            remaining_time(_SECONDS)  # raises if there is no time left for the reply, either
            return []

    async def _abstained(self, reason: str) -> PlanReply:
        warning = ReplyWarning(kind=NO_QUERY, text=reason)
        return PlanReply(warnings=(warning,), graph_version=await self._store.version())


def _problem(error: KGQAError) -> str:
    """Return why a query does not run, without the place in its plan, which the model and the user do not see."""
    return _PLACE.sub("", " ".join(error.public_detail.split()))[:_MAX_PROBLEM]


def _with_mention(topic: TopicEntity, task: _Task) -> TopicEntity:
    """Return a topic with the part of the question that names it, since the query may name it otherwise."""
    question = task.asked.question
    mention = next((one.mention for one in task.topics if one.entity.id == topic.id and one.mention), None)
    said = question.text[mention.start : mention.end] if mention else question.as_written(topic.mention or topic.entity)
    return TopicEntity(entity=topic.entity, id=topic.id, detail=topic.detail, mention=said, score=topic.score)


def _reading(ran: _Ran, confidence: float, unread: Sequence[str]) -> PlanReading:
    features = PlanFeatures.of_only_reading(len(ran.result.rows), is_empty(ran.result), len(unread))
    plan, names = ran.aligned.plan, ran.aligned.names
    return PlanReading(plan, plan, ran.result, confidence, 1.0, tuple(unread), names, features, tied=ran.ran.tied)
