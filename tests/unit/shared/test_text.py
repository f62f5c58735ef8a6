import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.text import normalise, readable


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
