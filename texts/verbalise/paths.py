"""Write a path between two things as text."""

from collections.abc import Sequence

from shared.triple import Triple


def path_text(names: Sequence[str], facts: Sequence[Triple]) -> str:
    """Write a path from node to node, with an arrow in the direction of each relationship.

    Args:
        names: The names of the nodes, in order.
        facts: The relationships between them, in order.

    Example:
        >>> path_text(["Bern", "Europe"], [Triple("Bern", "located_in", "Europe")])
        'Bern -located_in-> Europe'
    """
    text = names[0]
    for fact, before, name in zip(facts, names, names[1:], strict=False):
        is_forward = (fact.subject, fact.object) == (before, name)
        text += f" -{fact.relation}-> {name}" if is_forward else f" <-{fact.relation}- {name}"
    return text
