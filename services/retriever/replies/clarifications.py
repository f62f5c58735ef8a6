"""Ask back which of several entities a name means."""

from collections import Counter
from collections.abc import Mapping, Sequence

from contracts.retrieve import Choice, Clarification, TopicEntity
from shared.text import readable


def clarification(namesakes: Sequence[TopicEntity], kinds: Mapping[str, str]) -> Clarification | None:
    """Ask which of some entities with the same name is meant; None if there is one at most, or if no name is written.

    Args:
        namesakes: The entities.
        kinds: Their kinds, by their ids.

    Example:
        >>> clarification(topics, {}).choices[0]
        Choice(text='Ann Lee (born 1956)', means={'Ann Lee': 'p1'})
    """
    mention = namesakes[0].mention if namesakes else None
    if mention is None or len(namesakes) < 2:
        return None
    are_of_one_kind = len({kinds.get(one.id) for one in namesakes}) == 1
    said = {} if are_of_one_kind else kinds
    texts = [_described(one, one.detail or readable(said.get(one.id, ""))) for one in namesakes]
    uses = Counter(texts)
    choices = [
        Choice(text=text if uses[text] == 1 else _described(one, one.id), means={mention: one.id})
        for one, text in zip(namesakes, texts, strict=True)
    ]
    return Clarification(question=f"Which {mention} do you mean?", choices=choices)


def _described(entity: TopicEntity, detail: str) -> str:
    return f"{entity.entity} ({detail})" if detail else entity.entity
