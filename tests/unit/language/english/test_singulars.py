"""Singulars of nouns with which tables are named."""

from functools import cache
from typing import TYPE_CHECKING, Any

import pytest

from language.english.inflection import plural_of
from language.english.singulars import singular_of

if TYPE_CHECKING:
    import inflect

_NOUNS = """
account actor address agency alias analysis appointment author battery bill body book box branch brand bus bonus
business campus canvas case category cause child city class clause clinic company contract cookie country course
criterion customer dashboard database day department diagnosis dish door employee enterprise event exercise expense
family film flight hero hotel house hypothesis index invoice item key knife leaf lens life loss man message metric
mouse movie office order page party patient payment person photo piece player policy potato price process product
purchase quiz recipe region release response review role route sale school series service shelf shoe size species
spouse staff status store story supplier survey tax team territory tie topic toy tree type university use user vehicle
video virus visit warehouse watch wife woman year zone
"""


@cache
def engine() -> "inflect.engine":
    import inflect

    return inflect.engine()


@pytest.mark.parametrize("noun", _NOUNS.split())
def test_the_singular_of_the_plural_is_the_noun_and_stays_the_noun(noun: str) -> None:
    assert singular_of(plural_of(noun)) == noun
    assert singular_of(noun) == noun


@pytest.mark.parametrize("noun", _NOUNS.split())
def test_it_is_what_a_larger_dictionary_says(noun: str) -> None:
    plural: Any = plural_of(noun)

    assert singular_of(plural) == noun == (engine().singular_noun(plural) or plural)


@pytest.mark.parametrize("word", ["details", "orders", "works"])
def test_any_word_that_may_be_a_plural_is_taken_for_one(word: str) -> None:
    assert singular_of(word) == word[:-1]


@pytest.mark.parametrize("word", ["", "s", "as", "on", "status", "data", "\u043a\u043d\u0438\u0433\u0438", "2024"])
def test_other_words_stay_as_they_are(word: str) -> None:
    assert singular_of(word) == word
