"""A question is parsed once, and answers what stages want to know of its text."""

from datetime import date

import pytest

from language.english.english import english

ARTISTS = english("Which artists of Rome love art?")


def test_words_of_their_own_are_told_from_parts_of_words() -> None:
    assert ARTISTS.has_apart("art") and not english("Which artists?").has_apart("art")


@pytest.mark.parametrize(("text", "written"), [("rome", "Rome"), ("ART", "art"), ("Oslo", None)])
def test_a_text_is_found_whatever_its_case(text: str, written: str | None) -> None:
    assert ARTISTS.as_written(text) == written


def test_a_question_without_a_text_keeps_its_day() -> None:
    asked = english("films of 1999 and 1999", date(2024, 2, 29))

    rest = asked.without("1999")

    assert (rest.text, rest.asked_on) == ("films of   and 1999", asked.asked_on)
    assert asked.without(None) is asked


def test_mentions_are_as_long_as_is_wanted() -> None:
    assert max(mention.words for mention in ARTISTS.mentions) == 6
    assert max(mention.words for mention in ARTISTS.mentions_of(2)) == 2


def test_operators_that_no_path_expresses_are_told_from_those_that_ask_for_a_number() -> None:
    asked = english("How many films are not old?")

    assert asked.operator_words == {"how many", "not"}
    assert asked.aggregate_words == {"how many"}
