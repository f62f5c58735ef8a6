"""Verbalise triples as plain sentences without a language model.

UniOQA's searcher uses the sentence "The {relation} of {head} is {tail}." for every relation, but it reads well only for
nouns. Here, the grammatical form of the relation's name selects the sentence. A name that fits no grammatical form is
written after the subject and a colon.
"""

from collections.abc import Collection, Sequence

from language.english.inflection import base_form
from language.english.measures import with_units
from language.english.morphology import (
    PREPOSITIONS,
    RelationForm,
    RelationKind,
    counted,
    is_flag,
    is_participle,
    is_past,
    is_plural,
    is_role,
    plural,
    relation_form,
    with_article,
)
from language.english.relation_words import in_words
from shared.text import with_full_stop
from shared.triple import Triple

_UNCOUNTABLE_ROLES = ("part", "kind")
_TRUTHS = ("true", "false")
_DETERMINERS = ("a", "an", "the", "one")


def as_sentences(triples: Sequence[Triple], properties: Collection[Triple] = ()) -> str:
    """Verbalise triples in order, with one sentence per group that shares a relation and either a head or a tail.

    Those in `properties` are values, so that their relations are no verbs: a ship has `flags` or `visits`.
    """
    return " ".join(_sentence(group, group[0] in properties) for group in _groups(triples))


def join_names(names: Sequence[str], bare: Sequence[str] = ()) -> str:
    """Join names into a list: `A, B and C`. Use semicolons if a name contains a comma, a semicolon, or `and`.

    If the names are followed by texts in parentheses, only `bare`, the names without these, are looked at.
    """
    if len(names) < 2:
        return "".join(names)
    if any("," in name or " and " in name or ";" in name for name in bare or names):
        return "; ".join(names[:-1]) + f"; and {names[-1]}"
    return ", ".join(names[:-1]) + f" and {names[-1]}"


def as_counted(
    number: int, noun: str, triples: Sequence[Triple], omitted: int, counted_names: Collection[str]
) -> str | None:
    """Verbalise what was counted: `9 countries border Germany: Austria, Belgium, and 7 more.`

    Args:
        number: The number.
        noun: What was counted, in the singular.
        triples: Facts, one for each of the counted things that are listed.
        omitted: The number of things that are not listed.
        counted_names: The names of the counted things that are listed.

    Returns:
        The sentence; None if the facts do not share a relation and one side, if the other side is not what was counted,
        or if only one thing was counted.
    """
    relations = {triple.relation for triple in triples}
    subjects = list(dict.fromkeys(triple.subject for triple in triples))
    objects = list(dict.fromkeys(triple.object for triple in triples))
    if number == 1 or len(relations) != 1 or min(len(subjects), len(objects)) != 1:
        return None
    [relation] = relations
    names = subjects if len(objects) == 1 else objects
    if len(names) + omitted != number or set(names) != set(counted_names):
        return None
    counted_, listed = counted(number, noun), join_names([*names, *([f"{omitted} more"] if omitted else [])])
    if names is subjects:
        return f"{clause(relation, counted_, join_names(objects), number, 1)}: {listed}."
    return f"{clause(relation, join_names(subjects), counted_, 1, number)}: {listed}."


def _groups(triples: Sequence[Triple]) -> list[list[Triple]]:
    """Partition triples by (head, relation) or (relation, tail), whichever group is larger."""
    distinct = list(dict.fromkeys(triples))
    by_head: dict[tuple[str, str], list[Triple]] = {}
    by_tail: dict[tuple[str, str], list[Triple]] = {}
    for triple in distinct:
        by_head.setdefault((triple.subject, triple.relation), []).append(triple)
        by_tail.setdefault((triple.relation, triple.object), []).append(triple)
    groups: list[list[Triple]] = []
    grouped: set[Triple] = set()
    for triple in distinct:
        if triple not in grouped:
            same_head = [other for other in by_head[triple.subject, triple.relation] if other not in grouped]
            same_tail = [other for other in by_tail[triple.relation, triple.object] if other not in grouped]
            groups.append(same_head if len(same_head) >= len(same_tail) else same_tail)
            grouped.update(groups[-1])
    return groups


