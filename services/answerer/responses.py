"""Build the answerer's response."""

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
    """Build the response to a question; evidence that the QA model did not see has an empty text.

    `times` holds clock readings in seconds: at the start, and after retrieval, rewriting, and answering.
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
