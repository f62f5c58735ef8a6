"""Score candidate paths, extract the confidence features, and rescale the scores to match the confidence."""

import math
from collections.abc import Sequence
from dataclasses import replace

from language.question import Question
from services.retriever.linking.masking import MASK, masked_question
from services.retriever.linking.selection import LinkedTopic
from services.retriever.paths.confidence import ConfidenceFeatures
from services.retriever.paths.path_predictor import PathPrediction
from services.retriever.paths.sampling import CandidatePath, WalkedPath
from shared.text import words

# Candidates that score below this fraction of the best score are not walked.
_MIN_SHARE = 1e-6


def score_candidates(topics: Sequence[LinkedTopic], predictions: Sequence[PathPrediction]) -> list[CandidatePath]:
    """Score each pair of topic entity and predicted path as link score x path score.

    Every topic has some likely path, so these scores alone do not separate the right topic from the others. Each score
    is therefore multiplied by the square root of the first step's probability given only the question's words, relative
    to the likeliest first step. Candidates that score far below the best one are dropped.
    """
    pairs = [
        (topic, path, prediction.first_step_probabilities.get(path.relations[0], 1.0))
        for topic, prediction in zip(topics, predictions, strict=False)
        for path in prediction.paths
    ]
    likeliest = max((first_step for _, _, first_step in pairs), default=1.0)
    candidates = [
        CandidatePath(topic, path, topic.score * path.score * math.sqrt(first_step / likeliest))
        for topic, path, first_step in pairs
    ]
    best = max((candidate.score for candidate in candidates), default=0.0)
    return [candidate for candidate in candidates if candidate.score >= best * _MIN_SHARE]


def confidence_features(
    question: Question,
    topics: Sequence[LinkedTopic],
    predictions: Sequence[PathPrediction],
    walked: Sequence[WalkedPath],
    known_words: frozenset[str],
) -> ConfidenceFeatures | None:
    """Extract the features of the best walked candidate, or return None if there is no candidate."""
    if not walked:
        return None
    best = walked[0].candidate
    coverage = predictions[topics.index(best.topic)].coverage
    unanswerable = max(t.score * p.unanswerable for t, p in zip(topics, predictions, strict=True))
    outside_mention = masked_question(question.text, best.topic.mention).replace(MASK, " ")
    return ConfidenceFeatures(
        path_share=best.path.score / coverage,
        coverage=coverage,
        link_score=best.topic.score,
        runner_up_ratio=_runner_up_score(walked) / best.score,
        unanswerable_ratio=unanswerable / best.score,
        oov_rate=oov_rate(words(outside_mention), known_words),
        correction=best.topic.correction,
    )


def oov_rate(words: Sequence[str], known: frozenset[str]) -> float:
    """Return the fraction of words that are out of vocabulary, or 0 if there are no words or no vocabulary."""
    return sum(word not in known for word in words) / len(words) if words and known else 0.0


def rescale(walked: Sequence[WalkedPath], confidence: float) -> list[WalkedPath]:
    """Set the best candidate's score to the confidence, and divide the remainder proportionally among the others."""
    others = sum(candidate.score for candidate, _ in walked[1:])
    best = walked[0].candidate.score if walked else 1.0
    rescaled = []
    for place, (candidate, walk) in enumerate(walked):
        score = (1.0 - confidence) * candidate.score / others if place else confidence
        rescaled.append(WalkedPath(replace(candidate, score=min(score, confidence * candidate.score / best)), walk))
    return rescaled


def _runner_up_score(walked: Sequence[WalkedPath]) -> float:
    """Return the score of the next-best candidate that reaches different answers, or 0 if there is none."""
    best = _answer_ids(walked[0])
    return next((path.candidate.score for path in walked[1:] if _answer_ids(path) != best), 0.0)


def _answer_ids(path: WalkedPath) -> set[str]:
    return {reached.entity.id for reached in path.walk.reached}