def _sentence(group: Sequence[Triple], is_property: bool) -> str:
    subjects = list(dict.fromkeys(triple.subject for triple in group))
    objects: Sequence[str] = list(dict.fromkeys(triple.object for triple in group))
    relation = group[0].relation
    if is_property and _is_plural_word(relation):
        relation = f"has_{relation}"
    elif is_property:
        relation, objects = with_units(relation, objects)
    text = clause(relation, join_names(subjects), join_names(objects), len(subjects), len(objects))
    return with_full_stop(text)


def clause(relation: str, subject: str, object_: str, subjects: int = 1, objects: int = 1) -> str:
    """Write a clause without a full stop; `subjects` and `objects` are the numbers of things that each side names."""
    if object_ in _TRUTHS and (text := _flag_clause(relation, subject, object_ == "true", subjects)) is not None:
        return text
    form = relation_form(relation)
    phrase = form.phrase
    first = form.words[0]
    has_subjects, has_objects = subjects > 1, objects > 1
    match form.kind:
        case RelationKind.NOUN:
            be = "are" if has_objects or is_plural(phrase.split(" of ")[0]) else "is"
            return f"The {plural(phrase) if has_objects else phrase} of {subject} {be} {object_}"
        case RelationKind.STATE:
            be = {"is": "are", "was": "were"}[first] if has_subjects else first
            return f"{subject} {be} {after_first_word(form, object_, objects)}"
        case RelationKind.ROLE:
            if phrase not in _UNCOUNTABLE_ROLES and first not in _DETERMINERS:
                phrase = plural(phrase) if has_subjects else with_article(phrase)
            return f"{subject} {'are' if has_subjects else 'is'} {phrase} of {object_}"
        case RelationKind.VERB:
            verb = base_form(first) if has_subjects and not is_past(first) else first
            return f"{subject} {verb} {after_first_word(form, object_, objects)}"
        case RelationKind.LABEL:
            return f"{subject}: {phrase} {object_}"


def after_first_word(form: RelationForm, object_: str, objects: int = 1) -> str:
    """Write the predicate of a state or a verb after its first word; a noun that says what the object is gets `the`.

    Example:
        >>> after_first_word(relation_form("works_on_project"), "Heron")
        'on the project Heron'
        >>> after_first_word(relation_form("drives_on_side"), "left side")
        'on the left side'
    """
    rest = form.words[1:]
    before, last = rest[:-1], rest[-1] if rest else ""
    names_kind = form.kind is RelationKind.VERB or (before and before[-1] in PREPOSITIONS)
    if not last or not names_kind or last in PREPOSITIONS or is_participle(last):
        return " ".join([*rest, object_])
    if objects == 1 and object_.lower().endswith(f" {last}"):
        return " ".join([*before, "the", object_])
    return " ".join([*before, "the", plural(last) if objects > 1 else last, object_])


def _is_plural_word(relation: str) -> bool:
    """Return whether a relation's name is one word that may be a plural as well as a verb."""
    return relation.isalpha() and relation.islower() and is_plural(relation)


def _flag_clause(relation: str, subject: str, holds: bool, subjects: int) -> str | None:
    """Write a property that is true or false: `Coal is hazardous`; None if its name is no adjective."""
    be, have = ("are", "have") if subjects > 1 else ("is", "has")
    match in_words(relation).split():
        case ["is" | "are", _, *_] as words:
            return " ".join([subject, be, *([] if holds else ["not"]), *words[1:]])
        case ["has" | "have", _, *_] as words:
            return " ".join([subject, have, *([] if holds else ["no"]), *words[1:]])
        case words if is_flag(" ".join(words)):
            return " ".join([subject, be, *([] if holds else ["not"]), *words])
        case [role] if subjects == 1 and is_role(role):
            return " ".join([subject, be, *([] if holds else ["not"]), with_article(role)])
        case [preposition, _, *_] as words if preposition in PREPOSITIONS:
            return " ".join([subject, be, *([] if holds else ["not"]), *words])
    return None
