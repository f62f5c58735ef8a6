import pytest

from language.english.question_form import asks_definition, asks_whether


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What is an avalanche?", True),
        ("what's a rye bread", True),
        ("What is the cheapest ticket?", False),
        ("What is a good ticket for two people?", False),
        ("What is Heat?", False),
    ],
)
def test_some_questions_ask_what_a_word_means(question: str, expected: bool) -> None:
    assert asks_definition(question) == expected


@pytest.mark.parametrize(
    ("question", "expected"),
    [("Is there a film by Ann?", True), ("Is there a list of her films?", False), ("Which films are hers?", False)],
)
def test_a_question_for_a_list_does_not_ask_whether_there_is_one(question: str, expected: bool) -> None:
    assert asks_whether(question) == expected
