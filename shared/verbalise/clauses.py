"""Write clauses for relations whose names fit no grammatical form, as far as their prepositions tell how."""

from shared.verbalise.morphology import (
    PREPOSITIONS,
    RelationKind,
    is_past,
    is_plural,
    plural,
    relation_form,
    with_article,
)
from shared.verbalise.template import clause


def full_clause(relation: str, subject: str, object_: str, subjects: int = 1, objects: int = 1) -> str:
    """Write a clause without a full stop; `subjects` and `objects` are the numbers of things that each side names.

    Example:
        >>> full_clause("in_state", "Milan", "Lombardy"), full_clause("airport_in", "Malpensa", "Italy")
        ('Milan is in state Lombardy', 'Malpensa is an airport in Italy')
    """
    predicate = _predicate(relation, subjects) if not is_sayable(relation, strict=True) else ""
    if predicate:
        return f"{subject} {predicate} {object_}"
    return clause(relation, subject, object_, subjects, objects)


def is_sayable(relation: str, strict: bool = False) -> bool:
    """Return whether a clause says a relation; otherwise, it is written after a colon.

    `strict` does not count the relations that only `full_clause` can say.
    """
    is_known = relation_form(relation).kind is not RelationKind.LABEL
    return is_known or (not strict and bool(_predicate(relation, 1)))


def _predicate(relation: str, subjects: int) -> str:
    words = relation_form(relation).words
    first, last = words[0], words[-1]
    be = "are" if subjects > 1 else "is"
    if len(words) < 2 or not all(map(str.isalpha, words)):
        return ""
    if first in PREPOSITIONS:
        return f"{be} {' '.join(words)}"
    noun = " ".join(words[:-1])
    if last in PREPOSITIONS and not (is_past(first) or is_plural(noun) or PREPOSITIONS.intersection(words[:-1])):
        return f"{be} {plural(noun) if subjects > 1 else with_article(noun)} {last}"
    return ""
