"""Provide a retriever and a rewriter with fixed responses, for tests of the answerer."""

from collections.abc import Sequence

from contracts.answers import Answer, AnswerType, EvidenceTriples
from contracts.plans import QueryPlan
from contracts.retrieve import Alternative, Hops, RetrieveRequest, RetrieveResponse, ScoredPath, TopicEntity
from contracts.rewrite import KnowledgeFormat, RewriteRequest, RewriteResponse
from shared.errors import KGQAError
from shared.triple import Triple
from texts.verbalise.formats import as_triples

_BORDERS = Alternative(
    plan="France -borders-> answer",
    topic_entity="France",
    relations=["borders"],
    score=0.05,
    answers=["Spain"],
    more=2,
)


def capital_of_france(*more_answers: Answer, others: Sequence[Answer] = ()) -> RetrieveResponse:
    """Return a retriever's response to a question about the capital of France."""
    triple = Triple("France", "capital", "Paris")
    return RetrieveResponse(
        topic_entities=[TopicEntity(entity="France", id="France", mention="France", score=1.0)],
        hops=Hops(predicted=1, probabilities=[0.0, 1.0]),
        relation_paths=[ScoredPath(relations=["capital"], score=0.9)],
        answers=[Answer(value="Paris", id="Paris", score=0.9, evidence=[0]), *more_answers],
        other_answers=list(others),
        evidence=[EvidenceTriples(triples=[triple])],
        confidence=0.9,
        alternatives=[_BORDERS],
        plan=QueryPlan(text='match "France" -capital-> answer → distinct answer', steps=[]),
        warnings=[],
        truncated=False,
        graph_version="1",
        link_ms=0.1,
        retrieve_ms=0.2,
        answer_type=AnswerType.ENTITIES,
    )


def nothing_found() -> RetrieveResponse:
    """Return a retriever's response to a question that the graph cannot answer."""
    empty: dict[str, object] = {"relation_paths": [], "answers": [], "evidence": [], "plan": None, "confidence": 0.1}
    empty["answer_type"] = None
    return capital_of_france().model_copy(update=empty)


class FakeRetrieval:
    """Return the same response, or raise the same error, for every question."""

    def __init__(self, outcome: RetrieveResponse | KGQAError) -> None:
        self._outcome = outcome
        self.requests: list[RetrieveRequest] = []

    async def retrieve(self, request: RetrieveRequest) -> RetrieveResponse:
        self.requests.append(request)
        if isinstance(self._outcome, KGQAError):
            raise self._outcome
        return self._outcome


class FakeRewriting:
    """Return triples if requested, otherwise a sentence with each item's first object; or always raise an error."""

    def __init__(self, error: KGQAError | None = None, degraded: tuple[str, ...] = ()) -> None:
        self._error = error
        self._degraded = degraded
        self.requests: list[RewriteRequest] = []

    async def rewrite(self, request: RewriteRequest) -> RewriteResponse:
        self.requests.append(request)
        if self._error:
            raise self._error
        is_triples = request.format is KnowledgeFormat.TRIPLES
        texts = [
            as_triples(item.triples) if is_triples else f"It is {item.triples[0].object}." for item in request.evidence
        ]
        return RewriteResponse(texts=texts, degraded=list(self._degraded), cached=0)
