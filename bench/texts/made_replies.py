"""Make replies of a retriever from facts, so that benchmarks can give the services evidence of their own."""

from collections.abc import Sequence

from contracts.answers import Answer, EvidenceTriples
from contracts.retrieve import Hops, RetrieveResponse, ScoredPath, TopicEntity

SCORE = 0.9
"""The score of the answers and the path, and the confidence."""


def made_reply(
    topic: str, path: Sequence[str], answers: Sequence[Answer], evidence: Sequence[EvidenceTriples]
) -> RetrieveResponse:
    """Return the reply that a relation path leads to from a topic entity."""
    return RetrieveResponse(
        topic_entities=[TopicEntity(entity=topic, id=topic, mention=topic, score=1.0)],
        hops=Hops(predicted=len(path), probabilities=[*[0.0] * len(path), 1.0]),
        relation_paths=[ScoredPath(relations=list(path), score=SCORE)],
        answers=list(answers),
        other_answers=[],
        evidence=list(evidence),
        plan=None,
        confidence=SCORE,
        alternatives=[],
        truncated=False,
        warnings=[],
        graph_version="bench",
        link_ms=0.0,
        retrieve_ms=0.0,
    )
