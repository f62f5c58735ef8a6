"""Answer a question: retrieve evidence, rewrite it as text, and ask the QA model (RRA, figure 3)."""

import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Protocol

from contracts.answers import (
    QA_MODEL,
    UNFAITHFUL_TEXT,
    UNSUPPORTED_ANSWER,
    Answer,
    Evidence,
    ReplyWarning,
    answer_names,
)
from contracts.ask import AskRequest, AskResponse, Timings
from contracts.retrieve import RetrieveRequest, RetrieveResponse
from contracts.rewrite import KnowledgeFormat, RewriteRequest, RewriteResponse, TokenUsage
from language.english.morphology import counted
from language.english.relation_words import calling
from services.answerer.answer_checks import check_answer, with_copied_names
from services.answerer.answer_sentences import path_sentence
from services.answerer.answer_text import MAX_NAMED_ANSWERS, is_list
from services.answerer.answer_threshold import AnswerThreshold
from services.answerer.citations import with_citations
from services.answerer.knowledge import as_knowledge, bare_facts, said_evidence, shown_evidence
from services.answerer.plan_answers import plan_answer
from services.answerer.prompts import I_DO_NOT_KNOW, answer_prompt
from shared.errors import DependencyError, KGQAError
from shared.exact_match import named
from shared.llm.client import LanguageModel
from shared.llm.metering import metered
from shared.llm.prompt_escaping import unescape_completion
from shared.llm.usage import Usage
from shared.tracing.tracer import traced
from texts.verbalise.formats import render
from texts.verbalise.paragraph import as_paragraph

MAX_ANSWER_TOKENS = 200
# Texts that were replaced although all parts work.
_REPLACEMENTS = {
    UNSUPPORTED_ANSWER: ReplyWarning(
        kind=UNSUPPORTED_ANSWER,
        text="The evidence did not support the QA model's text, so the answer was written without it.",
    ),
    UNFAITHFUL_TEXT: ReplyWarning(
        kind=UNFAITHFUL_TEXT, text="Grammar worded the evidence, because the model's text was not faithful."
    ),
}
log = logging.getLogger(__name__)


class Retrieval(Protocol):
    """Retrieve answers and evidence, over HTTP or in process."""

    async def retrieve(self, request: RetrieveRequest) -> RetrieveResponse:
        """Retrieve answers and their evidence from the graph.

        Args:
            request: The question, and the limits of the search.

        Returns:
            Answers with evidence, best first; no answers if the graph cannot answer the question.

        Raises:
            UnknownEntityError: If the graph lacks the given topic entity.
            DependencyError: If the retriever or its graph does not respond.
        """
        ...


class Rewriting(Protocol):
    """Rewrite evidence as text, over HTTP or in process."""

    async def rewrite(self, request: RewriteRequest) -> RewriteResponse:
        """Rewrite evidence as text.

        Args:
            request: The items of evidence, and the format of the text.

        Returns:
            One text for each item, in order.

        Raises:
            KGQAError: If the rewriter does not respond, or rejects the request.
        """
        ...


@dataclass(frozen=True, slots=True)
class Found:
    """A question, what the retriever found for it, and the seconds that this took."""

    request: AskRequest
    retrieved: RetrieveResponse
    seconds: float


