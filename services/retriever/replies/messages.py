"""Write replies as the message that other services read."""

from collections.abc import Iterator, Mapping
from typing import Any

from contracts.answers import Answer
from contracts.retrieve import Hops, RetrieveResponse
from services.retriever.replies.reply import AnyReply, FoundAnswer, PathReply, PlanReply, Reply


def as_message(reply: AnyReply) -> RetrieveResponse:
    """Write a reply of any kind."""
    return path_message(reply) if isinstance(reply, PathReply) else plan_message(reply)


def path_message(reply: PathReply) -> RetrieveResponse:
    """Write a reply by relation paths."""
    hops = reply.hop_probabilities
    return RetrieveResponse(
        **_common(reply),
        hops=Hops(predicted=hops.index(max(hops)), probabilities=list(hops)),
        relation_paths=list(reply.paths),
        other_answers=[_answer(one) for one in reply.other_answers],
        evidence=list(reply.evidence),
    )


def plan_message(reply: PlanReply) -> RetrieveResponse:
    """Write a reply by a plan, which predicts no hops."""
    return RetrieveResponse(
        **_common(reply),
        hops=None,
        relation_paths=[],
        other_answers=[],
        evidence=[],
        columns=list(reply.columns),
        rows=[list(row) for row in reply.rows],
        plan_evidence=list(reply.evidence),
        durations=list(reply.durations),
        trusted=reply.trusted,
    )


def used_names(response: RetrieveResponse, names: Mapping[str, str]) -> dict[str, str]:
    """Return those of the names, by stored name, whose elements occur in a reply."""
    triples = [triple for item in response.evidence for triple in item.triples]
    triples += [triple for item in response.plan_evidence for triple in item.triples]
    used = {triple.relation for triple in triples} | {one.kind for one in response.answers if one.kind}
    used |= {*response.columns, *(relation for one in response.relation_paths for relation in one.relations)}
    used |= set(_texts(response.plan.steps)) if response.plan else set()
    return {name: said for name, said in names.items() if name in used or f"^{name}" in used}


def _texts(data: Any) -> Iterator[str]:
    """Yield all texts in JSON."""
    if isinstance(data, str):
        yield data
    elif isinstance(data, dict | list | tuple):
        for one in data.values() if isinstance(data, dict) else data:
            yield from _texts(one)


def _common(reply: Reply) -> dict[str, Any]:
    """Return the fields that do not depend on what answers."""
    return {
        "topic_entities": list(reply.topics),
        "answers": [_answer(one) for one in reply.answers],
        "plan": reply.plan,
        "confidence": reply.confidence,
        "alternatives": list(reply.alternatives),
        "truncated": reply.truncated,
        "warnings": list(reply.warnings),
        "graph_version": reply.graph_version,
        "link_ms": reply.link_ms,
        "retrieve_ms": reply.retrieve_ms,
        "answer_type": reply.answer_type,
        "unread": list(reply.unread),
        "strategy": reply.strategy,
        "strategy_reason": reply.strategy_reason,
        "clarification": reply.clarification,
    }


def _answer(found: FoundAnswer) -> Answer:
    return Answer(
        value=found.value,
        id=found.id,
        kind=found.kind,
        detail=found.detail,
        score=found.score,
        evidence=list(found.evidence),
    )
