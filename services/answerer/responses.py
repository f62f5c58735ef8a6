"""Shape the answerer's response."""

from collections.abc import Sequence
from itertools import pairwise

from shared.contracts import AskResponse, Evidence, RetrieveResponse, Timings


def ask_response(
    answer: str,
    retrieved: RetrieveResponse,
    texts: Sequence[str],
    degraded: list[str],
    times: Sequence[float],
    request_id: str,
) -> AskResponse:
    """Build the response to a question.

    Args:
        answer: The text to give as the answer.
        retrieved: What the graph contains for the question.
        texts: The texts of the first items of evidence; the others were not put before the QA model.
        degraded: What the answer had to do without.
        times: The clock in seconds, at the start and after each of retrieval, rewriting, and answering.
        request_id: The id of the request.
    """
    retrieval, rewriting, answering = (1000 * (end - start) for start, end in pairwise(times))
    padded = [*texts, *[""] * (len(retrieved.evidence) - len(texts))]
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
        evidence=[
            Evidence(triples=item.triples, text=text) for item, text in zip(retrieved.evidence, padded, strict=True)
        ],
        degraded=degraded,
        timings_ms=Timings(
            link=retrieved.link_ms,
            retrieve=max(0.0, retrieval - retrieved.link_ms),
            rewrite=rewriting,
            answer=answering,
            total=1000 * (times[-1] - times[0]),
        ),
        request_id=request_id,
    )
