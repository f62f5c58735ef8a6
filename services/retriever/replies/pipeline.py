"""Answer retrieval requests by relation paths and by query plans, whichever reads the question better."""

import logging

from contracts.answers import ReplyWarning, answer_names
from contracts.retrieve import Alternative, RetrieveRequest, RetrieveResponse
from language.english.operators import operator_words
from language.english.stems import question_words
from services.retriever.plans.accounting.unread import says_something
from services.retriever.plans.rewriting.asked_kind import are_others
from services.retriever.replies.descriptions import Descriptions
from services.retriever.replies.path_replies import PathReplies, without_topic
from services.retriever.replies.plan_replies import LATE, MAX_ALTERNATIVES, MAX_PREVIEW, PlanReplies
from services.retriever.trusted.questions import TrustedQuestions
from shared.errors import DeadlineExceededError, InvalidInputError, RefusedError
from shared.request_context import remaining_time, time_limit

log = logging.getLogger(__name__)

_DOUBT = 0.1
"""Share of the confidence that a path keeps if it leaves words of the question unread."""
_CLEAR = 0.7
"""The confidence of a plan that answers although the trained paths do not, and nothing is left unread."""
_BELIEVED = 0.5
"""The score of a topic entity that the question probably names."""

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
    ) -> None:
        """Answer trusted questions first, else by relation paths if the graph has a model for them, and by plans.

        Plans may take `patience_s` seconds.
        """
        self._trusted = trusted
        self._patience_s = patience_s
        self._paths = paths
        self._plans = plans
        self._descriptions = descriptions

    async def retrieve(self, request: RetrieveRequest) -> RetrieveResponse:
        """Answer a request, with evidence and a calibrated confidence.

        Raises:
            UnknownEntityError: The graph does not have the given topic entity.
            TooManyPathsError: The best relation path fans out too far.
            InvalidInputError: The request names a topic, and no relation paths have been learnt.
            BusyError: The question is long, and too many long questions are already waiting.
            DeadlineExceededError: The request's deadline passed.
            DependencyError: The graph store does not respond.
        """
        if (trusted := await self._by_trusted(request)) is not None:
            return trusted
        if self._paths is None:
            if request.topic_entity is not None:
                raise InvalidInputError(_NO_PATHS)
            return await self._descriptions.retrieve(request) or await self._plans.retrieve(request)
        by_path = await self._paths.retrieve(request)
        if request.topic_entity is not None:
            return by_path
        is_learnt = self._is_learnt(self._paths, request.question, by_path)
        if not is_learnt and (described := await self._descriptions.retrieve(request)) is not None:
            return described
        unread = await self._unread(self._paths, request.question, by_path)
        is_complete = not unread and not operator_words(without_topic(request.question, by_path))
        if by_path.answers and is_complete and self._paths.is_better_than_plans:
            return by_path
        found = await self._by_plan(request, by_path)
        by_plan = None if isinstance(found, ReplyWarning) else found
        if isinstance(found, ReplyWarning):
            by_path = _with_warning(by_path, found)
        if unread:
            by_path = _doubted(by_path, unread)
            if by_plan is not None and by_plan.confidence > by_path.confidence:
                return by_plan
            return by_path if by_path.confidence >= self._plans.threshold(request) else _withheld(by_path)
        if by_plan is None:
            return by_path
        if self._paths.is_better_than_plans:
            return by_plan if _is_better(by_plan, by_path) else by_path
        is_needed = not by_plan.answers and bool(by_path.answers)
        return by_path if is_needed and by_path.confidence >= self._plans.threshold(request) else by_plan

    @staticmethod
    def _is_learnt(paths: PathReplies, question: str, by_path: RetrieveResponse) -> bool:
        """Return whether a path answers, and people's training questions have the words around the topic, if any."""
        around = without_topic(question, by_path)
        asks = any(says_something(around[start:end]) for start, end, _ in question_words(around))
        return bool(by_path.answers) and paths.is_better_than_plans and asks and not paths.has_new_words(around)

    async def ready(self) -> bool:
        """Return whether questions of all kinds can be read; raise DependencyError while the graph is being read."""
        return await self._plans.ready()

    async def _by_trusted(self, request: RetrieveRequest) -> RetrieveResponse | None:
        """Answer a trusted question, if the names in its slots are clear enough."""
        if self._trusted is None or request.topic_entity is not None:
            return None
        found = await self._trusted.read(request.question, self._plans.read)
        if found is None or found.reading.confidence < self._plans.threshold(request):
            return None
        response = await self._plans.reply_to(found.reading, request)
        return response.model_copy(update={"trusted": found.name})

    async def _by_plan(self, request: RetrieveRequest, by_path: RetrieveResponse) -> RetrieveResponse | ReplyWarning:
        """Answer by a plan; if a path has answers and that fails or takes too long, return a warning of it."""
        if not by_path.answers:
            return await self._plans.retrieve(request)
        try:
            # The other half of the time is for writing the answer.
            with time_limit(remaining_time(2 * self._patience_s) / 2):
                by_plan = await self._plans.retrieve(request)
        except RefusedError as error:
            log.warning("a path answers, since the graph database rejected the plan: %s", error)
            return _REJECTED
        except DeadlineExceededError:
            remaining_time(2 * self._patience_s)  # raises if it was the request's own deadline that passed
            return LATE
        return LATE if LATE in by_plan.warnings else by_plan

    async def _unread(self, paths: PathReplies, question: str, by_path: RetrieveResponse) -> frozenset[str]:
        """Return what the path leaves unread of the question; look names up only if training has not seen its words."""
        unread = paths.unread(question, by_path) | await self._unread_kind(question, by_path)
        if not paths.has_new_words(without_topic(question, by_path)):
            return unread
        return unread | paths.unread_values(question, by_path, await self._plans.values(question))

    async def _unread_kind(self, question: str, by_path: RetrieveResponse) -> frozenset[str]:
        """Return the kind that a question with operators asks for if the path leads to nodes of other kinds.

        Without operators, trained paths know better what a noun means: `Which states adjoin Slovenia?`
        """
        if not operator_words(without_topic(question, by_path)):
            return frozenset()
        kinds = [(one.kind,) for one in by_path.answers if one.kind is not None]
        asked = await self._plans.asked_kinds(question) if kinds else frozenset[str]()
        return asked if are_others(asked, kinds) else frozenset()


