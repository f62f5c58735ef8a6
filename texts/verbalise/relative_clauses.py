"""Write a fact as a relative clause or an apposition, which needs no pronoun that tells persons from things."""

from collections.abc import Sequence

from language.english.articles import is_apposition, with_the
from language.english.measures import with_units
from language.english.morphology import (
    RelationForm,
    RelationKind,
    is_plural,
    plural,
    present_participle,
    relation_form,
    with_article,
)
from texts.verbalise.template import after_first_word, join_names

_TRUTHS = ("true", "false")
_UNCOUNTABLE_ROLES = ("part", "kind")
# Before these, `which` refers to a place, a time, or a group, and never to a person.
_LOCATIVE = ("in", "at", "on")
_DETERMINERS = ("a", "an", "the", "one")


def relative_clause(relation: str, subject: str | None, object_: str | None, name: str) -> str:
    """Return what to say after a name: `whose capital is Vienna`, `bordering Italy`, or `the capital of Austria`.

    Args:
        relation: The relation of the fact.
        subject: The subject, if there is only one.
        object_: The object, if there is only one.
        name: The subject or the object, which the clause follows.

    Returns:
        The clause without commas around it; nothing if the fact has no such clause.
    """
    if subject is None or object_ is None or subject == object_ or object_ in _TRUTHS:
        return ""
    return _of_object(relation, subject) if name == object_ else _of_subject(relation, object_)


def whose(relation: str, objects: Sequence[str]) -> str:
    """Return a relative clause for a relation that is a noun: `whose official languages are French and Sango`."""
    relation, values = with_units(relation, objects)
    phrase = relation_form(relation).phrase
    phrase = plural(phrase) if len(values) > 1 else phrase
    be = "are" if is_plural(phrase.split(" of ")[0]) else "is"
    return f"whose {phrase} {be} {join_names([with_the(one) for one in values])}"


def _of_object(relation: str, subject: str) -> str:
    form = relation_form(relation)
    first, *rest = form.words
    match form.kind:
        case RelationKind.NOUN if not is_plural(form.phrase.split(" of ")[0]):
            return f"the {form.phrase} of {with_the(subject)}"
        case RelationKind.STATE | RelationKind.VERB if rest and rest[-1] in _LOCATIVE:
            return " ".join([rest[-1], "which", with_the(subject), first, *rest[:-1]])
    return ""


def _of_subject(relation: str, object_: str) -> str:
    form = relation_form(relation)
    first = form.words[0]
    match form.kind:
        case RelationKind.NOUN:
            return whose(relation, (object_,))
        case RelationKind.STATE:
            return _rest(form, object_)
        case RelationKind.ROLE:
            takes_article = form.phrase not in _UNCOUNTABLE_ROLES and first not in _DETERMINERS
            return f"{with_article(form.phrase) if takes_article else form.phrase} of {with_the(object_)}"
        case RelationKind.VERB if participle := present_participle(first):
            return f"{participle} {_rest(form, object_)}"
    return ""


def _rest(form: RelationForm, object_: str) -> str:
    return after_first_word(form, object_ if is_apposition(after_first_word(form, "\0")) else with_the(object_))
