"""One question, from plain language to a supported answer (RRA, figure 3)."""

import logging
import re
import time
from dataclasses import dataclass
from itertools import accumulate, takewhile
from typing import Protocol

from services.answerer.answer_checks import HOW_MANY, SAYS_MORE, doubts, is_list, more_clauses
from services.answerer.prompts import I_DO_NOT_KNOW, answer_prompt
from shared.contracts import (
    AskRequest,
    AskResponse,
    Evidence,
    EvidenceTriples,
    KnowledgeFormat,
    RetrieveRequest,
    RetrieveResponse,
    RewriteRequest,
    RewriteResponse,
    Timings,
    answer_set,
)
from shared.errors import DependencyError, KGQAError
from shared.exact_match import named
from shared.llm.client import LanguageModel
from shared.llm.prompt_escaping import unescape_completion
from shared.verbalise.formats import as_triples, separator
from shared.verbalise.template import as_sentences, join_names

log = logging.getLogger(__name__)

MAX_ANSWER_TOKENS = 200
CLOSE_SHARE = 0.2
_COUNTS_MORE = re.compile(rf"(?<=\band ){HOW_MANY}", re.IGNORECASE)
_MORE_CLAUSE = re.compile(rf"(?:,? and|[,;])? {HOW_MANY}", re.IGNORECASE)
MAX_NAMED_ANSWERS = 20

# In letters of English, of which three or four are a token: a small model loses itself in more, and takes seconds to
# read it. A byte of another script weighs as much as three.
MAX_KNOWLEDGE = 6_000


class Retrieval(Protocol):
    """The retriever, over HTTP or in process."""

    async def retrieve(self, request: RetrieveRequest) -> RetrieveResponse:
        """What the graph holds for a question."""
        ...


class Rewriting(Protocol):
    """The rewriter, over HTTP or in process."""

    async def rewrite(self, request: RewriteRequest) -> RewriteResponse:
        """One text for each item of evidence."""
        ...


@dataclass(frozen=True, slots=True)
class Asker:
    """The whole pipeline of one question: retrieve, rewrite, answer."""

    retrieval: Retrieval
    rewriting: Rewriting
    qa_model: LanguageModel

    async def ask(self, request: AskRequest, request_id: str) -> AskResponse:
        """Answer one question.

        Raises UnknownEntityError for a given topic entity that the graph does not have, DependencyError when the
        retriever does not answer. Without the rewriter or the QA model the grounded answers are given all the same,
        and `degraded` says so.
        """
        started = time.perf_counter()
        retrieved = await self.retrieval.retrieve(
            RetrieveRequest(**request.model_dump(include=set(RetrieveRequest.model_fields)))
        )
        retrieved_at = time.perf_counter()
        knowledge = await self._verbalise(request, retrieved)
        rewritten_at = time.perf_counter()
        answer, degraded = await self._answer(request, retrieved, knowledge.texts)
        answered_at = time.perf_counter()
        return AskResponse(
            answer=answer,
            answers=retrieved.answers,
            truncated=retrieved.truncated,
            confidence=retrieved.confidence,
            abstained=not retrieved.answers,
            next_best=retrieved.next_best,
            topic_entities=retrieved.topic_entities,
            hops=retrieved.hops,
            relation_paths=retrieved.relation_paths,
            evidence=_with_texts(retrieved.evidence, knowledge.texts),
            degraded=[*knowledge.degraded, *degraded],
            timings_ms=Timings(
                link=retrieved.link_ms,
                retrieve=max(0.0, (retrieved_at - started) * 1000 - retrieved.link_ms),
                rewrite=(rewritten_at - retrieved_at) * 1000,
                answer=(answered_at - rewritten_at) * 1000,
                total=(answered_at - started) * 1000,
            ),
            request_id=request_id,
        )

    async def _verbalise(self, request: AskRequest, retrieved: RetrieveResponse) -> RewriteResponse:
        shown = shown_evidence(retrieved, request.max_paths)
        if not retrieved.answers or request.format is KnowledgeFormat.NONE:
            return RewriteResponse(texts=[], degraded=[], cached=0)
        try:
            return await self.rewriting.rewrite(
                RewriteRequest(evidence=shown, format=request.format, graph_version=retrieved.graph_version)
            )
        except KGQAError as error:
            log.warning("answering without the rewriter: %s", error.detail)
            return RewriteResponse(
                texts=[as_sentences(item.triples) for item in shown], degraded=["rewriter"], cached=0
            )

    async def _answer(
        self, request: AskRequest, retrieved: RetrieveResponse, texts: list[str]
    ) -> tuple[str, list[str]]:
        """The QA model's text if `doubts` has nothing against it; asked once more with bare facts if it has.

        A text that leaves answers out without saying so gives way to their enumeration, which lacks nothing.
        """
        if not retrieved.answers:
            return I_DO_NOT_KNOW, []
        best = answer_set(retrieved.answers)
        tried = [as_knowledge(texts, request.format)]
        if request.format is not KnowledgeFormat.NONE:
            tried.append(_bare_facts(retrieved, request.max_paths))
        try:
            for knowledge in dict.fromkeys(tried):
                text = await self._complete(request.question, knowledge)
                said = named(text, best)
                text = counted(text, said, best)
                if not (found := doubts(text, request.question, retrieved)):
                    if len(said) == len(best) or more_clauses(text, best):
                        return text, []
                    log.info("the QA model's text names %d of %d answers; enumerating them", len(said), len(best))
                    return name_answers(best), []
                log.info("the QA model's text has %d faults", len(found))
        except DependencyError as error:
            log.warning("answering without the QA model: %s", error.detail)
            return name_answers(best), ["qa_model"]
        return name_answers(best), ["unsupported_answer"]

    async def _complete(self, question: str, knowledge: str) -> str:
        text = await self.qa_model.complete(answer_prompt(knowledge, question), max_tokens=MAX_ANSWER_TOKENS)
        return unescape_completion(text, knowledge, question)


