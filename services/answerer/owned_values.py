"""Word the values of a result that has the node of each value beside it."""

from collections.abc import Sequence

from graph.plan.algebra import Column, Plan, Project, Property, Variable
from language.english.morphology import counted, is_participle
from texts.verbalise.template import join_names

_MAX_VALUES, _MAX_OWNERS = 10, 5
_VALUE, _MISSING = "value", "none"


def gives_owners(plan: Plan) -> bool:
    """Return whether a plan gives a property of nodes, and these nodes in a second column."""
    match plan.steps[-1:]:
        case (Project(columns=(Column(value=Property(variable=owner)), Column(value=Variable(name)))),):
            return owner == name
    return False


def owned_values_sentence(noun: str, rows: Sequence[tuple[str | None, str]]) -> str:
    """State each value once, with the nodes that it belongs to; of many, the first ones.

    Args:
        noun: What a value is, in the singular; empty if there is no word for it.
        rows: The values in words, None if one is missing, each with the name of its node.

    Example:
        >>> owned_values_sentence("day rate", [("150", "Cid"), ("150", "Eve"), (None, "Dan")])
        'The graph lists 1 day rate: 150 (Cid and Eve) and none (Dan).'
    """
    owners: dict[str, list[str]] = {}
    for value, owner in rows:
        if value is not None:
            owners.setdefault(value, []).append(owner)
    number = len(owners)
    if missing := [owner for value, owner in rows if value is None]:
        owners[_MISSING] = missing
    noun = _VALUE if not noun or is_participle(noun.split()[-1]) else noun
    shown = [f"{value} ({join_names(_first(names, _MAX_OWNERS))})" for value, names in owners.items()]
    listed = join_names(_first(shown, _MAX_VALUES), bare=[*owners][:_MAX_VALUES])
    return f"The graph lists {counted(number, noun)}: {listed}."


def _first(texts: Sequence[str], most: int) -> list[str]:
    return [*texts[:most], f"{len(texts) - most} more"] if len(texts) > most else [*texts]
