import pytest
from hypothesis import given
from hypothesis import strategies as st

from language.english.abbreviations import abbreviates

WORDS = st.text("abcdeio", min_size=1, max_size=8)


@pytest.mark.parametrize(
    ("short", "word"),
    [
        ("eqp", "equipment"), ("rnt", "rented"), ("dlv", "delivered"), ("st", "status"), ("pd", "paid"),
        ("bdgt", "budget"), ("mntnnc", "maintenance"), ("rpts", "reports"), ("cert", "certificate"),
    ],
)  # fmt: skip
def test_names_keep_the_first_letter_of_a_word_and_others_in_order(short: str, word: str) -> None:
    assert abbreviates(short, word)


@pytest.mark.parametrize(
    ("short", "word"),
    [
        ("eqp", "require"), ("st", "cost"), ("st", "secret"), ("in", "invoice"), ("by", "battery"), ("rpts", "repost"),
        ("paid", "paid"), ("manager", "man"), ("x", "axis"), ("trains", "transactions"), ("is", "its"), ("a1", "aa11"),
    ],
)  # fmt: skip
def test_other_words_are_not_abbreviated(short: str, word: str) -> None:
    assert not abbreviates(short, word)


@given(WORDS, WORDS)
def test_an_abbreviation_is_shorter_and_begins_as_the_word(short: str, word: str) -> None:
    if abbreviates(short, word):
        assert len(short) < len(word)
        assert short[0] == word[0]
        assert not abbreviates(word, short)
