import pytest

from services.retriever.planning.operators import operator_words


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
