"""Forms of English words, compared with those of libraries that know a dictionary."""

import csv
import gzip
import io
import re
from collections.abc import Callable, Collection
from functools import cache
from importlib.resources import files
from typing import Any

import pytest

from language.english.inflection import base_form, indefinite_article, ing_form, plural_of
from language.english.morphology import counted, plural, present_participle, with_article

EVERY = 8

# Importing these libraries takes seconds, in every worker that collects this module; only one of them runs it.


@cache
def engine() -> Any:
    import inflect

    return inflect.engine()


def forms(word: str, tag: str) -> tuple[str, ...]:
    """Return the forms of a word that the dictionary has for a tag, such as the plurals for `NNS`."""
    import lemminflect  # type: ignore[import-untyped]

    found: tuple[str, ...] = lemminflect.getInflection(word, tag)
    return found


@cache
def words(part: str) -> list[str]:
    """Return every eighth common noun or verb of a dictionary."""
    packed = (files("lemminflect") / "resources" / "infl_lu.csv.gz").read_bytes()
    rows = csv.reader(io.StringIO(gzip.decompress(packed).decode()))
    return [word for word, of, *_ in rows if of == part and re.fullmatch("[a-z]{3,12}", word)][::EVERY]


def check(form: Callable[[str], str], known: Callable[[str], Collection[str]], of: list[str]) -> None:
    """Check that a form is known of all but one in a hundred words; libraries disagree on some."""
    assert len(of) > 700
    wrong = [(word, form(word)) for word in of if form(word) not in known(word)]
    assert len(wrong) <= len(of) / 100, wrong


def test_plurals_agree_with_two_libraries() -> None:
    singular = [word for word in words("noun") if not re.search("[^s]s$", word) or word.endswith(("us", "is"))]
    check(plural_of, lambda word: {engine().plural_noun(word), *forms(word, "NNS")}, singular)


def test_articles_agree_with_a_library() -> None:
    check(with_article, lambda word: {engine().a(word)}, words("noun"))


def test_present_participles_agree_with_a_library() -> None:
    check(ing_form, lambda word: forms(word, "VBG"), words("verb"))


def test_the_base_form_of_the_third_person_is_the_verb() -> None:
    verbs = {third: verb for verb in words("verb") for third in forms(verb, "VBZ")[:1]}
    check(base_form, lambda third: {verbs[third]}, [third for third in verbs if third.isalpha() and third[-1] == "s"])


@pytest.mark.parametrize(
    ("noun", "several"),
    [
        ("woman", "women"),
        ("knife", "knives"),
        ("analysis", "analyses"),
        ("key person", "key people"),
        ("sales woman", "sales women"),
        ("human", "humans"),
        ("child of Ann", "children of Ann"),
        ("lens", "lenses"),
        ("grandchild", "grandchildren"),
        ("spokesman", "spokesmen"),
        ("specimen", "specimens"),
        ("bookshelf", "bookshelves"),
        ("chief", "chiefs"),
        ("behalf", "behalfs"),
        ("hero", "heroes"),
        ("photo", "photos"),
        ("stomach", "stomachs"),
        ("quiz", "quizzes"),
        ("spacecraft", "spacecraft"),
        ("handicraft", "handicrafts"),
        ("criterion", "criteria"),
        ("status", "statuses"),
        ("API", "APIs"),
        ("key", "keys"),
        ("soliloquy", "soliloquies"),
        ("Woman", "Women"),
        ("software", "software"),
        ("people", "people"),
    ],
)
def test_plurals_of_phrases(noun: str, several: str) -> None:
    assert plural(noun) == several
    assert plural(several) == several
    assert counted(2, noun) == f"2 {several}" and counted(1, noun) == f"1 {noun}"


@pytest.mark.parametrize(
    ("article", "nouns"),
    [
        ("a", "user unit university European one-way URL UK unique UFO ubiquitous LAN house hotel Czech utility"),
        ("an", "hour honest heir unidentified uninstalled urgent umbrella SKU MRI API ID x-ray 8-hour 11th 18th uncle"),
    ],
)
def test_the_article_follows_the_sound(article: str, nouns: str) -> None:
    assert {noun: indefinite_article(noun) for noun in nouns.split()} == dict.fromkeys(nouns.split(), article)


@pytest.mark.parametrize(
    ("third", "participle"),
    [
        ("opens", "opening"),
        ("edits", "editing"),
        ("begins", "beginning"),
        ("runs", "running"),
        ("visits", "visiting"),
        ("admits", "admitting"),
        ("offers", "offering"),
        ("refers", "referring"),
        ("ties", "tying"),
        ("agrees", "agreeing"),
        ("writes", "writing"),
        ("panics", "panicking"),
        ("quits", "quitting"),
        ("teaches", "teaching"),
        ("fixes", "fixing"),
        ("plays", "playing"),
        ("caches", "caching"),
        ("changes", "changing"),
        ("visited", ""),
    ],
)
def test_present_participles_of_the_third_person(third: str, participle: str) -> None:
    assert present_participle(third) == participle
