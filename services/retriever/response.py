"""Build the retriever's response."""

from collections.abc import Sequence

from services.retriever.execution.sampling import Sample, WalkedPath
from services.retriever.linking.selection import LinkedTopic
from services.retriever.prediction.path_predictor import PathPrediction
from shared.contracts import Answer, Hops, Interpretation, RetrieveResponse, ScoredPath, TopicEntity

_MAX_PATHS = 20
_MAX_NEXT_BEST = 3
# Answers and alternative interpretations that score below this are not listed.
_MIN_SCORE = 0.01


def build_response(
    question: str,
    topics: Sequence[LinkedTopic],
    predictions: Sequence[PathPrediction],
    ranked: Sequence[WalkedPath],
    sampled: Sample,
    *,
    confidence: float,
    graph_version: str,
    link_ms: float,
    retrieve_ms: float,
) -> RetrieveResponse:
    """Build the response from the results of all steps.

    `ranked` holds the walked paths with rescaled scores, best first. `sampled` holds their answers; it is empty if the
    question has no answer.
    """
    chosen = ranked[0].candidate.topic if sampled.answers else None
    hops = predictions[topics.index(chosen) if chosen else 0].hop_probabilities
    return RetrieveResponse(
        topic_entities=[_topic_entity(question, topic) for topic in sorted(topics, key=lambda one: one is not chosen)],
        hops=Hops(predicted=hops.index(max(hops)), probabilities=list(hops)),
        relation_paths=[
            ScoredPath(relations=list(candidate.path.relations), score=candidate.score)
            for candidate, _ in ranked
            if candidate.topic is chosen
        ][:_MAX_PATHS],
        answers=_listed(sampled.answers),
        evidence=sampled.evidence,
        confidence=confidence,
        next_best=_next_best(ranked[1:] if chosen else ranked),
        truncated=sampled.truncated,
        graph_version=graph_version,
        link_ms=link_ms,
        retrieve_ms=retrieve_ms,
    )


def _topic_entity(question: str, topic: LinkedTopic) -> TopicEntity:
    mention = question[topic.mention.start : topic.mention.end] if topic.mention else None
    return TopicEntity(entity=topic.entity.name, mention=mention, score=topic.score)


def _listed(answers: Sequence[Answer]) -> list[Answer]:
    """Return the answer set, followed by the answers from alternative interpretations that are likely enough."""
    floor = min(_MIN_SCORE, answers[0].score) if answers else 0.0
    return [answer for answer in answers if answer.score >= floor]


def _next_best(ranked: Sequence[WalkedPath]) -> list[Interpretation]:
    return [
        Interpretation(topic_entity=c.topic.entity.name, relations=list(c.path.relations), score=c.score)
        for c, _ in ranked[:_MAX_NEXT_BEST]
        if c.score >= _MIN_SCORE
    ]
