import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.retriever.linking.word_surprisal import WordSurprisal

# Words with their ids in bert-base-uncased, where `the` comes first among the whole words, at 1996.
VOCABULARY = {"the": 1996, "film": 2143, "airport": 3199, "seaplane": 27437, "##ing": 2075}
SURPRISAL = WordSurprisal(["airport", "lies"], VOCABULARY)


def test_surprisal_grows_with_rarity() -> None:
    function_word, question_word, frequent, rare, unknown = map(
        SURPRISAL.of, ("where", "airport", "film", "seaplane", "timbuktu")
    )

    assert 0 < function_word < question_word < frequent < rare < unknown


@given(st.integers(1997, 30521), st.integers(1997, 30521))
def test_surprisal_grows_with_rank_in_the_vocabulary(one: int, other: int) -> None:
    surprisal = WordSurprisal((), {"the": 1996, "one": one, "zebra": one, "lion": other})

    assert (surprisal.of("zebra") < surprisal.of("lion")) == (one < other)
    assert surprisal.of("zebra") < surprisal.of("not listed")


def test_tokens_before_the_first_word_are_not_frequent_words() -> None:
    surprisal = WordSurprisal((), {"the": 1996, "[unused7]": 8})

    assert surprisal.of("[unused7]") == surprisal.of("timbuktu")


@pytest.mark.parametrize("vocabulary", [None, {}, {"film": 2143}, {"the": 5, "film": 2143, "seaplane": 27437}])
def test_a_vocabulary_in_another_order_is_ignored(vocabulary: dict[str, int] | None) -> None:
    surprisal = WordSurprisal(["airport"], vocabulary)

    assert surprisal.of("where") < surprisal.of("airport") < surprisal.of("film")
    assert surprisal.of("film") == surprisal.of("seaplane") == surprisal.of("timbuktu")


def test_a_single_letter_has_low_surprisal() -> None:
    assert SURPRISAL.of("x") < SURPRISAL.of("film")
    assert WordSurprisal().of("x") < WordSurprisal().of("film")


def test_common_words_are_function_words_and_question_words() -> None:
    assert [word for word in ("where", "airport", "film", "timbuktu") if SURPRISAL.is_common(word)] == [
        "where",
        "airport",
    ]
    assert not WordSurprisal().is_common("airport")
