"""Answer retrieval requests by relation paths and by query plans, whichever reads the question better."""

import logging
from dataclasses import replace

from contracts.answers import ReplyWarning
from language.question import Question
from services.retriever.plans.accounting.unread import says_something
from services.retriever.plans.names.asked_kind import are_others
from services.retriever.replies.asked import Asked
from services.retriever.replies.choice import WeighedPath
from services.retriever.replies.connections import Connections
from services.retriever.replies.descriptions import Descriptions
from services.retriever.replies.path_replies import PathReplies
from services.retriever.replies.path_words import without_topic
from services.retriever.replies.plan_replies import LATE, PlanReplies
from services.retriever.replies.reply import AnyReply, PathReply, PlanReply
from services.retriever.trusted.questions import TrustedQuestions
from shared.errors import DeadlineExceededError, InvalidInputError, RefusedError
from shared.request_context import remaining_time, time_limit

log = logging.getLogger(__name__)

PATIENCE_S = 2.5
"""Seconds that a plan may take while a path has answers."""

_NO_PATHS = (
    "topic_entity begins a relation path, and no retriever is trained for this graph; "
    "leave it out, or train one with `kgqa train retriever`"
)
_REJECTED = ReplyWarning(kind="rejected", text="The graph database rejected the query for this question.")


class Retriever:
    """Answer retrieval requests; an instance is safe for concurrent use in one event loop.

    Relation paths come first if they were shown to be better than plans on held-out questions of the graph; they know
    the wordings, and are fast. A plan is predicted if the question has words that a path cannot express, or if no path
    is certain enough. Other paths, such as those that learnt from few questions or from the graph alone, answer only
    where plans do not.
    """

    def __init__(
        self,
        paths: PathReplies | None,
        plans: PlanReplies,
        descriptions: Descriptions,
        patience_s: float = PATIENCE_S,
        trusted: TrustedQuestions | None = None,
        connections: Connections | None = None,
    ) -> None:
        """Answer trusted questions first, else by relation paths if the graph has a model for them, and by plans.

        Plans may take `patience_s` seconds. Without `connections`, questions about them are read as any others.
        """
        self._connections = connections
        self._trusted = trusted
        self._patience_s = patience_s
        self._paths = paths
        self._plans = plans
        self._descriptions = descriptions

    async def reply(self, asked: Asked) -> AnyReply:
        """Answer a question, with evidence and a calibrated confidence.

        Raises:
            UnknownEntityError: The graph does not have the given topic entity.
            TooManyPathsError: The best relation path fans out too far.
            InvalidInputError: The request names a topic, and no relation paths have been learnt.
            BusyError: The question is long, and too many long questions are already waiting.
            DeadlineExceededError: The request's deadline passed.
            DependencyError: The graph store does not respond.
        """
        if self._paths is not None and self._paths.are_of_paper:
            asked = asked.at_own_threshold()
        if asked.question.among:
            return await self._plans.reply(asked)
        if asked.topic_entity is not None:
            return await self._about_topic(asked)
        if (trusted := await self._by_trusted(asked)) is not None:
            return trusted
        if self._connections is not None and (connected := await self._connections.reply(asked)) is not None:
            return connected
        if self._paths is None:
            return await self._descriptions.reply(asked) or await self._plans.reply(asked)
        by_path = await self._paths.reply(asked)
        if self._is_learnt(self._paths, asked.question, by_path):
            return await self._better(asked, self._paths, by_path)
        return await self._descriptions.reply(asked) or await self._better(asked, self._paths, by_path)

    async def ready(self) -> bool:
        """Return whether questions of all kinds can be read; raise DependencyError while the graph is being read."""
        return await self._plans.ready()

    async def _about_topic(self, asked: Asked) -> PathReply:
        """Answer a question whose topic entity is given, from which only paths begin."""
        if self._paths is None:
            raise InvalidInputError(_NO_PATHS)
        return await self._paths.reply(asked)

    async def _better(self, asked: Asked, paths: PathReplies, by_path: PathReply) -> AnyReply:
        """Return the reply by paths, or that by a plan if it is better; none is asked for if paths need no help."""
        unread = await self._unread(paths, asked.question, by_path)
        is_complete = not unread and not without_topic(asked.question, by_path).operator_words
        if by_path.answers and is_complete and paths.is_better_than_plans:
            return by_path
        path = WeighedPath(by_path, unread, paths.is_better_than_plans, self._plans.threshold(asked))
        return path.against(await self._by_plan(asked, by_path))

    @staticmethod
    def _is_learnt(paths: PathReplies, question: Question, by_path: PathReply) -> bool:
        """Return whether a path answers, and people's training questions have the words around the topic, if any."""
        around = without_topic(question, by_path)
        asks = any(says_something(around.text[word.start : word.end]) for word in around.words)
        return bool(by_path.answers) and paths.is_better_than_plans and asks and not paths.words.are_new(around.text)

    async def _by_trusted(self, asked: Asked) -> PlanReply | None:
        """Answer a trusted question, if the names in its slots are clear enough."""
        if self._trusted is None:
            return None
        found = await self._trusted.read(asked.question, self._plans.read)
        if found is None or found.reading.confidence < self._plans.floor(asked):
            return None
        return replace(await self._plans.reply_to(found.reading, asked), trusted=found.name)

    async def _by_plan(self, asked: Asked, by_path: PathReply) -> PlanReply | ReplyWarning:
        """Answer by a plan; if a path has answers and that fails or takes too long, return a warning of it."""
        if not by_path.answers:
            return await self._plans.reply(asked)
        try:
            # The other half of the time is for writing the answer.
            with time_limit(remaining_time(2 * self._patience_s) / 2):
                by_plan = await self._plans.reply(asked)
        except RefusedError as error:
            log.warning("a path answers, since the graph database rejected the plan: %s", error)
            return _REJECTED
        except DeadlineExceededError:
            remaining_time(2 * self._patience_s)  # raises if it was the request's own deadline that passed
            return LATE
        return LATE if LATE in by_plan.warnings else by_plan

    async def _unread(self, paths: PathReplies, question: Question, by_path: PathReply) -> frozenset[str]:
        """Return what the path leaves unread of the question; look names up only if training has not seen its words."""
        unread = paths.words.unread(question, by_path) | await self._unread_kind(question, by_path)
        if not paths.words.are_new(without_topic(question, by_path).text):
            return unread
        return unread | paths.words.unread_values(question, by_path, await self._plans.values(question))

    async def _unread_kind(self, question: Question, by_path: PathReply) -> frozenset[str]:
        """Return the kind that a question with operators asks for if the path leads to nodes of other kinds.

        Without operators, trained paths know better what a noun means: `Which states adjoin Slovenia?`
        """
        if not without_topic(question, by_path).operator_words:
            return frozenset()
        kinds = [(one.kind,) for one in by_path.answers if one.kind is not None]
        asked = await self._plans.asked_kinds(question) if kinds else frozenset[str]()
        return asked if are_others(asked, kinds) else frozenset()
