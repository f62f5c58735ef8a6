"""List the entities that the names of a question stand for, and say where a name has several."""

from collections.abc import Sequence

from contracts.answers import AMBIGUOUS_NAME, ReplyWarning
from contracts.retrieve import TopicEntity
from graph.store import Entity, GraphStore, NameMatch
from language.question import Question
from services.retriever.linking.meant_nodes import meant_matches
from services.retriever.linking.tell_apart import details_of

_MAX_CANDIDATES = 5
# An entity that far fewer facts mention than the best one is seldom meant.
_MIN_DEGREE = 0.2


async def named_entities(
    store: GraphStore, question: Question, mentions: Sequence[str]
) -> tuple[list[TopicEntity], list[ReplyWarning]]:
    """Look up the names in a question.

    Args:
        store: The graph.
        question: The question, which may say which entities its names mean.
        mentions: The names as the question has them.

    Returns:
        The entities of each name, those with the most facts first, and a warning for each name with several.

    Raises:
        DependencyError: The graph store does not respond.
    """
    if not mentions:
        return [], []
    named = zip(mentions, await store.entities_named(mentions), strict=True)
    found = [_likely(meant_matches(question, mention, matches)) for mention, matches in named]
    details = await details_of(store, [match.entity for matches in found for match in matches])
    topics, warnings = [], []
    for mention, matches in zip(mentions, found, strict=True):
        total = sum(match.degree + 1 for match in matches)
        topics += [
            TopicEntity(
                entity=match.entity.name,
                id=match.entity.id,
                detail=details.get(match.entity.id),
                mention=mention,
                score=(match.degree + 1) / total,
            )
            for match in matches
        ]
        if len(matches) > 1:
            listed = "; ".join(_described(match.entity, details.get(match.entity.id)) for match in matches)
            text = f"“{mention}” names {len(matches)} entities: {listed}."
            warnings.append(ReplyWarning(kind=AMBIGUOUS_NAME, text=text))
    return topics, warnings


def _likely(matches: Sequence[NameMatch]) -> list[NameMatch]:
    distinct = list({match.entity.id: match for match in reversed(matches)}.values())[::-1]
    most = max((match.degree for match in distinct), default=0)
    return [match for match in distinct if match.degree >= _MIN_DEGREE * most][:_MAX_CANDIDATES]


def _described(entity: Entity, detail: str | None) -> str:
    return f"{entity.name} ({detail})" if detail else entity.name
