"""Find the columns of subject, relation, and object in the header of a table of facts."""

from collections.abc import Sequence

COLUMNS = ("subject", "relation", "object")
# The words that name the columns, the last ones in German, French, Spanish, and Italian.
_NAMES = (
    {"subject", "head", "s", "source", "subjekt", "sujet", "sujeto", "soggetto"},
    {"relation", "predicate", "p", "relationship", "prädikat", "prédicat", "predicado", "predicato"},
    {"object", "tail", "o", "target", "objekt", "objet", "objeto", "oggetto"},
)
# A first fact with such a relation is a header whose other columns have names of their own.
_RELATION_TITLES = _NAMES[1] - {"p"}


def column(title: str) -> int | None:
    """Return whether a title names the subject (0), the relation (1), the object (2), or none of them."""
    return next((column for column, names in enumerate(_NAMES) if title.strip().lower() in names), None)


def order_of(titles: Sequence[str]) -> list[int] | None:
    """Return the positions of subject, relation, and object, or None unless each of them has one title.

    Of several titles for one column, its standard name counts.

    Example:
        >>> order_of(["object", "relation", "subject"]), order_of(["", "subject", "predicate", "object", "source"])
        ([2, 1, 0], [1, 2, 3])
    """
    found: list[int] = []
    for number, standard in enumerate(COLUMNS):
        places = [place for place, title in enumerate(titles) if column(title) == number]
        if len(places) > 1:
            places = [place for place in places if titles[place].strip().lower() == standard]
        if len(places) != 1:
            return None
        found += places
    return found


def header_order(fields: Sequence[str]) -> list[int] | None:
    """Return the positions of subject, relation, and object if a first row is a header; None if it is a fact."""
    found = order_of(fields)
    if found is None and len(fields) == len(COLUMNS) and fields[1].strip().lower() in _RELATION_TITLES:
        return [0, 1, 2]
    return found