@dataclass(frozen=True, slots=True)
class Asker:
    """Answer questions, with evidence from the graph. Safe for concurrent use.

    Args:
        retrieval: The retriever.
        rewriting: The rewriter. If it fails, grammar verbalises the evidence.
        qa_model: The language model that answers. If it does not respond, or is None, grammar writes the answer.
        on_answer: Called with each question and its reply.
        cost_of_wrong: How many right answers a wrong one outweighs for callers who do not say; None leaves it to the
            retriever from which confidence on there is an answer.

    Example:
        >>> response = await Asker(retrieval, rewriting, model).ask(AskRequest(question="Who directed Heat?"), "id")
        >>> response.answer
        "Michael Mann directed Heat."
    """

    retrieval: Retrieval
    rewriting: Rewriting
    qa_model: LanguageModel | None
    on_answer: Callable[[Found, AskResponse], None] | None = None
    cost_of_wrong: float | None = None

    async def ask(self, request: AskRequest, request_id: str) -> AskResponse:
        """Answer one question.

        Args:
            request: The question and its options.
            request_id: The ID to include in the response.

        Returns:
            The answer with its evidence. `degraded` lists each part that was unavailable, such as `qa_model`.

        Raises:
            UnknownEntityError: If the graph lacks the given topic entity.
            DependencyError: If the retriever does not respond.
        """
        return await self.answer(await self.find(request), request_id)

    async def find(self, request: AskRequest) -> Found:
        """Retrieve the answers to a question from the graph, the first half of `ask`."""
        started = time.perf_counter()
        with traced("retrieve") as span:
            span.set_contents(question=request.question)
            retrieved = await self.retrieval.retrieve(self._retrieve_request(request))
            span.set(strategy=retrieved.strategy, answers=len(retrieved.answers), confidence=retrieved.confidence)
        return Found(request, retrieved, time.perf_counter() - started)

    def _retrieve_request(self, request: AskRequest) -> RetrieveRequest:
        threshold = AnswerThreshold.of(request, self.cost_of_wrong)
        fields = request.model_dump(include=set(RetrieveRequest.model_fields) - {"min_confidence"})
        return RetrieveRequest(
            **fields, min_confidence=threshold.min_confidence, is_default_confidence=threshold.is_default
        )

    async def answer(self, found: Found, request_id: str) -> AskResponse:
        """Put what was found into words, the second half of `ask`."""
        with calling(found.retrieved.said):
            response = with_citations(await self._response(found, request_id))
        if self.on_answer:
            self.on_answer(found, response)
        return response

    async def _response(self, found: Found, request_id: str) -> AskResponse:
        request, retrieved = found.request, found.retrieved
        times = [time.perf_counter()]
        with traced("rewrite"):
            rewritten = await self._rewrite(request, retrieved)
        times.append(time.perf_counter())
        with metered() as meter, traced("answer") as span:
            answer = await self._answer(request, retrieved, rewritten)
            span.set(abstained=not retrieved.answers)
            span.set_contents(answer=answer.text)
        times.append(time.perf_counter())
        rewriting, answering = (1000 * (end - start) for start, end in pairwise(times))
        evidence = reply_evidence(request, retrieved, rewritten.texts)
        faults = [*rewritten.degraded, *answer.problems]
        return AskResponse(
            answer=answer.text,
            answer_type=retrieved.answer_type,
            answers=listed_answers(retrieved, evidence),
            columns=retrieved.columns,
            rows=retrieved.rows,
            truncated=retrieved.truncated,
            confidence=retrieved.confidence,
            abstained=not retrieved.answers,
            alternatives=retrieved.alternatives,
            unread=retrieved.unread,
            trusted=retrieved.trusted,
            clarification=retrieved.clarification,
            plan=retrieved.plan,
            topic_entities=retrieved.topic_entities,
            hops=retrieved.hops,
            relation_paths=retrieved.relation_paths,
            evidence=evidence,
            omitted_evidence=_supporting(retrieved) - len(evidence),
            warnings=[
                *retrieved.warnings,
                *(_REPLACEMENTS[fault] for fault in faults if fault in _REPLACEMENTS),
                *answer.warnings(),
            ],
            degraded=[fault for fault in faults if fault not in _REPLACEMENTS],
            usage=_total(rewritten.usage, meter.usage),
            strategy=retrieved.strategy,
            strategy_reason=retrieved.strategy_reason,
            said=retrieved.said,
            timings_ms=Timings(
                link=retrieved.link_ms,
                retrieve=max(0.0, 1000 * found.seconds - retrieved.link_ms),
                rewrite=rewriting,
                answer=answering,
                total=1000 * (found.seconds + times[-1] - times[0]),
            ),
            request_id=request_id,
        )

    async def _rewrite(self, request: AskRequest, retrieved: RetrieveResponse) -> RewriteResponse:
        if not retrieved.answers or retrieved.plan_evidence or request.format is KnowledgeFormat.NONE:
            return RewriteResponse(texts=[], degraded=[], cached=0)
        evidence = said_evidence(shown_evidence(retrieved, request.max_paths))
        try:
            return await self.rewriting.rewrite(
                RewriteRequest(evidence=evidence, format=request.format, graph_version=retrieved.graph_version)
            )
        except KGQAError as error:
            log.warning("answering without the rewriter: %s", error.detail)
            texts = [render(item.triples, KnowledgeFormat.TEXT) for item in evidence]
            return RewriteResponse(texts=texts, degraded=["rewriter"], cached=0)

    async def _answer(
        self, request: AskRequest, retrieved: RetrieveResponse, rewritten: RewriteResponse
    ) -> "_AnswerText":
        """Return the answer, and what was unavailable or replaced.

        If the QA model's text fails the checks, the model is asked once more, with only the bare facts. If the second
        text fails too, a sentence written by grammar replaces it. That sentence also replaces a text that omits answers
        or that is a bare list. The model is not asked for a list of which it would see only a part.
        """
        if not retrieved.answers:
            return _AnswerText(I_DO_NOT_KNOW)
        if not retrieved.relation_paths:
            return _AnswerText(plan_answer(retrieved))
        best, sentence = answer_names(retrieved.answers), path_sentence(retrieved)
        if self.qa_model is None or len(best) > MAX_NAMED_ANSWERS:
            return _AnswerText(sentence)
        attempts = [as_knowledge([rewritten.text] if rewritten.text else rewritten.texts, request.format)]
        if request.format is not KnowledgeFormat.NONE:
            attempts.append(bare_facts(retrieved, request.max_paths))
        try:
            for knowledge in dict.fromkeys(attempts):
                written = await _complete(self.qa_model, knowledge, request.question)
                text = with_copied_names(written, request.question, retrieved)
                if problems := check_answer(text, request.question, retrieved):
                    log.info("the QA model's text has %s", counted(len(problems), "problem"))
                    continue
                is_whole = len(named(text, best)) == len(best) and not is_list(text, best)
                return _AnswerText(text if is_whole else sentence)
        except DependencyError as error:
            log.warning("answering without the QA model: %s", error.detail)
            return _AnswerText(sentence, (QA_MODEL,), error.public_detail)
        return _AnswerText(sentence, (UNSUPPORTED_ANSWER,))


