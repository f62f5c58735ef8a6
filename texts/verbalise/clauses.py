"""Write clauses for relations whose names fit no grammatical form, as far as their prepositions tell how."""

import re

from language.english.inflection import PAST_TENSES
from language.english.morphology import (
    PASSIVE_EVENTS,
    PAST_EVENTS,
    PREPOSITIONS,
    TIME_PREPOSITIONS,
    RelationForm,
    RelationKind,
    is_ambiguous,
    is_past,
    is_plural,
    is_role,
    plural,
    relation_form,
    with_article,
)
from texts.verbalise.template import after_first_word, clause

_DATE = re.compile(r"[12]\d{3}(?:-\d\d(?P<day>-\d\d(?:T[\d:.]+(?:Z|[+-][\d:]+)?)?)?)?")
_PLACES = ("at", "in", "near")


def full_clause(relation: str, subject: str, object_: str, subjects: int = 1, objects: int = 1) -> str:
    """Write a clause without a full stop; `subjects` and `objects` are the numbers of things that each side names.

    Example:
        >>> full_clause("in_state", "Milan", "Lombardy"), full_clause("airport_in", "Malpensa", "Italy")
        ('Milan is in the state Lombardy', 'Malpensa is an airport in Italy')
    """
    predicate = _predicate(relation, object_, subjects, objects) if not is_sayable(relation, strict=True) else ""
    predicate = predicate or _event(relation, object_, subjects)
    if predicate:
        return f"{subject} {predicate}"
    return clause(relation, subject, object_, subjects, objects)


def is_sayable(relation: str, strict: bool = False) -> bool:
    """Return whether a clause says a relation; otherwise, it is written after a colon.

    `strict` does not count the relations that only `full_clause` can say.
    """
    is_known = relation_form(relation).kind is not RelationKind.LABEL
    return is_known or (not strict and bool(_predicate(relation, "")))


def _event(relation: str, object_: str, subjects: int) -> str:
    """Return the clause after the subject for a participle and a date: `was founded in 1998`; else nothing."""
    date, words = _DATE.fullmatch(object_), relation_form(relation).words
    if not date or len(words) != 1:
        return ""
    preposition, [word] = "on" if date["day"] else "in", words
    if word in PAST_EVENTS:
        return f"{PAST_TENSES.get(word, word)} {preposition} {object_}"
    be = "were" if subjects > 1 else "was"
    return f"{be} {word} {preposition} {object_}" if word in PASSIVE_EVENTS else ""


def _predicate(relation: str, object_: str, subjects: int = 1, objects: int = 1) -> str:
    """Return the clause after the subject; nothing if no word tells how the two are linked."""
    words = relation_form(relation).words
    first, last = words[0], words[-1]
    be, have = ("are", "have") if subjects > 1 else ("is", "has")
    if len(words) < 2 or not all(map(str.isalpha, words)):
        return ""
    if first in PREPOSITIONS:
        return f"{be} {after_first_word(RelationForm(RelationKind.STATE, ('is', *words)), object_, objects)}"
    noun = " ".join(words[:-1])
    if last not in PREPOSITIONS or is_past(first) or PREPOSITIONS.intersection(words[:-1]):
        return ""
    if is_plural(noun):
        return f"{have} {noun} {last} {object_}" if last in _PLACES and not is_ambiguous(first) else ""
    described = plural(noun) if subjects > 1 else with_article(noun)
    if last in TIME_PREPOSITIONS and not is_role(noun.split()[-1]):
        return f"{have} {described} {last} {object_}"
    if last == "since":
        return f"{have} been {described} since {object_}"
    return f"{be} {described} {last} {object_}"
