"""Say which names with other numbers the graph has if it lacks a name such as `Gate 12`."""

from contracts.answers import ReplyWarning
from graph.store import GraphStore
from language.marks import Mark
from language.question import Question

_STEPS = (-1, 1, -2, 2, -3, 3)
_MOST = 2


async def missing_numbers(store: GraphStore, question: Question) -> list[ReplyWarning]:
    """Return a warning for each name with a number that the graph lacks, although it has names with near numbers.

    Raises DependencyError if the store does not respond.
    """
    warnings = []
    for found in question.all(Mark.NUMBERED_NAME)[:_MOST]:
        word, joint, digits = (part or "" for part in found.parts)
        numbers = (int(digits) + step for step in _STEPS)
        near = [f"{word}{joint}{str(number).zfill(len(digits))}" for number in numbers if number >= 0]
        [exact, *others] = await store.entities_named([found.text, *near])
        names = sorted(one[0].entity.name for one in [*others] if one)[: 2 * _MOST]
        if names and not exact:
            text = f"The graph has no entity named {found.text}; it has {_listed(names)}."
            warnings.append(ReplyWarning(kind="unknown_name", text=text))
    return warnings


def _listed(names: list[str]) -> str:
    *before, last = names
    return f"{', '.join(before)} and {last}" if before else last
