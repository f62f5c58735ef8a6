import pytest

from language.english.english import english
from language.marks import Mark


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Is there a film by Ann?", True),
        ("Is there a list of her films?", False),
        ("Which films are hers?", False),
        ("can you work out the average score", False),
        ("Could someone please list her films?", False),
        ("Can Ann be reached?", True),
        ("Will Ann direct Heat?", True),
    ],
)
def test_requests_do_not_ask_whether(question: str, expected: bool) -> None:
    assert english(question).says(Mark.WHETHER) == expected
