"""Reduce the words of names and questions to stems, so that they can be compared."""

import re

from graph.plan.content_types import words_of
from language.english.abbreviations import ABBREVIATIONS
from language.english.inflection import VERB_FORMS, plural_of
from language.english.lexicon import words_of_class

# `dies` is a form of the verb.
_SINGULARS = {plural_of(noun): noun for noun in words_of_class("irregular noun")} | {"dice": "die"}
_BASE_FORMS = _SINGULARS | {form: verb for verb, forms in VERB_FORMS.items() for form in forms.split()}
_WORD = re.compile(r"[^\W_]+")
_ENDINGS = {"ies": "y", "ied": "y", "sses": "ss"}
_NO_PLURAL = ("ss", "us", "is")
_SUFFIXES = ("ing", "edly", "er", "or", "ed", "ly", "y", "e")
_LITTLE = words_of_class("little word")


def spelt_out(identifier: str) -> list[str]:
    """Return the words of an identifier, with abbreviations written out.

    Example:
        >>> spelt_out("acct_mgr")
        ['account', 'manager']
    """
    return [part for word in words_of(identifier) for part in ABBREVIATIONS.get(word, word).split()]


def stem(word: str) -> str:
    """Cut the ending off a word, so that most forms of a word are equal, also irregular ones: `wrote` and `write`."""
    word = _without_ending(_BASE_FORMS.get(word, word))
    for suffix in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= 3:
            word = word[: -len(suffix)]
            break
    if len(word) > 3 and word[-1] == word[-2]:
        word = word[:-1]
    return f"{word[:-1]}f" if word.endswith("v") else word  # `live` and `life`, whose forms `lives` are the same


def _without_ending(word: str) -> str:
    """Return the form that endings such as a plural's were added to: `reply` for `replies`, and `movy` for `movies`."""
    for ending, before in _ENDINGS.items():
        if word.endswith(ending) and len(word) > len(ending) + 1:
            return word[: -len(ending)] + before
    if word.endswith("s") and len(word) > 3 and not word.endswith(_NO_PLURAL):
        word = word[:-1]
    # `movie` becomes `movy`, too, since `movies` does not tell which of the two it is a form of.
    return f"{word[:-2]}y" if word.endswith("ie") and len(word) > 4 else word


def noun_stem(word: str) -> str:
    """Cut the ending of a plural off a noun, so that its forms are equal: `ships` and `ship`, but not `shipper`."""
    return _without_ending(_SINGULARS.get(word, word))


def nouns_of(name: str) -> frozenset[str]:
    """Return the nouns of a name, also those that it abbreviates; little words do not count."""
    return frozenset(noun_stem(word) for word in (*words_of(name), *spelt_out(name)) if word not in _LITTLE)


def singular(noun: str) -> str | None:
    """Return the singular of an irregular plural, as `mouse` for `mice`; None for other words."""
    return _SINGULARS.get(noun)


def question_words(question: str) -> list[tuple[int, int, str]]:
    """Return the start, the end, and the stem of each word."""
    return [(found.start(), found.end(), stem(found.group().lower())) for found in _WORD.finditer(question)]


def stems_of(name: str) -> frozenset[str]:
    """Return the stems of the words of a name, also of those that it abbreviates; little words do not count."""
    return frozenset(stem(word) for word in (*words_of(name), *spelt_out(name)) if word not in _LITTLE)
