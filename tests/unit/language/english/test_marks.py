import pytest

from language.english.english import english
from language.marks import Mark


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
    assert english(question).says(Mark.DEFINITION) is expected
