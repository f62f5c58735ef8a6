"""Collect what the owner of a graph calls its elements, for texts that people read."""

from graph.plan.meaning import PROPERTIES, Meanings
from language.english.measures import with_unit_name
from language.english.relation_words import in_words


def said_names(meanings: Meanings) -> dict[str, str]:
    """Return the first name of each element by its stored name; numbers keep their units.

    Where several elements share a stored name, what is said in general comes before what is said of one kind.
    """
    found: dict[str, str] = {}
    for address, meaning in sorted(meanings.items(), key=lambda one: len(one[0])):
        stored = address[-1]
        name = meaning.names[0] if meaning.names else ""
        if PROPERTIES in address and (name or meaning.unit):
            name = with_unit_name(name or in_words(stored), stored, meaning.unit)
        if name:
            found.setdefault(stored, name)
    return found
