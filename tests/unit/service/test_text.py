import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.text import named, normalise, readable, times_named


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("Côte d'Ivoire", "cote d’ivoire"),
        ("São Tomé", "sao tome"),
        ("№ 5", "no 5"),
        ("Straße", "STRASSE"),
        ("Ὀδυσσεύς", "οδυσσευς"),
        ("The_Matrix (1999)", "the matrix 1999"),
        ("3:_2", "3 2"),
    ],
)
def test_spellings_of_one_name_are_equal(left: str, right: str) -> None:
    assert normalise(left) == normalise(right)


@pytest.mark.parametrize(("left", "right"), [("की", "का"), ("バス", "ハス"), ("Paris", "Pari")])
def test_other_letters_are_other_names(left: str, right: str) -> None:
    assert normalise(left) != normalise(right)


@given(st.text(min_size=1).filter(str.strip))
def test_normalising_is_idempotent_and_never_empty(text: str) -> None:
    once = normalise(text)
    assert once
    assert normalise(once) == once


def test_a_name_within_a_longer_one_is_not_named() -> None:
    names = ["Guinea", "Papua New Guinea", "Sudan", "South Sudan", "€"]
    assert named("Papua New Guinea and Sudan pay in €", names) == ["Papua New Guinea", "Sudan", "€"]
    assert named("South Sudan's neighbour Guinea, and Papua New Guinea", names) == [
        "Guinea",
        "Papua New Guinea",
        "South Sudan",
    ]
    assert named("Papua New Guinea", ["Guinea"]) == ["Guinea"]
    assert named("The genre of Henry's Crime is Comedy.", ["Henry's Crime", "Crime"]) == ["Henry's Crime"]


def test_names_are_counted_side_by_side_and_not_within_longer_ones() -> None:
    names = ["Guinea", "Papua New Guinea", "Mali"]
    assert times_named("Mali, Mali, Papua New Guinea and Guinea", names) == {
        "Papua New Guinea": 1,
        "Guinea": 1,
        "Mali": 2,
    }


def test_a_name_occurs_as_whole_words_whatever_its_accents_and_punctuation() -> None:
    names = ["Côte d’Ivoire", "Saint Denis", "Lomé", "a"]
    assert named("cote d'ivoire and the saint-denis", names) == ["Côte d’Ivoire", "Saint Denis"]
    assert named("France's capital", ["France", "Frances"]) == ["France", "Frances"]


def test_a_name_without_letters_occurs_as_it_is() -> None:
    assert named("The symbol of the Euro is €.", ["€", "Euro", "$"]) == ["€", "Euro"]


@pytest.mark.parametrize(
    ("relation", "words"),
    [
        ("directed_by", "directed by"),
        ("directedBy", "directed by"),
        ("film.film.directed_by", "directed by"),
        ("http://e.org/p#directedBy", "directed by"),
        ("^directed_by", "inverse of directed by"),
        ("...", "..."),
    ],
)
def test_relations_read_as_words(relation: str, words: str) -> None:
    assert readable(relation) == words
