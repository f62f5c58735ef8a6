import pytest

from language.english.english import english
from language.marks import Mark


@pytest.mark.parametrize(
    ("question", "expected"),
    [("Is there a film by Ann?", True), ("Is there a list of her films?", False), ("Which films are hers?", False)],
)
def test_a_question_for_a_list_does_not_ask_whether_there_is_one(question: str, expected: bool) -> None:
    assert english(question).says(Mark.WHETHER) == expected