def counted(text: str, said: list[str], answers: list[str]) -> str:
    """The text with the right number of answers that it leaves out, where it says that there are more or has to.

    The model sees a part of a long list, and cannot know how long it is. `said`: the answers that the text names.
    """
    left_out = len(answers) - len(said)
    is_name = any(SAYS_MORE.search(name) for name in said)  # `The Others`
    if left_out == 0 or is_name:
        return text
    if not SAYS_MORE.search(text) and len(answers) > MAX_NAMED_ANSWERS:
        return (
            join_names([*said, f"{left_out} more"])
            if is_list(text, said)
            else f"{text.rstrip('. ')} and {left_out} more"
        )
    # A small model may count twice: `A, B, 9 more and 9 more`.
    before, *clauses = _MORE_CLAUSE.split(text)
    if len(clauses) > 1 and not "".join(clauses).strip(" ."):
        return f"{before} and {left_out} more"
    if len(_COUNTS_MORE.findall(text)) != 1:
        return text
    return _COUNTS_MORE.sub(lambda found: f"{left_out} {found[0].split()[-1]}", text)


def name_answers(entities: list[str]) -> str:
    """The answer set as a plain enumeration, for when there is no QA model's text to give, or not of all of it."""
    rest = len(entities) - MAX_NAMED_ANSWERS
    return join_names([*entities[:MAX_NAMED_ANSWERS], *([f"{rest} more"] if rest > 0 else [])])


def as_knowledge(texts: list[str], knowledge_format: KnowledgeFormat) -> str:
    """The texts of all items as one, cut where the QA model's context would not hold it."""
    knowledge = separator(knowledge_format).join(texts)
    weights = accumulate(
        1 if character.isascii() else 3 * len(character.encode(errors="replace")) for character in knowledge
    )
    fits = sum(1 for _ in takewhile(lambda weight: weight <= MAX_KNOWLEDGE, weights))
    return knowledge if fits == len(knowledge) else knowledge[:fits].rsplit(" ", 1)[0]


def shown_evidence(retrieved: RetrieveResponse, max_paths: int) -> list[EvidenceTriples]:
    """What is put before the QA model: at most `max_paths` items, with answers nearly as likely as the best.

    The rest would only mislead it.
    """
    floor = CLOSE_SHARE * max((answer.score for answer in retrieved.answers), default=0.0)
    last = max((index for a in retrieved.answers if a.score >= floor for index in a.evidence), default=-1)
    return retrieved.evidence[: min(last + 1, max_paths)]


def _with_texts(evidence: list[EvidenceTriples], texts: list[str]) -> list[Evidence]:
    padded = texts + [""] * (len(evidence) - len(texts))
    return [Evidence(triples=item.triples, text=text) for item, text in zip(evidence, padded, strict=True)]


def _bare_facts(retrieved: RetrieveResponse, max_paths: int) -> str:
    """The triples behind the answer set alone: no wording and no lower path to be misled by."""
    best = retrieved.answers[0].score
    behind = dict.fromkeys(index for a in retrieved.answers if a.score == best for index in a.evidence)
    texts = [as_triples(retrieved.evidence[index].triples) for index in list(behind)[:max_paths]]
    return as_knowledge(texts, KnowledgeFormat.TRIPLES)
