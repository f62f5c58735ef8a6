"""Inflect English words in generated questions.

The packaged models were trained with these forms, and other forms would change what is generated. Replies use
`language.english.inflection`, which knows more exceptions.
"""

from language.english.morphology import is_plural

_VOWELS = ("a", "e", "i", "o", "u")


def plural(noun: str) -> str:
    """Return the plural of a noun phrase by inflecting the word before its first `of`: `places of birth`."""
    head, of, rest = noun.partition(" of ")
    if is_plural(head):
        return noun
    if head.endswith(" person") or head == "person":
        return f"{head[:-6]}people{of}{rest}"
    if head.endswith("child"):
        return f"{head}ren{of}{rest}"
    if head.endswith("y") and head[-2:-1] not in (*_VOWELS, ""):
        return f"{head[:-1]}ies{of}{rest}"
    return f"{head}{'es' if head.endswith(('s', 'x', 'z', 'ch', 'sh')) else 's'}{of}{rest}"


def counted(number: int, noun: str) -> str:
    """Return a number with its noun: `1 text`, `2 texts`."""
    return f"{number} {noun if number == 1 else plural(noun)}"


def with_article(noun: str) -> str:
    """Return a noun phrase preceded by `a` or `an`."""
    return f"{'an' if noun[:1].lower() in _VOWELS else 'a'} {noun}"


def base_form(third: str) -> str:
    """Return the base form of a verb in the third person: `borders` -> `border`, `teaches` -> `teach`."""
    if third.endswith("ies"):
        return f"{third[:-3]}y"
    return third[:-2] if third.endswith(("sses", "shes", "ches", "xes", "goes", "does")) else third[:-1]