def _is_better(by_plan: RetrieveResponse, by_path: RetrieveResponse) -> bool:
    """Return whether a plan answers instead of a path that leaves nothing unread."""
    if not by_plan.answers or by_path.answers:
        return bool(by_plan.answers) and by_plan.confidence > by_path.confidence
    if by_path.topic_entities and by_path.topic_entities[0].score >= _BELIEVED:
        # The trained paths know what is asked of such entities, so their silence says something.
        return by_plan.confidence > _CLEAR and not by_plan.unread
    return True


def _doubted(response: RetrieveResponse, unread: frozenset[str]) -> RetrieveResponse:
    """Lower the confidence of a reply whose path leaves words of the question unread."""
    words = ", ".join(f"“{word}”" for word in sorted(unread))
    text = f"I did not understand these words of the question: {words}."
    warned = _with_warning(response, ReplyWarning(kind="unread", text=text))
    return warned.model_copy(update={"confidence": _DOUBT * response.confidence, "unread": sorted(unread)})


def _with_warning(response: RetrieveResponse, warning: ReplyWarning) -> RetrieveResponse:
    return response.model_copy(update={"warnings": [*response.warnings, warning]})


def _withheld(response: RetrieveResponse) -> RetrieveResponse:
    """List the answers of a reply as another reading, since its confidence is too low."""
    if response.plan is None:
        return response
    answers = answer_names(response.answers)
    reading = Alternative(
        plan=response.plan.text,
        topic_entity=response.topic_entities[0].entity if response.topic_entities else "",
        relations=list(response.relation_paths[0].relations) if response.relation_paths else [],
        score=response.confidence,
        answers=answers[:MAX_PREVIEW],
        more=max(0, len(answers) - MAX_PREVIEW),
        steps=response.plan.steps,
    )
    return response.model_copy(
        update={
            "answers": [],
            "other_answers": [],
            "evidence": [],
            "plan": None,
            "answer_type": None,
            "truncated": False,
            "alternatives": [reading, *response.alternatives][:MAX_ALTERNATIVES],
        }
    )
