import pytest

from language.english.question_form import asks_whether


@pytest.mark.parametrize(
    ("question", "expected"),
    [("Is there a film by Ann?", True), ("Is there a list of her films?", False), ("Which films are hers?", False)],
)
def test_a_question_for_a_list_does_not_ask_whether_there_is_one(question: str, expected: bool) -> None:
    assert asks_whether(question) == expected
