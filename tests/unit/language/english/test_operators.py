import pytest

from language.english.operators import OPERATORS, operator_words


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Who directed Heat?", set()),
        ("Where was the director of Heat born?", set()),
        ("How many films did he direct?", {"how many"}),
        ("Who directed the newest film?", {"newest"}),
        ("Which films have no director?", {"no"}),
        ("Is Heat older than Ran?", {"is"}),
        ("Do you know who directed Heat?", set()),
        ("It is said that Heat is long", set()),
        ("Who or what is the director of Heat?", set()),
        ("Who directed Heat or Ran?", {"or"}),
    ],
)
def test_words_that_a_relation_path_cannot_express(question: str, expected: set[str]) -> None:
    assert operator_words(question) == expected


@pytest.mark.parametrize("question", ["where am I after landing there", "how do I say that, I mean in Dutch"])
def test_words_that_compare_or_average_nothing_are_no_operators(question: str) -> None:
    assert operator_words(question) == frozenset()


@pytest.mark.parametrize(("question", "word"), [("films after 1999", "after"), ("the mean age of actors", "mean")])
def test_words_that_compare_or_average_are_operators(question: str, word: str) -> None:
    assert operator_words(question) == {word}


def test_a_number_of_percent_is_no_share() -> None:
    [share] = [one for one in OPERATORS if one.pattern.search("what percent of beers is strong")]

    assert not share.pattern.search("beers stronger than 5 percent")


@pytest.mark.parametrize(
    ("phrase", "features", "is_read"),
    [
        ("both", {"conjunction"}, True),
        ("both", {"conjunction", "alternatives"}, False),
        ("highest", {"sort"}, True),
        ("highest", {"sort", "ordered_one"}, False),
        ("second", {"sort"}, False),
        ("second", {"sort", "skip"}, True),
    ],
)
def test_operators_need_and_exclude_structures(phrase: str, features: set[str], is_read: bool) -> None:
    found = [one for one in OPERATORS if one.pattern.fullmatch(phrase)]
    assert [one.is_read(frozenset(features)) for one in found] == [is_read]
