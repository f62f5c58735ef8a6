"""Select topic entities from scored matches."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from graph.store import Entity
from language.mentions import Mention
from services.retriever.linking.mention_scoring import ScoredMatch

MAX_TOPICS = 5
# Topics that score below this fraction of the best score are not worth a prediction.
_MIN_SHARE = 0.1
_MIN_SCORE = 0.03
# In nats: how much weaker than the strongest match another match may be by chance, and how strong a match must be to be
# plausible by itself.
_CHANCE = 3.0
_BELIEVABLE = 2.0
# In nats: the cost of being part of a longer name, and by how much the longer name may be weaker than its part.
_PART_OF_NAME = 4.0
_NO_WORSE = 1.5
# Bounds the pairwise comparison for very long questions.
_MAX_COMPARED = 200


@dataclass(frozen=True, slots=True)
class LinkedTopic:
    """Hold a possible topic entity, its mention if any, a score from 0 to 1, and a correction as in `ScoredMatch`."""

    entity: Entity
    mention: Mention | None
    score: float
    correction: float = 0.0


def select_topics(found: Sequence[ScoredMatch]) -> list[LinkedTopic]:
    """Select the best matches, scored relative to the strongest; all scores are low if even that one is implausible."""
    compared = _discount_parts(sorted(found, key=lambda match: -match.strength)[:_MAX_COMPARED])
    strongest = max((match.strength for match in compared), default=0.0)
    believability = -math.expm1(-max(0.0, strongest) / _BELIEVABLE)
    scores = [math.exp((match.strength - strongest) / _CHANCE) * believability for match in compared]
    return best_topics(
        LinkedTopic(match.entity, match.mention, score, match.correction)
        for match, score in zip(compared, scores, strict=True)
    )


def best_topics(topics: Iterable[LinkedTopic]) -> list[LinkedTopic]:
    """Return up to `MAX_TOPICS` distinct entities, best first, leaving out any that score far below the best."""
    best: dict[str, LinkedTopic] = {}
    for topic in sorted(topics, key=lambda topic: (-topic.score, topic.mention.start if topic.mention else 0)):
        best.setdefault(topic.entity.id, topic)
    ranked = list(best.values())[:MAX_TOPICS]
    return [topic for topic in ranked if topic.score >= max(_MIN_SCORE, _MIN_SHARE * ranked[0].score)]


def _discount_parts(found: Sequence[ScoredMatch]) -> list[ScoredMatch]:
    """Discount matches inside a longer mention that matches about as well: `New York` does not refer to York."""
    discounted = []
    for match in found:
        is_part = any(
            _contains(other.mention, match.mention) and other.strength >= match.strength - _NO_WORSE for other in found
        )
        discounted.append(replace(match, strength=match.strength - _PART_OF_NAME * is_part))
    return discounted


def _contains(longer: Mention, shorter: Mention) -> bool:
    return longer.start <= shorter.start and shorter.end <= longer.end and longer.words > shorter.words
