import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.retriever.linking.word_surprisal import WordRarity

# Words as bert-base-uncased numbers them: `the` first of all whole words, at 1996.
VOCABULARY = {"the": 1996, "film": 2143, "airport": 3199, "seaplane": 27437, "##ing": 2075}
KNOWING = WordRarity(["airport", "lies"], VOCABULARY)


def test_the_rarer_a_word_the_more_it_tells() -> None:
    function_word, question_word, frequent, rare, unknown = map(
        KNOWING.of, ("where", "airport", "film", "seaplane", "timbuktu")
    )

    assert 0 < function_word < question_word < frequent < rare < unknown


@given(st.integers(1997, 30521), st.integers(1997, 30521))
def test_the_further_down_the_list_the_rarer(one: int, other: int) -> None:
    rarity = WordRarity((), {"the": 1996, "one": one, "zebra": one, "lion": other})

    assert (rarity.of("zebra") < rarity.of("lion")) == (one < other)
    assert rarity.of("zebra") < rarity.of("not listed")


def test_what_the_list_has_before_its_words_is_not_frequent() -> None:
    rarity = WordRarity((), {"the": 1996, "[unused7]": 8})

    assert rarity.of("[unused7]") == rarity.of("timbuktu")


@pytest.mark.parametrize("vocabulary", [None, {}, {"film": 2143}, {"the": 5, "film": 2143, "seaplane": 27437}])
def test_a_list_in_another_order_says_nothing_of_rarity(vocabulary: dict[str, int] | None) -> None:
    rarity = WordRarity(["airport"], vocabulary)

    assert rarity.of("where") < rarity.of("airport") < rarity.of("film")
    assert rarity.of("film") == rarity.of("seaplane") == rarity.of("timbuktu")


def test_a_letter_tells_little() -> None:
    assert KNOWING.of("x") < KNOWING.of("film")
    assert WordRarity().of("x") < WordRarity().of("film")


def test_common_are_words_that_questions_use_anyway() -> None:
    assert [word for word in ("where", "airport", "film", "timbuktu") if KNOWING.is_common(word)] == [
        "where",
        "airport",
    ]
    assert not WordRarity().is_common("airport")