@dataclass(frozen=True, slots=True)
class _AnswerText:
    """Hold the text of an answer, the names of what was unavailable or replaced, and why the QA model failed."""

    text: str
    problems: tuple[str, ...] = ()
    failure: str = ""

    def warnings(self) -> list[ReplyWarning]:
        """Return what the reader should know about a QA model that failed."""
        text = f"The answer was written without the QA model, because {self.failure}."
        return [ReplyWarning(kind=QA_MODEL, text=text)] if self.failure else []


async def _complete(model: LanguageModel, knowledge: str, question: str) -> str:
    text = await model.complete(answer_prompt(knowledge, question), max_tokens=MAX_ANSWER_TOKENS)
    return unescape_completion(text, knowledge, question)


def _supporting(retrieved: RetrieveResponse) -> int:
    """Return the number of items of evidence that support the answers; these items come first."""
    if retrieved.plan_evidence:
        return len(retrieved.plan_evidence)
    return max((index + 1 for answer in retrieved.answers for index in answer.evidence), default=0)


def reply_evidence(request: AskRequest, retrieved: RetrieveResponse, texts: list[str]) -> list[Evidence]:
    """Return the evidence for the answers; grammar verbalises the items that have no text yet."""
    if retrieved.plan_evidence:
        return retrieved.plan_evidence[: request.max_evidence]
    items = retrieved.evidence[: min(_supporting(retrieved), request.max_evidence)]
    written = [texts[place] if place < len(texts) else "" for place in range(len(items))]
    return [
        Evidence(triples=item.triples, text=text or render(item.triples, request.format) or as_paragraph(item.triples))
        for item, text in zip(items, written, strict=True)
    ]


def listed_answers(retrieved: RetrieveResponse, evidence: Sequence[Evidence]) -> list[Answer]:
    """Return the answers without the indexes of evidence that the reply does not list."""
    return [
        answer.supported_by([index for index in answer.evidence if index < len(evidence)])
        for answer in retrieved.answers
    ]


def _total(texts: TokenUsage, answer: Usage) -> TokenUsage:
    return TokenUsage(
        prompt_tokens=texts.prompt_tokens + answer.prompt_tokens,
        completion_tokens=texts.completion_tokens + answer.completion_tokens,
    )
